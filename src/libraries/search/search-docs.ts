import { Failure } from '../../contract/errors.ts';
import { CHARS_PER_TOKEN } from '../../contract/limits.ts';
import type { LocalIndex } from '../../index/local-index-types.ts';
import { runWithTimeout } from '../../platform/clock.ts';
import { TASK_LIMITS } from '../../platform/threads/pool-limits.ts';
import { TaskFailed, type TaskPool, type ThreadTask } from '../../platform/threads/task-pool.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';
import { computePartsMs } from '../../search/late-parts.ts';
import type { Search } from '../../search/search.ts';
import type { SearchAnswer, SearchRequest } from '../../search/search-types.ts';
import { buildRuns, isContained, type Runs } from '../../text/near-duplicates/near-duplicates.ts';
import { listAskedTerms, type PageSections, type readSections } from '../../text/prune/page-sections.ts';
import { rankSections } from '../../text/prune/rank-sections.ts';
import { NO_FILTERS } from '../../text/query/filters.ts';
import { tokenizeWords } from '../../text/words/words.ts';
import type { LibraryPageKind } from '../library-types.ts';
import type {
  LibraryCatalog,
  LibraryChoice,
  LibraryViewer,
  LibraryWish,
  ResultPlace,
} from './library-catalog.ts';

type DocsQuestion = LibraryWish &
  Pick<SearchRequest, 'signal' | 'tenant'> & {
    question: string;
    /** Tokens of all passages with their headings. */
    tokensMax: number;
    viewer: LibraryViewer;
  };

/** A passage that answers, with the version and the address it is from. */
export type DocsPassage = {
  markdown: string;
  headingPath: string[];
  score: number;
  title: string;
  place: ResultPlace;
};

export type DocsAnswer = Pick<LibraryChoice, 'libraries' | 'notes'> & {
  /** Best first. */
  passages: DocsPassage[];
  search: Pick<SearchAnswer, 'cache' | 'incomplete' | 'timingsMs'>;
};

export type SearchDocs = (question: DocsQuestion) => Promise<DocsAnswer>;

type SearchDocsDeps = {
  search: Search;
  catalog: LibraryCatalog;
  index: Pick<LocalIndex, 'get'>;
  pool: Pick<TaskPool, 'run'>;
};

const READ_TASK: ThreadTask<typeof readSections> = {
  module: resolveThreadModule('text/prune/page-sections'),
  name: 'readSections',
  limits: TASK_LIMITS.prune,
};

const PAGES_MAX = 12;
/** Characters of one passage, and the share of the budget that it may take, so that a long listing leaves room for others. */
const PASSAGE = { charsMax: 3_000, shareMax: 0.6 };
/** Passages that are tried for the budget. */
const TRIED_MAX = 120;

/**
 * Creates the search of documentation. The search by library finds pages; their sections are ranked together, because the pages of one
 * library have the same words and what answers is a few lines of them; the best that fit the budget are the answer, with code kept whole.
 */
export function createSearchDocs({ search, catalog, index, pool }: SearchDocsDeps): SearchDocs {
  return async ({ question, tokensMax, viewer, signal, tenant, ...wish }) => {
    const choice = await catalog.choose(wish, viewer);
    const asker = tenant === undefined ? {} : { tenant };
    const { results, cache, incomplete, timingsMs } = await search({
      ...NO_FILTERS,
      query: question,
      numResults: PAGES_MAX,
      library: choice.filter,
      contents: null,
      signal,
      ...asker,
    });
    const places = await catalog.places(
      results.map(({ url }) => url),
      choice,
    );
    const charsMax = Math.min(PASSAGE.charsMax, Math.floor(PASSAGE.shareMax * tokensMax * CHARS_PER_TOKEN));
    const read = await runWithTimeout({ signal, ms: computePartsMs(signal) }, (inTime) =>
      Promise.all(
        results.map(async ({ url, title }, rank): Promise<ReadPage | null> => {
          const [place, page] = [places.get(url), await index.get(url)];
          if (place === undefined || page === null) return null;
          const { markdown, language } = page;
          const found = await pool
            .run(READ_TASK, [{ markdown, language }, question, charsMax], {
              ...asker,
              signal: inTime,
              about: url,
            })
            .catch((error: unknown): null => {
              signal.throwIfAborted();
              if (inTime.aborted || isTooBusy(error)) return null;
              throw error;
            });
          return { title, place, markdown, found, rank };
        }),
      ),
    );
    const pages = read.filter((page) => page !== null);
    const isLate = pages.some(({ found }) => found === null);
    const { libraries, notes } = choice;
    return {
      passages: packPassages(rankPassages(pages, question), tokensMax),
      libraries,
      notes,
      search: { cache, timingsMs, incomplete: isLate ? [...incomplete, 'highlights'] : incomplete },
    };
  };
}

/** A page with its sections; null: there was no thread or no time to read them. */
type ReadPage = {
  title: string;
  place: ResultPlace;
  markdown: string;
  found: PageSections | null;
  rank: number;
};

const isTooBusy = (error: unknown): boolean =>
  error instanceof TaskFailed || (error instanceof Failure && error.code === 'overloaded');

/** How much less the sections of a page count for its place in the results. */
const RANK_WEIGHT = 0.5;
/** Guides say how things are done, changelogs and examples repeat their words. */
const KIND_BONUS: Partial<Record<LibraryPageKind, number>> = { guide: 0.6, changelog: -1, example: -0.3 };
const ASKS_FOR_CHANGE =
  /\b(?:chang(?:e|es|ed)|versions?|releases?d?|since|deprecated|removed|renamed|upgrad(?:e|ing)|migrat(?:e|ing|ion))\b/i;

function rankPassages(pages: readonly ReadPage[], question: string): DocsPassage[] {
  const readable = pages.flatMap((page) => (page.found === null ? [] : [{ ...page, found: page.found }]));
  const asksForChange = ASKS_FOR_CHANGE.test(question);
  const sectioned = readable.map(({ found, rank, place }) => {
    const kind = place.kind as LibraryPageKind;
    const fits = kind === 'changelog' && asksForChange ? 0 : (KIND_BONUS[kind] ?? 0);
    return { found, bonus: fits - RANK_WEIGHT * Math.log(1 + rank) };
  });
  return rankSections(listAskedTerms(question), sectioned)
    .slice(0, TRIED_MAX)
    .flatMap(({ page, section, score }) => {
      const own = readable[page];
      if (own === undefined) return [];
      const { start, end, part, headingPath } = section;
      const { title, place } = own;
      return [{ title, place, score, headingPath, markdown: part ?? own.markdown.slice(start, end) }];
    });
}

/** Characters beside the text of a passage, its title, headings and address: the version, the kind and what is between them. */
const HEAD_CHARS = 60;

/**
 * Chooses the best passages that fit a budget of tokens, best first, without those that repeat another. No passage is cut: one that does
 * not fit leaves its room to shorter ones. Empty only if there are none or each of them alone is too long.
 */
function packPassages(passages: readonly DocsPassage[], tokensMax: number): DocsPassage[] {
  let room = tokensMax * CHARS_PER_TOKEN;
  const shown: Runs[] = [];
  return passages.filter(({ markdown, title, headingPath, place }) => {
    const head = title.length + headingPath.slice(-2).join().length + place.name.length + place.url.length;
    const chars = markdown.length + head + HEAD_CHARS;
    if (chars > room) return false;
    const runs = buildRuns(tokenizeWords(markdown, null));
    if (shown.some((other) => isContained(runs, other))) return false;
    shown.push(runs);
    room -= chars;
    return true;
  });
}
