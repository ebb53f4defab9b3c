/**
 * The search: recall from all sources, ranking, filters, and the requested parts of the best pages. It promises an answer before the
 * deadline, with late parts named in `incomplete`, and caches only complete answers without private pages. It does not parse requests,
 * charge callers or word responses.
 */
import { Failure } from '../contract/errors.ts';
import { resolveOwnAddress } from '../index/own-address.ts';
import type { Page } from '../pages/article.ts';
import type { OpenPage } from '../pages/open-page-types.ts';
import { type Clock, toUtcDay } from '../platform/clock.ts';
import type { SourceList } from '../recall/fusion/fuse.ts';
import { orderByPassages, rerankByPassages } from '../recall/fusion/mix-scores.ts';
import type { RecallAll, RecallQuery, RecallResult } from '../recall/recall.ts';
import { type Reranker, rerankResults } from '../recall/rerank/reranker.ts';
import { toPlainPage } from '../text/markup/visible-text.ts';
import { createFilterCheck, pickFilters } from '../text/query/filters.ts';
import { type Query, readQuery } from '../text/query/read-query.ts';
import { toCanonicalUrl } from '../text/urls/url-spelling.ts';
import { toNfkc } from '../text/words/compatible.ts';
import { addContents, openInTime, type Reorder } from './add-contents.ts';
import {
  type Choice,
  type ChosenResults,
  chooseResults,
  isLocalIndexAlone,
  joinChoices,
  preferDomains,
} from './choosing/choose-results.ts';
import { computePagesMs, createLateness, type Lateness, listLateParts } from './late-parts.ts';
import type { PruneWorker } from './prune-worker.ts';
import type { QuoteWorker } from './quote-worker.ts';
import type { SearchCache } from './search-cache.ts';
import type { SearchAnswer, SearchRequest, TextFilter } from './search-types.ts';
import { type Stopwatch, startStopwatch } from './stopwatch.ts';

/** Checks whether every source answered. */
const isWhole = ({ reports }: RecallResult): boolean => Object.values(reports).every(({ ok }) => ok);

/** Extra pages opened, because some of them fail the filter. */
const SPARE_PAGES = 10;

/** Maximum characters of a page that the text filter checks. */
const PAGE_CHARS_MAX = 300_000;

const normalizeText = (text: string): string => toNfkc(text).toLowerCase().replace(/\s+/g, ' ').trim();

const OPENED_MAX = 10;

/** Throws `Failure('recall_unavailable')` when no source answers and no cached results fit. */
export type Search = (request: SearchRequest) => Promise<SearchAnswer>;

/** Extra candidates requested, because filters drop some and addresses of one page are merged. */
const SPARE_CANDIDATES = 10;
const CANDIDATES_MIN = 20;
/** With less time than this left, for answers of the sources and the pages, the sources are not asked again. */
const AGAIN_MS_MIN = 4_000;

type SearchDeps = {
  recall: RecallAll;
  openPage: OpenPage;
  /** Opens pages of libraries, from the index alone: their addresses may serve another version. */
  openHeld: OpenPage;
  /** Opens pages as they were known at an instant, and asks nobody for them. */
  openAsOf: OpenPage;
  prune: PruneWorker;
  quote: QuoteWorker;
  cache: SearchCache;
  clock: Clock;
  /** A model that reranks the results; null if none is configured. */
  reranker: Reranker | null;
};

