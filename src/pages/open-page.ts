import { Failure, fetchFailed } from '../contract/errors.ts';
import { PAGE_TIMEOUT_MS } from '../contract/limits.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { CheckUrl, FetchedResponse, GuardedFetch } from '../platform/net/fetch-types.ts';
import { createFairQueue, type FairQueue } from '../platform/sharing/fair-queue.ts';
import type { Tenant } from '../platform/sharing/fair-shares.ts';
import type { Store } from '../platform/store/open-store.ts';
import type { Article, Page } from './article.ts';
import { headerDirectives } from './extract/metadata/robots-directives.ts';
import type { ExtractWorker } from './extract-worker.ts';
import { isGone, judgeResponse, mayServeStale, statusFailure } from './judge-response.ts';
import type { Opening, OpenPage } from './open-page-types.ts';
import { type CachedPage, createPageCache, type PageCache } from './page-cache.ts';
import { readAddresses } from './rewrite-url.ts';
import { privacyOf } from './sharing/privacy-of.ts';
import { hasSecret } from './sharing/secret-in-address.ts';
import { createSingleFlight } from './single-flight.ts';

const FRESH_MS = 3_600_000;
/** Older copies are not served when the origin fails. */
const STALE_MS_MAX = 86_400_000;
/** Pages fetched and extracted at once: each may take PAGE_BYTES_MAX. A single caller may have half of them. */
export const PAGES_AT_ONCE_MAX = 40;
/** Pages waiting for a slot; beyond this, the caller with the most loses one. */
const PAGES_WAITING_MAX = 2_000;

/** Prefers Markdown, the format of articles, from sites that offer it. */
const ACCEPT =
  'text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, application/xml;q=0.8, text/*;q=0.7, application/json;q=0.7, */*;q=0.5';

export type OpenPageDeps = {
  fetch: GuardedFetch;
  checkUrl: CheckUrl;
  store: Store;
  extract: Pick<ExtractWorker, 'extract'>;
  clock: Clock;
  log: Log;
  /** A copy of any age from elsewhere (the local index), used when the origin fails. */
  fallback?: (url: string) => Promise<{ article: Article; fetchedAt: number } | null>;
  /** Bound of the page cache; default CACHE_BYTES_MAX. */
  cacheBytesMax?: number;
};

/** See `OpenPage` for what opening a page promises. */
export function createOpenPage(deps: OpenPageDeps): OpenPage {
  const { store, clock, cacheBytesMax } = deps;
  const cache = createPageCache({
    store,
    clock,
    ...(cacheBytesMax === undefined ? {} : { bytesMax: cacheBytesMax }),
  });
  const inFlight = createSingleFlight<Page>(({ privacy }) => privacy === null);
  const loads = createFairQueue({
    slots: PAGES_AT_ONCE_MAX,
    waitingMax: PAGES_WAITING_MAX,
    overloaded: () => new Failure('overloaded', 'Too many pages are being opened; try again in a moment.'),
  });

  return async (
    url,
    { signal, tenant, freshMs = FRESH_MS, timeoutMs = PAGE_TIMEOUT_MS, copies, keep = true, ...others },
  ) => {
    const { extras, headers } = others;
    const asked = deps.checkUrl(url);
    asked.hash = '';
    // A rewritten address may be on another origin, which the caller's headers are not meant for.
    const addresses = headers === undefined ? readAddresses(asked.href) : [asked.href];
    const key = addresses[0] ?? asked.href;
    const isSecret = headers !== undefined || hasSecret(asked.href);
    const readsCopies = !isSecret && extras === undefined;
    const cached = readsCopies ? await cache.get(key) : null;
    if (copies === 'only') return keptCopy(deps, { asked: asked.href, cached, readsCopies });
    const fresh = freshCopy(cached, clock.now() - freshMs);
    if (fresh !== null) return fresh;
    const mayBeStale = readsCopies && copies !== 'never';
    const wanted = {
      ...{ asked: asked.href, addresses, key, cached, freshMs, readsCopies, mayBeStale, timeoutMs, tenant },
      ...{ keep: keep && headers === undefined, extras, headers },
    };
    const start = (until: AbortSignal): Promise<Page> =>
      loadOrStale({ ...deps, cache, loads }, { ...wanted, signal: until });
    if (!readsCopies || !keep) return inFlight.alone(signal, start);
    // Callers with different time limits do not share a request, because its limit ends it for all of them. Neither do tenants,
    // because it may wait behind everything that one of them has requested.
    return inFlight.join(`${tenant} ${timeoutMs} ${mayBeStale} ${key}`, signal, start);
  };
}

