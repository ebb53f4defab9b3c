import { Failure } from '../contract/errors.ts';
import { resolveOwnAddress } from '../index/own-address.ts';
import type { Page } from '../pages/article.ts';
import type { OpenPage } from '../pages/open-page-types.ts';
import type { Clock } from '../platform/clock.ts';
import { toUtcDay } from '../platform/utc.ts';
import type { SourceList } from '../recall/fusion/fuse.ts';
import { orderByPassages, rerankByPassages } from '../recall/fusion/mix-scores.ts';
import type { RecallAll, RecallQuery, RecallResult } from '../recall/recall.ts';
import { type Reranker, rerankResults } from '../recall/rerank/reranker.ts';
import { createFilterCheck, pickFilters } from '../text/query/filters.ts';
import { type Query, readQuery } from '../text/query/read-query.ts';
import { toCanonicalUrl } from '../text/urls/url-spelling.ts';
import { toNfkc } from '../text/words/compatible.ts';
import { toPlainPage } from '../text/words/plain-page.ts';
import { addContents, type Reorder } from './add-contents.ts';
import {
  type Choice,
  type Chosen,
  chooseResults,
  isLocalIndexAlone,
  joinChoices,
  preferDomains,
} from './choosing/choose-results.ts';
import { incompleteOf, type Lateness, msForPages, noLateness } from './late-parts.ts';
import { openInTime } from './open-in-time.ts';
import type { PruneWorker } from './prune-worker.ts';
import type { QuoteWorker } from './quote-worker.ts';
import type { SearchCache } from './search-cache.ts';
import type { SearchAnswer, SearchRequest, TextFilter } from './search-types.ts';
import { type Stopwatch, startStopwatch } from './stopwatch.ts';

/** Whether every source answered. */
const isWhole = ({ reports }: RecallResult): boolean => Object.values(reports).every(({ ok }) => ok);

/** Pages opened beyond the number of results, because some of them fail the filter. */
const SPARE_PAGES = 10;

/** What of a page is looked at. */
const PAGE_CHARS_MAX = 300_000;

const even = (text: string): string => toNfkc(text).toLowerCase().replace(/\s+/g, ' ').trim();

const OPENED_MAX = 10;

/** Throws `Failure('recall_unavailable')` when no source answers and no cached results fit. */
export type Search = (request: SearchRequest) => Promise<SearchAnswer>;

/** Requested in addition, because filters drop candidates and addresses of one page are merged. */
const SPARE_CANDIDATES = 10;
const CANDIDATES_MIN = 20;
/** Sources are not asked again where less time than this is left for their answers and the pages. */
const AGAIN_MS_MIN = 4_000;

type SearchDeps = {
  recall: RecallAll;
  openPage: OpenPage;
  prune: PruneWorker;
  quote: QuoteWorker;
  cache: SearchCache;
  clock: Clock;
  /** A model that reranks the results; null if none is set up. */
  reranker: Reranker | null;
};

/** Query -> lists of all sources -> fused, ranked and filtered results -> with the requested parts of their pages. */
export function createSearch(parts: SearchDeps): Search {
  return async (request) => {
    const watch = startStopwatch();
    const lateness = noLateness();
    const query = readQuery(request.query);
    const place = await parts.cache.look(request);
    if (place.answer !== null) return { ...place.answer, cache: 'hit', timingsMs: watch.stop() };
    const today = toUtcDay(parts.clock.now());
    const { openPage, openedPrivate, read } = watchOpened(parts.openPage);
    const recalled = await watch.stage('recall', () => parts.recall(recallQuery(query, request)));
    if (recalled.isIndexLate) lateness.parts.add('results');
    const first = await watch.stage('rank', async () =>
      chooseResults(recalled.lists, request, { query, today }),
    );
    const { lists, ...further } = await withFurtherResults(parts, request, {
      ...recalled,
      query,
      chosen: first,
      watch,
      lateness,
    });
    const { chosen, mayBeKept } = await withAdditionalQueries(parts.recall, request, {
      found: further,
      today,
      recallQuery: recallQuery(query, request),
      lateness,
    });
    const dated = await datedResults(openPage, request, {
      chosen: fitting(chosen, request),
      watch,
      lateness,
    });
    const passing = await passTextFilter(openPage, request, { chosen: dated, watch, lateness });
    const withContents = await addContents({ ...parts, openPage }, request, {
      chosen: await reranked(parts.reranker, request, { best: passing.passing, watch, lateness }),
      reorder: reorderOf(lists, parts.reranker),
      watch,
      lateness,
    });
    const answer: SearchAnswer = {
      ...withContents,
      cache: recalled.cache,
      timingsMs: watch.stop(),
      sources: recalled.reports,
      filters: passing.filters,
      incomplete: incompleteOf(lateness),
    };
    const isComplete = answer.incomplete.length === 0;
    if (isComplete && mayBeKept && request.keep !== false && !openedPrivate()) place.keep(answer, read);
    return answer;
  };
}

