import { createFetchFailure, Failure } from '../contract/errors.ts';
import { type Clock, steadyClock } from '../platform/clock.ts';
import type { Tenant } from '../platform/fairness/fair-queue.ts';
import type { Log } from '../platform/log.ts';
import type { FetchedResponse, GuardedFetch } from '../platform/net/fetch-types.ts';
import { parseRetryAfter } from '../platform/net/fetch-types.ts';
import type { FoundAlternate } from './alternates/choose-alternates.ts';
import type { Alternates } from './alternates/read-alternates.ts';
import type { Article, Page } from './article.ts';
import type { Pointers } from './extract/metadata/addresses.ts';
import { parseRobotsHeader } from './extract/metadata/robots-directives.ts';
import type { ExtractWorker } from './extract-worker.ts';
import type { OpeningOptions } from './open-page-types.ts';
import type { CachedPage, PageCache } from './page-cache.ts';
import { determinePrivacy } from './privacy/determine-privacy.ts';
import { type BrowserHosts, type BrowserTurn, renderFirst, renderInstead } from './rendering/by-browser.ts';
import type { RenderClient } from './rendering/render-client.ts';
import { rewriteUrl } from './rewrite-url.ts';

/** Statuses that may come with a block page; only the body shows it. */
const REFUSALS = new Set([401, 403, 429, 503]);
/** Temporary failures of an address rather than its site: an older copy may be served. */
const PASSING_STATUSES = new Set([408, 425, 429]);
const PASSING_REASONS = new Set([
  'timeout',
  'dns',
  'connect',
  'protocol',
  'too_many_redirects',
  'overloaded',
  'wall',
]);

/** Prefers Markdown, the format of articles, from sites that offer it. */
const ACCEPT =
  'text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, application/xml;q=0.8, text/*;q=0.7, application/json;q=0.7, */*;q=0.5';

type LoadDeps = {
  fetch: GuardedFetch;
  extract: Pick<ExtractWorker, 'extract'>;
  clock: Clock;
  cache: PageCache;
  log: Log;
  /** Looks for a page's text at alternate addresses; absent: only the page's own address is read. */
  alternates?: Alternates;
  rendering: Pick<RenderClient, 'render'> | null;
  hosts: BrowserHosts;
};

/** One page to load, with everything that the request and the cache say about it. */
export type LoadRequest = Omit<BrowserTurn, 'end'> & {
  asked: string;
  addresses: string[];
  key: string;
  cached: CachedPage | null;
  /** False where the address or the caller's headers grant access, and where a copy would lack requested extras. */
  readsCopies: boolean;
  headers: OpeningOptions['headers'] | undefined;
  /** False for pages that only their caller may see, and for requests that want extras. */
  looksElsewhere: boolean;
  keep: boolean;
  /** The token of the lease under which the page is loaded; absent: no lease is held. */
  token?: number | undefined;
  freshMs: number;
  mayBeStale: boolean;
  timeoutMs: number;
  tenant: Tenant;
};

/** The outcome of the page's own address: its article, or why there is none. */
type PlainLoad = {
  response: FetchedResponse;
  isFirst: boolean;
  isConfirmed: boolean;
  pointers?: Pointers;
  /** The metadata of a page that has no text. */
  about?: Article;
  /** True for an empty shell, which scripts fill. */
  isShell?: true;
} & ({ article: Article; extras?: Page['extras'] } | { failure: Failure });

/**
 * Fetches and reads a page, from an alternate address or with a browser where its own address has nothing or less, and caches it if
 * allowed.
 */
export async function loadPage(deps: LoadDeps, wanted: LoadRequest): Promise<Page> {
  const { asked, signal, tenant } = wanted;
  const alternates = wanted.looksElsewhere ? deps.alternates : undefined;
  const end = steadyClock.now() + wanted.timeoutMs;
  const buildTurn = () => ({ signal, tenant, timeoutMs: end - steadyClock.now() });
  const browser = { ...deps, read: (response: FetchedResponse) => readResponse(deps, response, wanted) };
  const before = await renderFirst(browser, { ...wanted, end });
  if (before !== null) return storePlain(deps, wanted, { ...before, ...RENDERED });
  const preferred = await alternates?.preferred(asked, buildTurn());
  if (preferred != null) return storeAlternate(deps, wanted, preferred);
  const plain = await readPlain(deps, wanted, end);
  const found = await alternates?.instead({ asked, ...plain }, buildTurn());
  if (found != null) return storeAlternate(deps, wanted, found);
  const rendered = await renderInstead(browser, plain, { ...wanted, end });
  if (rendered !== null) return storePlain(deps, wanted, { ...rendered, ...RENDERED });
  if ('failure' in plain) throw plain.failure;
  return storePlain(deps, wanted, plain);
}