/** Creates the search: query -> lists of all sources -> fused, ranked and filtered results -> with the requested parts of their pages. */
export function createSearch(parts: SearchDeps): Search {
  return async (request) => {
    const watch = startStopwatch();
    const place = await parts.cache.look(request);
    if (place.answer !== null) return { ...place.answer, cache: 'hit', timingsMs: watch.stop() };
    const lateness = createLateness();
    const query = readQuery(request.query);
    const today = toUtcDay(parts.clock.now());
    const { openPage, openedPrivate, read } = watchOpened(chooseOpener(parts, request));
    const recalled = await watch.stage('recall', () => parts.recall(buildRecallQuery(query, request)));
    if (recalled.isIndexLate) lateness.parts.add('results');
    const first = await watch.stage('rank', async () =>
      chooseResults(recalled.lists, request, { query, today }),
    );
    const { lists, ...further } = await addFurtherResults(parts, request, {
      ...recalled,
      query,
      chosen: first,
      watch,
      lateness,
    });
    const { chosen, mayBeKept } = await addAdditionalQueries(parts.recall, request, {
      found: further,
      today,
      recallQuery: buildRecallQuery(query, request),
      lateness,
    });
    const dated = await addDatedResults(openPage, request, {
      chosen: applyPreferences(chosen, request),
      watch,
      lateness,
    });
    const known = await passAsOf(openPage, request, { chosen: dated, watch, lateness });
    const passing = await passTextFilter(openPage, request, { chosen: known, watch, lateness });
    const withContents = await addContents({ ...parts, openPage }, request, {
      chosen: await rerankBest(parts.reranker, request, { best: passing.passing, watch, lateness }),
      reorder: chooseReorder(lists, parts.reranker),
      watch,
      lateness,
    });
    const answer: SearchAnswer = {
      ...withContents,
      cache: recalled.cache,
      timingsMs: watch.stop(),
      sources: recalled.reports,
      filters: passing.filters,
      incomplete: listLateParts(lateness),
    };
    const isComplete = answer.incomplete.length === 0;
    if (isComplete && mayBeKept && request.keep !== false && !openedPrivate()) place.keep(answer, read);
    return answer;
  };
}

/** Chooses how the pages of a search are opened. */
function chooseOpener(parts: SearchDeps, { asOf, library }: SearchRequest): OpenPage {
  if (asOf !== undefined) return (url, options) => parts.openAsOf(url, { ...options, at: asOf });
  return library === undefined ? parts.openPage : parts.openHeld;
}

/** Keeps the results of the requested file type, and ranks the preferred domains higher. */
function applyPreferences(
  { passing, undated, filters }: ChosenResults,
  request: SearchRequest,
): ChosenResults {
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
 * Wraps `OpenPage` for one answer, to record what it opens. An answer for which a private page was opened must not be cached. `read`: the
 * opened pages and when they were fetched; they enter the index because of the answer, which does not make it out of date.
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

/** Returns the requested number of results; a model, if there is one, chooses them from the first that it judges. */
async function rerankBest(
  reranker: Reranker | null,
  { query, numResults }: SearchRequest,
  { best, watch, lateness }: { best: Choice[]; watch: Stopwatch; lateness: Lateness },
): Promise<Choice[]> {
  if (reranker === null || best.length === 0) return best.slice(0, numResults);
  const ordered = await watch.stage('rerank', () => rerankResults(best, query, reranker));
  if (ordered === null) lateness.parts.add('ranking');
  return (ordered ?? best).slice(0, numResults);
}

/**
 * Chooses how passages change the order. A model's scores are not relevances, so results of the index that it has ordered keep its order.
 */
function chooseReorder(lists: readonly SourceList[], reranker: Reranker | null): Reorder | null {
  if (!isLocalIndexAlone(lists)) return rerankByPassages;
  return reranker === null ? orderByPassages : null;
}

function buildRecallQuery(query: Query, request: SearchRequest): RecallQuery {
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
    ...(request.via === undefined ? {} : { via: request.via }),
  };
}

type RecalledChoices = { lists: SourceList[]; chosen: ChosenResults; mayBeKept: boolean };

