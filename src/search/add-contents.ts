import { Failure } from '../contract/errors.ts';
import { CHARS_PER_TOKEN } from '../contract/limits.ts';
import { type Page, toPageText } from '../pages/article.ts';
import type { OpeningOptions, OpenOptions, OpenPage } from '../pages/open-page-types.ts';
import { runWithTimeout } from '../platform/clock.ts';
import { putWeakLast, type rerankByPassages } from '../recall/fusion/mix-scores.ts';
import type { Reranker } from '../recall/rerank/reranker.ts';
import type { PageParts, WantedParts } from '../text/prune/page-parts.ts';
import type { Choice } from './choosing/choose-results.ts';
import { citeParts } from './cite-parts.ts';
import { computePagesMs, createLateness, isLate, type Lateness, listLateParts } from './late-parts.ts';
import { orderHighlights, requestCandidates } from './order-highlights.ts';
import { buildPageDetails, NO_DETAILS } from './pages/page-details.ts';
import { openSubpages, type Subpage } from './pages/subpages.ts';
import type { PruneWorker, TakenParts } from './prune-worker.ts';
import { ANSWER_PAGES, quoteFromResults } from './quote-from-results.ts';
import type { QuoteWorker } from './quote-worker.ts';
import type { SearchAnswer, SearchRequest, SearchResult } from './search-types.ts';
import type { Stopwatch } from './stopwatch.ts';

/** Scores are shown with four decimals, and a score that is shown as `minScore` passes. */
const ROUNDED = 0.000_05;

/** Orders results by the passages of their pages; `opened`: which pages were opened. */
export type Reorder = typeof rerankByPassages;

type AddContentsOptions = {
  chosen: Choice[];
  /** Reorders the results by the passages of their pages; null: the order stays. */
  reorder: Reorder | null;
  watch: Stopwatch;
  lateness: Lateness;
};

type AddContentsDeps = {
  openPage: OpenPage;
  prune: PruneWorker;
  /** Null if this operation never quotes an answer. */
  quote: QuoteWorker | null;
  /** A model that orders the highlights of the first page; null leaves them. */
  reranker: Reranker | null;
};

/**
 * Adds the requested parts of their pages to the chosen results, and a quoted answer if requested. Opens all pages at once; a page that
 * fails or is late is replaced by the source's passage. `lateness` records what there was no time for.
 */
export async function addContents(
  parts: AddContentsDeps,
  request: SearchRequest,
  { chosen, reorder, watch, lateness }: AddContentsOptions,
): Promise<Pick<SearchAnswer, 'results' | 'tokens' | 'answer'>> {
  const wanted = request.contents;
  const quote = request.answer ? parts.quote : null;
  const toOpen = wanted !== null ? chosen : quote !== null ? chosen.slice(0, ANSWER_PAGES) : [];
  const none = quote === null ? {} : { answer: null };
  const { minScore = 0 } = request;
  const filterLikely = (results: SearchResult[]): SearchResult[] =>
    results.filter(({ score }) => score + ROUNDED >= minScore);
  if (toOpen.length === 0)
    return { results: filterLikely(chosen.map(toBareResult)), tokens: { raw: 0, output: 0 }, ...none };
  const urls = toOpen.map(({ url }) => url);
  const open = createOpener(parts.openPage, request, lateness);
  const pages = await watch.stage('open', () => open(urls));
  const opened = toOpen.map((choice, place) => ({ choice, page: pages[place] ?? null }));
  const [contents, answer, subpages] = await Promise.all([
    wanted === null
      ? []
      : prunePages(parts.prune, opened, {
          wanted: requestCandidates(wanted, parts.reranker),
          request,
          watch,
        }),
    quote === null ? null : quoteFromResults(quote, opened, { ...request, watch, lateness }),
    wanted === null
      ? []
      : loadSubpages(parts.prune, pages, { request, wanted, watch, lateness, openPage: parts.openPage }),
  ]);
  for (const { late = [] } of contents) for (const part of late) lateness.parts.add(part);
  const results = chosen.map(
    (choice, place): SearchResult => ({
      ...toBareResult(choice),
      publishedDay: choice.publishedDay ?? pages[place]?.article.published?.day ?? null,
      ...citeParts(fillHighlights(contents[place], choice), toCitablePage(choice, pages[place] ?? null)),
      ...describePage(pages[place] ?? null, request),
      ...(request.subpages === undefined ? {} : { subpages: subpages[place] ?? [] }),
    }),
  );
  const ordered =
    reorder !== null && wanted !== null && isForQuery(wanted, request.query)
      ? putWeakLast(reorder(results, flagScored(pages, contents)))
      : results;
  const likely = await watch.stage('highlights', () =>
    orderFirstHighlights(filterLikely(ordered), request, parts.reranker),
  );
  return {
    results: likely,
    tokens: sumTokens(pages, contents, answer?.text ?? ''),
    ...(quote === null ? {} : { answer }),
  };
}