/** The validators of the document do not cover what its scripts produce. */
const RENDERED = { isFirst: false, isConfirmed: false };

async function storeAlternate(deps: LoadDeps, wanted: LoadRequest, found: FoundAlternate): Promise<Page> {
  const { article, answers } = found;
  const fetchedAt = deps.clock.now();
  const { asked, key, keep } = wanted;
  const privacy = determinePrivacy({ asked, answers, robots: article.robots });
  if (privacy !== null) await deps.cache.remove(key);
  // The validators of the page's own address do not apply to another address.
  else if (keep)
    await deps.cache.put(key, { article, etag: null, lastModified: null, fetchedAt }, wanted.token);
  return { article, fetchedAt, cache: 'miss', privacy };
}

async function storePlain(
  { cache, clock }: LoadDeps,
  wanted: LoadRequest,
  plain: Exclude<PlainLoad, { failure: Failure }>,
): Promise<Page> {
  const { key, asked, keep } = wanted;
  const { response, isFirst, isConfirmed, article, extras } = plain;
  const fetchedAt = clock.now();
  const page = { article, fetchedAt, ...(extras === undefined ? {} : { extras }) };
  // A response to a caller's own headers or sign-in may differ from the public page, so the cache is left alone.
  if (wanted.isOwn) return { ...page, cache: 'miss', privacy: { reason: 'own_headers', addresses: [] } };
  const privacy = determinePrivacy({
    asked,
    answers: [...response.redirects, response],
    robots: article.robots,
  });
  // A page that has become private is removed from the cache, whoever requested it.
  if (privacy !== null) await cache.remove(key);
  else if (keep && isConfirmed) await cache.confirm(key, fetchedAt, wanted.token);
  else if (keep) {
    const { etag = null, 'last-modified': lastModified = null } = isFirst ? response.headers : {};
    await cache.put(key, { article, etag, lastModified, fetchedAt }, wanted.token);
  }
  return { ...page, cache: isConfirmed ? 'hit' : 'miss', privacy };
}

type FetchResult = { response: FetchedResponse; isFirst: boolean };

async function readPlain(deps: LoadDeps, wanted: LoadRequest, end: number): Promise<PlainLoad> {
  const { cached } = wanted;
  const { response, isFirst } = await fetchBest(deps, wanted, end);
  const isConfirmed = response.status === 304 && cached !== null;
  const fetched = { response, isFirst, isConfirmed };
  if (isConfirmed) return { ...fetched, article: cached.article };
  try {
    return { ...fetched, ...(await readResponse(deps, response, wanted)) };
  } catch (error) {
    if (error instanceof Failure && error.code === 'fetch_failed' && !wanted.signal.aborted)
      return { ...fetched, failure: error };
    throw error;
  }
}

/**
 * Returns the response of the first address that has the page. If it redirects to a page with a better address to read, returns the
 * response from there.
 */
async function fetchBest(deps: LoadDeps, wanted: LoadRequest, end: number): Promise<FetchResult> {
  const found = await fetchFirst(deps, wanted, end);
  const [better] = rewriteUrl(found.response.url);
  const isKnown = better === undefined || better === found.response.url || wanted.addresses.includes(better);
  const timeoutMs = end - steadyClock.now();
  const isFinal = isKnown || wanted.isOwn;
  if (isFinal || !isSuccess(found.response) || timeoutMs <= 0) return found;
  const { signal, tenant } = wanted;
  try {
    const response = await deps.fetch({
      url: better,
      signal,
      tenant,
      headers: { accept: ACCEPT },
      timeoutMs,
    });
    const { url, headers } = found.response;
    const redirects = [...found.response.redirects, { url, headers }, ...response.redirects];
    return isSuccess(response) ? { response: { ...response, redirects }, isFirst: false } : found;
  } catch (error) {
    if (error instanceof Failure && !signal.aborted) return found;
    throw error;
  }
}

const isSuccess = ({ status }: FetchedResponse): boolean => status >= 200 && status < 300;