type Composition = OpenPageDeps & { cache: PageCache; loads: FairQueue };
type Wanted = {
  asked: string;
  addresses: string[];
  key: string;
  cached: CachedPage | null;
  /** False where the address or the caller's headers grant access, and where a copy has too little. */
  readsCopies: boolean;
  keep: boolean;
  extras: Opening['extras'];
  headers: Opening['headers'];
  freshMs: number;
  mayBeStale: boolean;
  timeoutMs: number;
  tenant: Tenant;
  signal: AbortSignal;
};

function freshCopy(cached: CachedPage | null, since: number): Page | null {
  if (cached === null || cached.fetchedAt <= since) return null;
  return { article: cached.article, fetchedAt: cached.fetchedAt, cache: 'hit', privacy: null };
}

/** A kept copy of a page, from the cache or elsewhere, without asking its origin. */
async function keptCopy(
  { fallback }: OpenPageDeps,
  { asked, cached, readsCopies }: Pick<Wanted, 'asked' | 'cached' | 'readsCopies'>,
): Promise<Page> {
  const copy = readsCopies ? (cached ?? (await fallback?.(asked)) ?? null) : null;
  if (copy === null) throw fetchFailed('not_kept', 'no copy of the page is kept');
  return { article: copy.article, fetchedAt: copy.fetchedAt, cache: 'hit', privacy: null };
}

async function loadOrStale(deps: Composition, wanted: Wanted): Promise<Page> {
  try {
    return await loadInTurn(deps, wanted);
  } catch (error) {
    if (!(error instanceof Failure) || wanted.signal.aborted) throw error;
    if (isGone(error) && wanted.headers === undefined) await deps.cache.remove(wanted.key);
    if (!wanted.mayBeStale || !mayServeStale(error)) throw error;
    const copy = await olderCopy(deps, wanted);
    if (copy === null) throw error;
    const { host } = new URL(wanted.key);
    deps.log.info({ host, reason: error.fetch?.reason ?? error.code }, 'an older copy is served');
    return { ...copy, cache: 'stale', privacy: null };
  }
}

/** Another tenant may have fetched the page while this one waited for its turn. */
function loadInTurn(deps: Composition, wanted: Wanted): Promise<Page> {
  const { tenant, signal, key, freshMs } = wanted;
  return deps.loads.run({ tenant, signal }, async () => {
    const cached = wanted.readsCopies ? await deps.cache.get(key) : null;
    return freshCopy(cached, deps.clock.now() - freshMs) ?? load(deps, { ...wanted, cached });
  });
}

async function olderCopy(
  { clock, fallback }: Composition,
  { cached, asked }: Wanted,
): Promise<{ article: Article; fetchedAt: number } | null> {
  if (cached !== null && clock.now() - cached.fetchedAt <= STALE_MS_MAX)
    return { article: cached.article, fetchedAt: cached.fetchedAt };
  return fallback === undefined ? null : await fallback(asked);
}

