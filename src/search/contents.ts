import { createFetchFailure, Failure, type FetchReason } from '../contract/errors.ts';
import { PAGE_TIMEOUT_MS } from '../contract/limits.ts';
import {
  type CacheState,
  type Page,
  type ReadRoute,
  resolveReadRoute,
  toPageText,
} from '../pages/article.ts';
import type { Completeness } from '../pages/extract/completeness.ts';
import type { OpeningOptions, OpenPage } from '../pages/open-page-types.ts';
import { createDeadlineSignal } from '../platform/clock.ts';
import type { Tenant } from '../platform/fairness/fair-queue.ts';
import type { CheckUrl } from '../platform/net/fetch-types.ts';
import type { Reranker } from '../recall/rerank/reranker.ts';
import type { WantedParts } from '../text/prune/page-parts.ts';
import { type CitedParts, citeParts } from './cite-parts.ts';
import {
  computePagesMs,
  createLateness,
  isLate,
  type Lateness,
  type LatePart,
  listLateParts,
} from './late-parts.ts';
import { orderHighlights, requestCandidates } from './order-highlights.ts';
import { buildPageDetails, type DetailsOptions, NO_DETAILS, type PageDetails } from './pages/page-details.ts';
import { openSubpages, type Subpage, type SubpagesOptions } from './pages/subpages.ts';
import type { PruneWorker, TakenParts } from './prune-worker.ts';

export type ContentsRequest = {
  urls: string[];
  wanted: WantedParts;
  /** The links and pictures of each page to return; absent: none. */
  details?: DetailsOptions;
  /** Pages of the same sites that the pages link to. */
  subpages?: SubpagesOptions;
  /** Options of opening the pages; absent: the defaults. */
  opening?: OpeningOptions;
  /** Milliseconds after which pages that are not open count as failed. */
  openMs?: number;
  /** Reports each address that is not public in `statuses`; absent: one such address fails the call before anything is fetched. */
  eachAlone?: true;
  signal: AbortSignal;
  /** The tenant, for fair shares. */
  tenant?: Tenant;
  /** Whether the pages may be cached and shared with other callers; absent: yes. */
  keep?: boolean | undefined;
};

export type ContentsResult = CitedParts & {
  /** The URL as requested. */
  id: string;
  url: string;
  title: string;
  author: string | null;
  publishedDay: string | null;
  /** The route by which its text was obtained. */
  readRoute?: ReadRoute;
  completeness?: Completeness;
  details?: PageDetails;
  /** Absent unless requested. */
  subpages?: Subpage[];
  /** Its requested parts that are late; absent if there are none. */
  late?: LatePart[];
};

/** The outcome of one requested URL; statuses are in the order of the request. */
export type UrlStatus =
  | { ok: true; id: string; cache: CacheState }
  | { ok: false; id: string; reason: FetchReason; httpStatus: number | null; message: string };

/** `incomplete`: the late parts of pages that loaded; a page that is late itself is an entry of `statuses`. */
export type ContentsAnswer = {
  results: ContentsResult[];
  statuses: UrlStatus[];
  incomplete: LatePart[];
};

/** Summarizes how the cache served the pages that loaded: `stale` when any is an older copy, `hit` when none was fetched. */
export function summarizeCacheState(statuses: readonly UrlStatus[]): CacheState {
  const states = new Set(statuses.flatMap((status) => (status.ok ? [status.cache] : [])));
  if (states.has('stale')) return 'stale';
  return states.has('hit') && !states.has('miss') ? 'hit' : 'miss';
}

/**
 * Throws `Failure('url_not_allowed')` before anything is fetched when a URL is not public, or after a redirect of the only URL.
 */
export type Contents = (request: ContentsRequest) => Promise<ContentsAnswer>;

type LoadedPage = { id: string; page: Page; result: ContentsResult };
type FailedPage = { id: string; failure: Failure };

/** Maximum milliseconds for opening all pages of a call that sets no limit; less where its deadline is nearer. */
export const OPEN_MS_MAX = PAGE_TIMEOUT_MS + 2_000;

type ContentsDeps = {
  checkUrl: CheckUrl;
  openPage: OpenPage;
  prune: PruneWorker;
  /** A model that orders the highlights of the only page of a call; null leaves them. */
  reranker: Reranker | null;
};

/**
 * Creates the operation: URLs -> their pages with the requested parts. A URL that fails or is late becomes an entry of `statuses`; the
 * others continue.
 */