/** The results of the wanted file type, with the preferred domains ranked higher. */
function fitting({ passing, undated, filters }: Chosen, request: SearchRequest): Chosen {
  const { preferredDomains = [], fileType } = request;
  const isWanted = ({ url }: Choice): boolean =>
    fileType === undefined || (URL.parse(url)?.pathname.toLowerCase().endsWith(`.${fileType}`) ?? false);
  const wanted = passing.filter(isWanted);
  return {
    passing: preferredDomains.length === 0 ? wanted : preferDomains(wanted, preferredDomains),
    undated: undated.filter(isWanted),
    filters,
  };
}

/**
 * Wraps `OpenPage` for one answer. Once a private page was opened for it, it must not be cached. `read`: the pages that were opened, and
 * when they were fetched; they enter the index because of the answer, which does not make it out of date.
 */
function watchOpened(openPage: OpenPage): {
  openPage: OpenPage;
  openedPrivate(): boolean;
  read: ReadonlyMap<string, number>;
} {
  let openedPrivate = false;
  const read = new Map<string, number>();
  return {
    openedPrivate: () => openedPrivate,
    read,
    async openPage(url, options) {
      const page = await openPage(url, options);
      openedPrivate ||= page.privacy !== null;
      read.set(resolveOwnAddress(page.article), page.fetchedAt);
      return page;
    },
  };
}

/** The requested number of results; where there is a model, it chooses them from the first that it judges. */
async function reranked(
  reranker: Reranker | null,
  { query, numResults }: SearchRequest,
  { best, watch, lateness }: { best: Choice[]; watch: Stopwatch; lateness: Lateness },
): Promise<Choice[]> {
  if (reranker === null || best.length === 0) return best.slice(0, numResults);
  const ordered = await watch.stage('rerank', () => rerankResults(best, query, reranker));
  if (ordered === null) lateness.parts.add('ranking');
  return (ordered ?? best).slice(0, numResults);
}

/** How passages change the order. A model's scores are no relevances, so where it has ordered results of the index they stay. */
function reorderOf(lists: readonly SourceList[], reranker: Reranker | null): Reorder | null {
  if (!isLocalIndexAlone(lists)) return rerankByPassages;
  return reranker === null ? orderByPassages : null;
}

function recallQuery(query: Query, request: SearchRequest): RecallQuery {
  const limit = Math.max(CANDIDATES_MIN, request.numResults + SPARE_CANDIDATES);
  return {
    query,
    limit,
    ...pickFilters(request),
    topic: request.topic,
    fileType: request.fileType,
    signal: request.signal,
    tenant: request.tenant,
    keep: request.keep,
  };
}

type Found = { lists: SourceList[]; chosen: Chosen; mayBeKept: boolean };

/** Asks the upstream sources once for further results when the filters leave too few. */
async function withFurtherResults(
  { recall, clock }: SearchDeps,
  request: SearchRequest,
  {
    query,
    lists,
    chosen,
    mayBeKept,
    watch,
    lateness,
  }: Found & { query: Query; watch: Stopwatch; lateness: Lateness },
): Promise<Found> {
  const isFiltered = Object.values(chosen.filters).some(({ removed }) => removed > 0);
  const isFew = chosen.passing.length < request.numResults;
  if (!isFiltered || !isFew || isLocalIndexAlone(lists)) return { lists, chosen, mayBeKept };
  if (msForPages(request.signal) < AGAIN_MS_MIN) {
    lateness.parts.add('results');
    return { lists, chosen, mayBeKept };
  }
  const more = await watch.stage('recallAgain', () => recall(recallQuery(query, request), 1));
  const joined = joinLists(lists, more.lists);
  return {
    lists: joined,
    chosen: chooseResults(joined, request, { query, today: toUtcDay(clock.now()) }),
    mayBeKept: mayBeKept && more.mayBeKept && isWhole(more),
  };
}

/** Appends the further results of each source to its first ones. */
function joinLists(first: readonly SourceList[], next: readonly SourceList[]): SourceList[] {
  const known = new Map(first.map((list) => [list.source, list]));
  for (const list of next) {
    const before = known.get(list.source);
    known.set(
      list.source,
      before === undefined ? list : { ...before, items: [...before.items, ...list.items] },
    );
  }
  return [...known.values()];
}

/**
 * When a date filter leaves too few results, opens pages that the sources gave no date for, and adds those whose own date passes.
 * Does nothing without a date filter.
 */