/** Orders the highlights of the first page, the only one that there is time to read, and cuts all to the requested number. */
function orderFirstHighlights(
  results: SearchResult[],
  { contents, query }: SearchRequest,
  reranker: Reranker | null,
): Promise<SearchResult[]> {
  const highlights = contents?.highlights ?? null;
  return Promise.all(
    results.map((result, place) =>
      orderHighlights(result, {
        highlights,
        query: place === 0 ? (highlights?.query ?? query) : null,
        reranker,
      }),
    ),
  );
}

type OpenAll = (urls: string[]) => Promise<(Page | null)[]>;

/** Creates a function that opens pages for one search, with null for each that fails or is late. */
function createOpener(
  openPage: OpenPage,
  { signal, tenant, keep, opening }: SearchRequest,
  lateness: Lateness,
): OpenAll {
  const asked = { signal, tenant, keep, lateness, ...(opening === undefined ? {} : { opening }) };
  return (urls) => openInTime(openPage, urls, asked);
}

/** Loads the subpages of each page, if requested. If a subpage, or a part of one, is late, the part `subpages` is late. */
async function loadSubpages(
  prune: PruneWorker,
  pages: (Page | null)[],
  {
    request,
    wanted,
    openPage,
    watch,
    lateness,
  }: { request: SearchRequest; wanted: WantedParts; openPage: OpenPage } & Pick<
    AddContentsOptions,
    'watch' | 'lateness'
  >,
): Promise<Subpage[][]> {
  const { subpages, details, query, signal, tenant } = request;
  if (subpages === undefined) return [];
  const own = createLateness();
  const asked = {
    subpages,
    wanted,
    query,
    signal,
    tenant,
    open: createOpener(openPage, request, own),
    lateness: own,
  };
  const opened = await watch.stage('subpages', () =>
    openSubpages(prune, pages, details === undefined ? asked : { ...asked, details }),
  );
  if (listLateParts(own).length > 0) lateness.parts.add('subpages');
  return opened;
}

const toBareResult = ({
  url,
  title,
  score,
  publishedDay,
  isWeak,
  declared,
  origin,
  library,
}: Choice): SearchResult => ({
  url,
  title,
  score,
  publishedDay,
  ...(isWeak === true ? { isWeak } : {}),
  ...(declared === undefined ? {} : { declared }),
  ...(origin === undefined ? {} : { origin }),
  ...(library === undefined ? {} : { library }),
});

/** Returns the author and the details of an opened page. */
const describePage = (
  page: Page | null,
  { details = NO_DETAILS }: SearchRequest,
): Pick<SearchResult, 'author' | 'details'> =>
  page === null ? {} : { author: page.article.author, details: buildPageDetails(page.article, details) };

/** Returns the page's text under the address of the result, which citations link to. */
const toCitablePage = ({ url }: Choice, page: Page | null): { url: string; markdown: string } | null =>
  page === null ? null : { url, markdown: page.article.markdown };

