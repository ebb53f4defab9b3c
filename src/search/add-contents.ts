import { Failure } from '../contract/errors.ts';
import { CHARS_PER_TOKEN } from '../contract/limits.ts';
import { type Page, textOfArticle } from '../pages/article.ts';
import type { OpenPage } from '../pages/open-page-types.ts';
import { withinTime } from '../platform/within-time.ts';
import type { rerankByPassages } from '../recall/fusion/mix-scores.ts';
import type { ContentsWanted, PageParts } from '../text/prune/page-parts.ts';
import type { Choice } from './choosing/choose-results.ts';
import { withCitations } from './cite-parts.ts';
import { openInTime } from './open-in-time.ts';
import { detailsOf, NO_DETAILS } from './pages/page-details.ts';
import { openSubpages, type Subpage } from './pages/subpages.ts';
import { type PruneWorker, unscoredParts } from './prune-worker.ts';
import { ANSWER_PAGES, quoteFromResults } from './quote-from-results.ts';
import type { QuoteWorker } from './quote-worker.ts';
import type { SearchAnswer, SearchRequest, SearchResult } from './search-types.ts';
import type { Stopwatch } from './stopwatch.ts';

/** Milliseconds into a search by which its pages must be pruned; the rest is for writing the answer. */
const PRUNED_MS = 7_200;
const PRUNE_MS_MIN = 250;

/** Results in the order that the passages of their pages tell; `opened`: which pages were. */
export type Reorder = typeof rerankByPassages;

type Dressing = {
  chosen: Choice[];
  /** How the passages of the pages may change the order; null: not at all. */
  reorder: Reorder | null;
  watch: Stopwatch;
};

type Composition = {
  openPage: OpenPage;
  prune: PruneWorker;
  /** Null if this operation never quotes an answer. */
  quote: QuoteWorker | null;
};

/**
 * The chosen results with the requested parts of their pages, and a quoted answer if requested. Opens all pages at once; a
 * page that fails or is late is replaced by the source's passage.
 */
export async function addContents(
  parts: Composition,
  request: SearchRequest,
  { chosen, reorder, watch }: Dressing,
): Promise<Pick<SearchAnswer, 'results' | 'tokens' | 'answer'>> {
  const wanted = request.contents;
  const quote = request.answer ? parts.quote : null;
  const toOpen = wanted !== null ? chosen : quote !== null ? chosen.slice(0, ANSWER_PAGES) : [];
  const none = quote === null ? {} : { answer: null };
  if (toOpen.length === 0) return { results: chosen.map(bare), tokens: { raw: 0, output: 0 }, ...none };
  const urls = toOpen.map(({ url }) => url);
  const open = opener(parts.openPage, request, watch);
  const pages = await watch.stage('open', () => open(urls));
  const opened = toOpen.map((choice, place) => ({ choice, page: pages[place] ?? null }));
  const [contents, answer, subpages] = await Promise.all([
    wanted === null ? [] : prunePages(parts.prune, opened, { wanted, request, watch }),
    quote === null ? null : quoteFromResults(quote, opened, { ...request, watch }),
    wanted === null ? [] : subpagesOf(parts.prune, pages, { request, wanted, open, watch }),
  ]);
  const results = chosen.map(
    (choice, place): SearchResult => ({
      ...bare(choice),
      publishedDay: choice.publishedDay ?? pages[place]?.article.published?.day ?? null,
      ...withCitations(contents[place] ?? {}, citable(choice, pages[place] ?? null)),
      ...detailed(pages[place] ?? null, request),
      ...(request.subpages === undefined ? {} : { subpages: subpages[place] ?? [] }),
    }),
  );
  return {
    results:
      reorder !== null && wanted !== null && isForTheQuery(wanted, request.query)
        ? reorder(results, openedOf(pages))
        : results,
    tokens: tokensOf(pages, contents, answer?.text ?? ''),
    ...(quote === null ? {} : { answer }),
  };
}

type OpenAll = (urls: string[]) => Promise<(Page | null)[]>;

/** Opens pages for one search; null for each that fails or is late. */
function opener(
  openPage: OpenPage,
  { signal, tenant, keep, opening }: SearchRequest,
  watch: Stopwatch,
): OpenAll {
  const asked = { signal, tenant, keep, watch, ...(opening === undefined ? {} : { opening }) };
  return (urls) => openInTime(openPage, urls, asked);
}