async function datedResults(
  openPage: OpenPage,
  request: SearchRequest,
  { chosen, watch, lateness }: { chosen: Chosen; watch: Stopwatch; lateness: Lateness },
): Promise<Chosen> {
  const missing = request.numResults - chosen.passing.length;
  const candidates = chosen.undated.slice(0, Math.min(OPENED_MAX, 2 * missing));
  const { publishedDate } = chosen.filters;
  if (missing <= 0 || candidates.length === 0 || publishedDate === undefined) return chosen;
  const pages = await watch.stage('dates', () =>
    openInTime(
      openPage,
      candidates.map(({ url }) => url),
      { signal: request.signal, tenant: request.tenant, keep: request.keep, lateness },
    ),
  );
  const failed = createFilterCheck(request);
  const found = candidates
    .map(
      (choice, place): Choice => ({ ...choice, publishedDay: pages[place]?.article.published?.day ?? null }),
    )
    .filter((choice) => failed(choice) === null);
  return {
    passing: joinChoices(chosen.passing, found),
    undated: chosen.undated,
    filters: {
      ...chosen.filters,
      publishedDate: { removed: publishedDate.removed - found.length, opened: candidates.length },
    },
  };
}

/** Drops results whose pages fail the text filter; a page that does not open is judged by its title and snippet. */
export async function passTextFilter(
  openPage: OpenPage,
  request: SearchRequest,
  { chosen, watch, lateness }: { chosen: Chosen; watch: Stopwatch; lateness: Lateness },
): Promise<Chosen> {
  const filter = request.pageText;
  if (filter === undefined) return chosen;
  const candidates = chosen.passing.slice(0, request.numResults + SPARE_PAGES);
  const { signal, tenant, keep, opening } = request;
  const pages = await watch.stage('texts', () =>
    openInTime(
      openPage,
      candidates.map(({ url }) => url),
      { signal, tenant, keep, lateness, ...(opening === undefined ? {} : { opening }) },
    ),
  );
  const failed = candidates.map((choice, place) => failedText(textOf(choice, pages[place] ?? null), filter));
  const opened = pages.filter((page) => page !== null).length;
  const reportOf = (name: keyof TextFilter): { removed: number; opened: number } => ({
    removed: failed.filter((one) => one === name).length,
    opened,
  });
  return {
    passing: candidates.filter((_, place) => failed[place] === null),
    undated: chosen.undated,
    filters: {
      ...chosen.filters,
      ...(filter.include.length === 0 ? {} : { includeText: reportOf('include') }),
      ...(filter.exclude.length === 0 ? {} : { excludeText: reportOf('exclude') }),
    },
  };
}

function failedText(text: string, { include, exclude }: TextFilter): keyof TextFilter | null {
  if (!include.every((wanted) => text.includes(even(wanted)))) return 'include';
  return exclude.some((unwanted) => text.includes(even(unwanted))) ? 'exclude' : null;
}

function textOf({ title, snippet }: Choice, page: Page | null): string {
  if (page === null) return even(`${title}\n${snippet}`);
  return even(`${page.article.title}\n${toPlainPage(page.article.markdown.slice(0, PAGE_CHARS_MAX))}`);
}

type Widened = { chosen: Chosen; mayBeKept: boolean };

/**
 * Adds what the sources find for the additional queries of a request, each ranked for its own query. A query that no source answers
 * adds nothing, and one that not all sources answer in time less; the results are then incomplete.
 */
export async function withAdditionalQueries(
  recall: RecallAll,
  request: SearchRequest,
  {
    found,
    today,
    recallQuery,
    lateness,
  }: { found: Widened; today: string; recallQuery: RecallQuery; lateness: Lateness },
): Promise<Widened> {
  const queries = request.additionalQueries ?? [];
  if (queries.length === 0) return found;
  const recalled = await Promise.all(
    queries.map((text) => recallOrNull(recall, { ...recallQuery, query: readQuery(text) })),
  );
  if (recalled.some((result) => result === null || result.isIndexLate)) lateness.parts.add('results');
  const more = recalled.flatMap((result, place) => {
    const query = readQuery(queries[place] ?? '');
    return result === null ? [] : chooseResults(result.lists, request, { query, today }).passing;
  });
  return {
    chosen: { ...found.chosen, passing: joinChoices(distinct([...found.chosen.passing, ...more]), []) },
    mayBeKept: found.mayBeKept && recalled.every((result) => result?.mayBeKept === true && isWhole(result)),
  };
}

async function recallOrNull(recall: RecallAll, query: RecallQuery): Promise<RecallResult | null> {
  try {
    return await recall(query);
  } catch (error) {
    if (error instanceof Failure && !query.signal.aborted) return null;
    throw error;
  }
}

/** Each page once, with its best score. */
function distinct(choices: readonly Choice[]): Choice[] {
  const best = new Map<string, Choice>();
  for (const choice of choices) {
    const page = toCanonicalUrl(choice.url);
    if (choice.score > (best.get(page)?.score ?? -1)) best.set(page, choice);
  }
  return [...best.values()];
}
