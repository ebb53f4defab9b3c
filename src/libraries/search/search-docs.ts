import { CHARS_PER_TOKEN } from '../../contract/limits.ts';
import type { Search } from '../../search/search.ts';
import type { SearchAnswer, SearchRequest, SearchResult } from '../../search/search-types.ts';
import type { WholePassage } from '../../text/prune/whole-passages.ts';
import { NO_FILTERS } from '../../text/query/filters.ts';
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
export type DocsPassage = Pick<WholePassage, 'markdown' | 'headingPath' | 'score'> & {
  title: string;
  place: ResultPlace;
};

export type DocsAnswer = Pick<LibraryChoice, 'libraries' | 'notes'> & {
  /** Best first. */
  passages: DocsPassage[];
  search: Pick<SearchAnswer, 'cache' | 'incomplete' | 'timingsMs'>;
};

export type SearchDocs = (question: DocsQuestion) => Promise<DocsAnswer>;

const PAGES_MAX = 8;
const PASSAGES_PER_PAGE = 4;
/** Share of the budget that one passage may take, so that a long listing leaves room for others. */
const PASSAGE_SHARE_MAX = 0.6;

/** Creates the search of documentation: the search by library, its best passages with code kept whole, within a budget. */
export function createSearchDocs({
  search,
  catalog,
}: {
  search: Search;
  catalog: LibraryCatalog;
}): SearchDocs {
  return async ({ question, tokensMax, viewer, signal, tenant, ...wish }) => {
    const choice = await catalog.choose(wish, viewer);
    const charsMax = Math.floor(PASSAGE_SHARE_MAX * tokensMax * CHARS_PER_TOKEN);
    const { results, cache, incomplete, timingsMs } = await search({
      ...NO_FILTERS,
      query: question,
      numResults: PAGES_MAX,
      library: choice.filter,
      contents: {
        text: null,
        highlights: { query: null, perUrl: 1, charsMax: null },
        pruned: null,
        passages: { perPage: PASSAGES_PER_PAGE, charsMax },
      },
      signal,
      ...(tenant === undefined ? {} : { tenant }),
    });
    const places = await catalog.places(
      results.map(({ url }) => url),
      choice,
    );
    const passages = results.flatMap((result, rank) => {
      const place = places.get(result.url);
      return place === undefined ? [] : listPassages(result, { rank, place });
    });
    const { libraries, notes } = choice;
    return {
      passages: packPassages(passages, tokensMax),
      libraries,
      notes,
      search: { cache, incomplete, timingsMs },
    };
  };
}

/** How much less a passage counts for each place of its page in the results. */
const RANK_DISCOUNT = 0.15;

/** Lists the passages of a page; both the page's place and the passage tell whether it answers. */
function listPassages(
  { title, passages = [] }: SearchResult,
  { rank, place }: { rank: number; place: ResultPlace },
): DocsPassage[] {
  return passages.map(({ markdown, headingPath, score }) => ({
    markdown,
    headingPath,
    title,
    place,
    score: score / (1 + RANK_DISCOUNT * rank),
  }));
}

/** A passage of a page; `score`: how well it answers, comparable between the passages of all pages. */
type Packable = { markdown: string; score: number };

/** Characters beside the text of a passage: its title, version and address. */
const HEAD_CHARS = 240;

/**
 * Chooses the best passages that fit a budget of tokens, best first. No passage is cut: one that does not fit leaves its room to shorter
 * ones. Empty only if there are none or the best of them alone is too long.
 */
function packPassages<Passage extends Packable>(passages: readonly Passage[], tokensMax: number): Passage[] {
  let room = tokensMax * CHARS_PER_TOKEN;
  const ordered = passages.toSorted((one, other) => other.score - one.score);
  return ordered.filter(({ markdown }) => {
    const chars = markdown.length + HEAD_CHARS;
    if (chars > room) return false;
    room -= chars;
    return true;
  });
}