/** Marks the pages that were opened and had their passages scored. */
const flagScored = (pages: (Page | null)[], contents: TakenParts[]): boolean[] =>
  pages.map((page, place) => page !== null && !(contents[place]?.late ?? []).includes('highlights'));

/** Returns the parts of a page; where its highlights are late, the passage of its source replaces them. */
function fillHighlights({ late = [], ...parts }: TakenParts = {}, { snippet }: Choice): PageParts {
  if (!late.includes('highlights') || snippet === '') return parts;
  return { ...parts, highlights: [snippet], highlightScores: [0] };
}

/** Length of the pruned context by rank, as shares of the usual amount: the first pages are most likely to answer. */
const PRUNED_SHARES = [1, 0.7];
const LEAST_PRUNED_SHARE = 0.5;

function adjustWanted(wanted: WantedParts, place: number): WantedParts {
  if (wanted.pruned === null) return wanted;
  return { ...wanted, pruned: { ...wanted.pruned, share: PRUNED_SHARES[place] ?? LEAST_PRUNED_SHARE } };
}

/** Takes the requested parts of each page, or of its source's snippet where it is not open. */
function prunePages(
  prune: PruneWorker,
  opened: { choice: Choice; page: Page | null }[],
  { wanted, request, watch }: { wanted: WantedParts; request: SearchRequest; watch: Stopwatch },
): Promise<TakenParts[]> {
  const { query, tenant, signal } = request;
  const takeParts = async (
    { choice, page }: { choice: Choice; page: Page | null },
    place: number,
  ): Promise<TakenParts> => {
    const text = page === null ? { markdown: choice.snippet, language: null } : toPageText(page.article);
    const [parts] = await prune([text], { wanted: adjustWanted(wanted, place), query, tenant }, signal);
    return parts ?? {};
  };
  return watch.stage('prune', () => Promise.all(opened.map(takeParts)));
}

/** Checks whether the passages were scored for the search query. */
function isForQuery({ highlights }: WantedParts, query: string): boolean {
  return highlights !== null && (highlights.query === null || highlights.query === query);
}

function sumTokens(pages: (Page | null)[], contents: PageParts[], answer: string): SearchAnswer['tokens'] {
  let raw = 0;
  let output = Math.ceil(answer.length / CHARS_PER_TOKEN);
  for (const page of pages) raw += Math.ceil((page?.article.rawChars ?? 0) / CHARS_PER_TOKEN);
  for (const { text, highlights, prunedContext, summary } of contents) {
    for (const part of [text, prunedContext, summary, ...(highlights ?? [])])
      output += Math.ceil((part?.length ?? 0) / CHARS_PER_TOKEN);
  }
  return { raw, output };
}

/** Default milliseconds for opening the pages of one search; less if the deadline of the search is near. */
const OPEN_MS = 3_000;

type OpenInTimeOptions = Pick<OpenOptions, 'signal' | 'tenant' | 'keep'> & {
  lateness: Lateness;
  opening?: OpeningOptions;
};

/** Opens pages concurrently; null for each page that fails or is late. Late pages are recorded in `lateness`. */
export function openInTime(
  openPage: OpenPage,
  urls: readonly string[],
  { signal, tenant, keep, lateness, opening = {} }: OpenInTimeOptions,
): Promise<(Page | null)[]> {
  const timeoutMs = Math.min(opening.timeoutMs ?? OPEN_MS, computePagesMs(signal));
  return runWithTimeout({ signal, ms: timeoutMs }, (inTime) =>
    Promise.all(
      urls.map((url) =>
        openOrNull(openPage, url, { ...opening, signal: inTime, tenant, keep, timeoutMs, lateness }),
      ),
    ),
  );
}

async function openOrNull(
  openPage: OpenPage,
  url: string,
  { lateness, ...options }: OpenOptions & { lateness: Lateness },
): Promise<Page | null> {
  try {
    return await openPage(url, options);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (isLate(error)) lateness.urls.add(url);
    return null;
  }
}