export function createContents(parts: ContentsDeps): Contents {
  return async (request) => {
    const { urls, openMs = OPEN_MS_MAX, eachAlone, signal } = request;
    // Opening a page checks its address again.
    if (!eachAlone) for (const url of urls) parts.checkUrl(url);
    const opening = createDeadlineSignal(Math.min(openMs, computePagesMs(signal)), signal);
    const pages = await Promise.all(urls.map((url) => loadPage(parts, url, { request, opening })));
    const [only] = pages;
    if (
      urls.length === 1 &&
      only !== undefined &&
      'failure' in only &&
      only.failure.code === 'url_not_allowed'
    )
      throw only.failure;
    const lateness = createLateness();
    const subpages = await loadSubpages(parts, pages, { request, opening, lateness });
    const incomplete: LatePart[] = listLateParts(lateness).length === 0 ? [] : ['subpages'];
    const results = pages.flatMap((one, place) =>
      'result' in one ? [{ ...one.result, ...buildSubpagesField(subpages?.[place]) }] : [],
    );
    for (const { late = [] } of results) incomplete.push(...late);
    return { results, statuses: pages.map(toUrlStatus), incomplete: [...new Set(incomplete)] };
  };
}

const buildSubpagesField = (subpages: Subpage[] | undefined): Pick<ContentsResult, 'subpages'> =>
  subpages === undefined ? {} : { subpages };

/** Loads the subpages of each page; null unless requested. */
async function loadSubpages(
  { openPage, prune }: ContentsDeps,
  pages: readonly (LoadedPage | FailedPage)[],
  { request, opening, lateness }: { request: ContentsRequest; opening: AbortSignal; lateness: Lateness },
): Promise<Subpage[][] | null> {
  const { subpages, details = NO_DETAILS, wanted, signal, tenant, keep } = request;
  if (subpages === undefined) return null;
  const openOrNull = async (url: string): Promise<Page | null> => {
    try {
      return await openPage(url, { ...request.opening, signal: opening, tenant, keep });
    } catch (error) {
      if (!(error instanceof Failure) || signal.aborted) throw error;
      if (isLate(error)) lateness.urls.add(url);
      return null;
    }
  };
  return openSubpages(
    prune,
    pages.map((one) => ('page' in one ? one.page : null)),
    {
      subpages,
      wanted,
      details,
      query: null,
      signal,
      tenant,
      lateness,
      open: (urls) => Promise.all(urls.map(openOrNull)),
    },
  );
}

/** Prunes each page as soon as it is open, so that a late page delays no other. */
async function loadPage(
  { openPage, prune, reranker }: ContentsDeps,
  id: string,
  { request, opening }: { request: ContentsRequest; opening: AbortSignal },
): Promise<LoadedPage | FailedPage> {
  const { urls, signal, tenant, keep } = request;
  const { highlights } = request.wanted;
  const wanted = requestCandidates(request.wanted, reranker);
  try {
    const page = await openPage(id, { ...request.opening, signal: opening, tenant, keep });
    const [taken] = await prune([toPageText(page.article)], { wanted, query: null, tenant }, signal);
    const result = await orderHighlights(buildContentsResult(id, page, { taken: taken ?? {}, request }), {
      highlights,
      query: urls.length === 1 ? (highlights?.query ?? null) : null,
      reranker,
    });
    return { id, page, result };
  } catch (error) {
    const failure = signal.aborted ? createTimeoutFailure(error) : error;
    if (failure instanceof Failure && failure.code !== 'internal') return { id, failure };
    throw error;
  }
}

const createTimeoutFailure = (cause: unknown): Failure =>
  createFetchFailure('timeout', 'the page was not ready in time', { cause });

function buildContentsResult(
  id: string,
  { article }: Page,
  { taken, request }: { taken: TakenParts; request: Pick<ContentsRequest, 'details'> },
): ContentsResult {
  const { url, title, author, published } = article;
  const { late, ...parts } = taken;
  return {
    id,
    url,
    title,
    author,
    publishedDay: published?.day ?? null,
    readRoute: resolveReadRoute(article),
    ...(article.completeness === undefined ? {} : { completeness: article.completeness }),
    ...citeParts(parts, article),
    details: buildPageDetails(article, request.details ?? NO_DETAILS),
    ...(late === undefined ? {} : { late }),
  };
}

function toUrlStatus(one: LoadedPage | FailedPage): UrlStatus {
  if ('page' in one) return { ok: true, id: one.id, cache: one.page.cache };
  const { fetch, code, message } = one.failure;
  const reason = fetch?.reason ?? (code === 'overloaded' ? 'overloaded' : 'not_allowed');
  return { ok: false, id: one.id, reason, httpStatus: fetch?.httpStatus ?? null, message };
}