/** Asks the upstream sources once for further results when the filters leave too few. */
async function addFurtherResults(
  { recall, clock }: SearchDeps,
  request: SearchRequest,
  {
    query,
    lists,
    chosen,
    mayBeKept,
    watch,
    lateness,
  }: RecalledChoices & { query: Query; watch: Stopwatch; lateness: Lateness },
): Promise<RecalledChoices> {
  const isFiltered = Object.values(chosen.filters).some(({ removed }) => removed > 0);
  const isFew = chosen.passing.length < request.numResults;
  if (!isFiltered || !isFew || isLocalIndexAlone(lists)) return { lists, chosen, mayBeKept };
  if (computePagesMs(request.signal) < AGAIN_MS_MIN) {
    lateness.parts.add('results');
    return { lists, chosen, mayBeKept };
  }
  const more = await watch.stage('recallAgain', () => recall(buildRecallQuery(query, request), 1));
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
 * When a date filter leaves too few results, opens pages without a date from the sources, and adds those whose own date passes. Does
 * nothing without a date filter.
 */
async function addDatedResults(
  openPage: OpenPage,
  request: SearchRequest,
  { chosen, watch, lateness }: { chosen: ChosenResults; watch: Stopwatch; lateness: Lateness },
): Promise<ChosenResults> {
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

/** Drops results of whose pages nothing was known at the instant of the request, and gives the others the title they had. */
async function passAsOf(
  openPage: OpenPage,
  { numResults, signal, tenant, keep, asOf }: SearchRequest,
  { chosen, watch, lateness }: { chosen: ChosenResults; watch: Stopwatch; lateness: Lateness },
): Promise<ChosenResults> {
  if (asOf === undefined) return chosen;
  const candidates = chosen.passing.slice(0, numResults + SPARE_PAGES);
  const pages = await watch.stage('asOf', () =>
    openInTime(
      openPage,
      candidates.map(({ url }) => url),
      { signal, tenant, keep, lateness },
    ),
  );
  const passing = candidates.flatMap((choice, place): Choice[] => {
    const page = pages[place] ?? null;
    return page === null ? [] : [{ ...choice, title: page.article.title }];
  });
  const report = { removed: candidates.length - passing.length, opened: passing.length };
  return { passing, undated: [], filters: { ...chosen.filters, asOf: report } };
}

/** Drops results whose pages fail the text filter; a page that does not open is judged by its title and snippet. */
export async function passTextFilter(
  openPage: OpenPage,
  request: SearchRequest,
  { chosen, watch, lateness }: { chosen: ChosenResults; watch: Stopwatch; lateness: Lateness },
): Promise<ChosenResults> {
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
  const failed = candidates.map((choice, place) =>
    findFailedText(buildMatchText(choice, pages[place] ?? null), filter),
  );
  const opened = pages.filter((page) => page !== null).length;
  const buildFilterReport = (name: keyof TextFilter): { removed: number; opened: number } => ({
    removed: failed.filter((one) => one === name).length,
    opened,
  });
  return {
    passing: candidates.filter((_, place) => failed[place] === null),
    undated: chosen.undated,
    filters: {
      ...chosen.filters,
      ...(filter.include.length === 0 ? {} : { includeText: buildFilterReport('include') }),
      ...(filter.exclude.length === 0 ? {} : { excludeText: buildFilterReport('exclude') }),
    },
  };
}

function findFailedText(text: string, { include, exclude }: TextFilter): keyof TextFilter | null {
  if (!include.every((wanted) => text.includes(normalizeText(wanted)))) return 'include';
  return exclude.some((unwanted) => text.includes(normalizeText(unwanted))) ? 'exclude' : null;
}

function buildMatchText({ title, snippet }: Choice, page: Page | null): string {
  if (page === null) return normalizeText(`${title}\n${snippet}`);
  return normalizeText(
    `${page.article.title}\n${toPlainPage(page.article.markdown.slice(0, PAGE_CHARS_MAX))}`,
  );
}

type ChoiceOutcome = { chosen: ChosenResults; mayBeKept: boolean };

/**
 * Adds the results of the request's additional queries, each ranked for its own query. A query that no source answers adds nothing, and
 * one that not all sources answer in time adds less; the results are then incomplete.
 */
export async function addAdditionalQueries(
  recall: RecallAll,
  request: SearchRequest,
  {
    found,
    today,
    recallQuery,
    lateness,
  }: { found: ChoiceOutcome; today: string; recallQuery: RecallQuery; lateness: Lateness },
): Promise<ChoiceOutcome> {
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
    chosen: { ...found.chosen, passing: joinChoices(dedupeChoices([...found.chosen.passing, ...more]), []) },
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

/** Keeps each page once, with its best score. */
function dedupeChoices(choices: readonly Choice[]): Choice[] {
  const best = new Map<string, Choice>();
  for (const choice of choices) {
    const page = toCanonicalUrl(choice.url);
    if (choice.score > (best.get(page)?.score ?? -1)) best.set(page, choice);
  }
  return [...best.values()];
}