async function load(deps: Composition, wanted: Wanted): Promise<Page> {
  const { cache, clock } = deps;
  const { key, cached, asked, keep } = wanted;
  const { response, isFirst } = await fetchBest(deps, wanted);
  const fetchedAt = clock.now();
  const isConfirmed = response.status === 304 && cached !== null;
  const { article, extras } = isConfirmed ? { article: cached.article } : await read(deps, response, wanted);
  const page = { article, fetchedAt, ...(extras === undefined ? {} : { extras }) };
  // What one caller's headers show says nothing about the page that everybody sees.
  if (wanted.headers !== undefined)
    return { ...page, cache: 'miss', privacy: { reason: 'own_headers', addresses: [] } };
  const privacy = privacyOf({ asked, answers: [...response.redirects, response], robots: article.robots });
  // A page that has turned private leaves the cache, whoever noticed.
  if (privacy !== null) await cache.remove(key);
  else if (keep && isConfirmed) await cache.confirm(key, fetchedAt);
  else if (keep) {
    const { etag = null, 'last-modified': lastModified = null } = isFirst ? response.headers : {};
    await cache.put(key, { article, etag, lastModified, fetchedAt });
  }
  return { ...page, cache: isConfirmed ? 'hit' : 'miss', privacy };
}

type Fetched = { response: FetchedResponse; isFirst: boolean };

/** The response of the first address that has the page; if that redirects to a page with a better address to read, the response from there. */
async function fetchBest(deps: Composition, wanted: Wanted): Promise<Fetched> {
  const end = deps.clock.now() + wanted.timeoutMs;
  const found = await fetchFirst(deps, wanted, end);
  const [better] = readAddresses(found.response.url);
  const isKnown = better === undefined || better === found.response.url || wanted.addresses.includes(better);
  const timeoutMs = end - deps.clock.now();
  const isFinal = isKnown || wanted.headers !== undefined;
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
  deps: Composition,
  { addresses, cached, tenant, signal, headers: own }: Wanted,
  end: number,
): Promise<Fetched> {
  for (const [at, url] of addresses.entries()) {
    const left = end - deps.clock.now();
    if (left <= 0) break;
    const headers = { accept: ACCEPT, ...(at === 0 && cached !== null ? conditions(cached) : {}) };
    const ownHeaders = own === undefined ? {} : { ownHeaders: own };
    const response = await deps.fetch({ url, signal, tenant, headers, ...ownHeaders, timeoutMs: left });
    const isMissing = response.status === 404 || response.status === 410;
    if (!isMissing || at === addresses.length - 1) return { response, isFirst: at === 0 };
  }
  throw fetchFailed('timeout', 'the page did not arrive in time');
}

function conditions({ etag, lastModified }: CachedPage): Record<string, string> {
  if (etag !== null) return { 'if-none-match': etag };
  return lastModified === null ? {} : { 'if-modified-since': lastModified };
}

async function read(
  { extract, clock }: Composition,
  response: FetchedResponse,
  { tenant, signal, extras }: Pick<Wanted, 'tenant' | 'signal' | 'extras'>,
): Promise<Pick<Page, 'article' | 'extras'>> {
  const { url, status, headers, body } = response;
  const judged = judgeResponse(response, clock.now());
  const contentType = headers['content-type'] ?? null;
  const task = { bytes: body, url, contentType, status, ...(extras === undefined ? {} : { extras }) };
  const extracted = await extract.extract(task, signal, tenant);
  if (judged === 'block_page?' && (extracted.ok || extracted.reason !== 'wall'))
    throw statusFailure(response, clock.now());
  if (!extracted.ok) throw fetchFailed(extracted.reason, extracted.message, { httpStatus: status });
  const { ok: _ok, article, ...others } = extracted;
  return { article: obeying(article, headers['x-robots-tag']), ...others };
}

/** The article with the robots directives of its headers added to those of its markup. */
function obeying(article: Article, robotsTag: string | undefined): Article {
  const { index, follow } = headerDirectives(robotsTag);
  const { robots } = article;
  return { ...article, robots: { index: robots.index && index, follow: robots.follow && follow } };
}