async function fetchFirst(
  deps: LoadDeps,
  { addresses, cached, tenant, signal, headers: own }: LoadRequest,
  end: number,
): Promise<FetchResult> {
  for (const [at, url] of addresses.entries()) {
    const left = end - steadyClock.now();
    if (left <= 0) break;
    const headers = {
      accept: ACCEPT,
      ...(at === 0 && cached !== null ? buildConditionalHeaders(cached) : {}),
    };
    const ownHeaders = own === undefined ? {} : { ownHeaders: own };
    const response = await deps.fetch({ url, signal, tenant, headers, ...ownHeaders, timeoutMs: left });
    const isMissing = response.status === 404 || response.status === 410;
    if (!isMissing || at === addresses.length - 1) return { response, isFirst: at === 0 };
  }
  throw createFetchFailure('timeout', 'the page did not arrive in time');
}

function buildConditionalHeaders({ etag, lastModified }: CachedPage): Record<string, string> {
  if (etag !== null) return { 'if-none-match': etag };
  return lastModified === null ? {} : { 'if-modified-since': lastModified };
}

type ReadOutcome =
  | { article: Article; extras?: Page['extras']; pointers?: Pointers; isShell?: true }
  | { failure: Failure; pointers?: Pointers; about?: Article; isShell?: true };

async function readResponse(
  { extract, clock }: LoadDeps,
  response: FetchedResponse,
  { tenant, signal, extras }: Pick<LoadRequest, 'tenant' | 'signal' | 'extras'>,
): Promise<ReadOutcome> {
  const { url, status, headers, body } = response;
  const judged = judgeResponse(response, clock.now());
  const contentType = headers['content-type'] ?? null;
  const task = { bytes: body, url, contentType, status, ...(extras === undefined ? {} : { extras }) };
  const extracted = await extract.extract(task, signal, tenant);
  if (judged === 'block_page?' && (extracted.ok || extracted.reason !== 'wall'))
    throw createStatusFailure(response, clock.now());
  if (extracted.ok) {
    const { ok: _ok, article, ...others } = extracted;
    return { article: applyRobotsTag(article, headers['x-robots-tag']), ...others };
  }
  const { ok: _ok, reason, message, about, ...others } = extracted;
  const failure = createFetchFailure(reason, message, { httpStatus: status });
  const told = about === undefined ? {} : { about: applyRobotsTag(about, headers['x-robots-tag']) };
  return { failure, ...others, ...told };
}

/** Adds the robots directives of the headers to those of the markup. */
function applyRobotsTag(article: Article, robotsTag: string | undefined): Article {
  const { index, follow } = parseRobotsHeader(robotsTag);
  const { robots } = article;
  return { ...article, robots: { index: robots.index && index, follow: robots.follow && follow } };
}

/** Returns 'read' when the body is the page and 'block_page?' when it may be a block page; throws `fetch_failed` otherwise. */
function judgeResponse(response: FetchedResponse, now: number): 'read' | 'block_page?' {
  const { status, headers, body } = response;
  if (REFUSALS.has(status) && body.length > 0 && /html/i.test(headers['content-type'] ?? ''))
    return 'block_page?';
  if (status < 200 || status >= 300) throw createStatusFailure(response, now);
  if (body.length === 0 || status === 204 || status === 205)
    throw createFetchFailure('empty', 'the page is empty', { httpStatus: status });
  return 'read';
}

/** Creates `fetch_failed` 'http_status' with the target's Retry-After (seconds or a date). */
function createStatusFailure({ status, headers }: FetchedResponse, now: number): Failure {
  return createFetchFailure('http_status', `the page answered with status ${status}`, {
    httpStatus: status,
    retryAfterMs: parseRetryAfter(headers['retry-after'], now),
  });
}

/** Whether the origin failed to answer, so that an older copy is better than nothing. */
export function mayServeStale(failure: Failure): boolean {
  if (failure.code === 'overloaded') return true;
  const { fetch } = failure;
  if (failure.code !== 'fetch_failed' || fetch === null) return false;
  if (fetch.reason !== 'http_status') return PASSING_REASONS.has(fetch.reason);
  const status = fetch.httpStatus ?? 0;
  return status >= 500 || PASSING_STATUSES.has(status);
}

/** Whether the origin answered that the page does not exist (404 or 410). */
export function isGone(failure: Failure): boolean {
  const status = failure.fetch?.httpStatus;
  return failure.fetch?.reason === 'http_status' && (status === 404 || status === 410);
}