/** The subpages of each page, if requested; none if there is no time left. */
function subpagesOf(
  prune: PruneWorker,
  pages: (Page | null)[],
  {
    request: { subpages, details, query, signal, tenant },
    wanted,
    open,
    watch,
  }: { request: SearchRequest; wanted: ContentsWanted; open: OpenAll; watch: Stopwatch },
): Promise<Subpage[][]> {
  if (subpages === undefined) return Promise.resolve([]);
  const asked = { subpages, wanted, query, signal, tenant, open };
  return watch.stage('subpages', () =>
    openSubpages(prune, pages, details === undefined ? asked : { ...asked, details }),
  );
}

const bare = ({ url, title, score, publishedDay, declared, origin }: Choice): SearchResult => ({
  ...{ url, title, score, publishedDay },
  ...(declared === undefined ? {} : { declared }),
  ...(origin === undefined ? {} : { origin }),
});

/** What an opened page says about itself. */
const detailed = (
  page: Page | null,
  { details = NO_DETAILS }: SearchRequest,
): Pick<SearchResult, 'author' | 'details'> =>
  page === null ? {} : { author: page.article.author, details: detailsOf(page.article, details) };

/** Cited under the address of the result. */
const citable = ({ url }: Choice, page: Page | null): { url: string; markdown: string } | null =>
  page === null ? null : { url, markdown: page.article.markdown };

const openedOf = (pages: (Page | null)[]): boolean[] => pages.map((page) => page !== null);

/** What is kept of each page, as shares of the usual amount: the first pages are most likely to hold what is asked for. */
const PRUNED_SHARES = [1, 0.7];
const LEAST_PRUNED_SHARE = 0.5;

function wantedAt(wanted: ContentsWanted, place: number): ContentsWanted {
  if (wanted.pruned === null) return wanted;
  return { ...wanted, pruned: { ...wanted.pruned, share: PRUNED_SHARES[place] ?? LEAST_PRUNED_SHARE } };
}

/** Prunes each page separately: one that is not pruned in time falls back to its source's passage. */
function prunePages(
  prune: PruneWorker,
  opened: { choice: Choice; page: Page | null }[],
  { wanted, request, watch }: { wanted: ContentsWanted; request: SearchRequest; watch: Stopwatch },
): Promise<PageParts[]> {
  const { query, tenant, signal } = request;
  const left = Math.max(PRUNE_MS_MIN, PRUNED_MS - (watch.stop().total ?? 0));
  const partsOf = async (
    { choice, page }: { choice: Choice; page: Page | null },
    place: number,
    inTime: AbortSignal,
  ): Promise<PageParts> => {
    const snippet = { markdown: choice.snippet, language: null };
    try {
      const [parts] = await prune(
        [page === null ? snippet : textOfArticle(page.article)],
        { wanted: wantedAt(wanted, place), query, tenant },
        inTime,
      );
      return parts ?? {};
    } catch (error) {
      signal.throwIfAborted();
      if (!inTime.aborted && !(error instanceof Failure)) throw error;
      const { prunedPlaces: _, ...plain } = unscoredParts(snippet, wanted);
      return plain;
    }
  };
  return watch.stage('prune', () =>
    withinTime({ signal, ms: left }, (inTime) =>
      Promise.all(opened.map((one, place) => partsOf(one, place, inTime))),
    ),
  );
}

/** Whether the passages were scored for the search query. */
function isForTheQuery({ highlights }: ContentsWanted, query: string): boolean {
  return highlights !== null && (highlights.query === null || highlights.query === query);
}

function tokensOf(pages: (Page | null)[], contents: PageParts[], answer: string): SearchAnswer['tokens'] {
  let raw = 0;
  let output = Math.ceil(answer.length / CHARS_PER_TOKEN);
  for (const page of pages) raw += Math.ceil((page?.article.rawChars ?? 0) / CHARS_PER_TOKEN);
  for (const { text, highlights, prunedContext, summary } of contents) {
    for (const part of [text, prunedContext, summary, ...(highlights ?? [])])
      output += Math.ceil((part?.length ?? 0) / CHARS_PER_TOKEN);
  }
  return { raw, output };
}
