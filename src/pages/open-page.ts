/**
 * Opens the page of a URL for every operation: cached if fresh, otherwise fetched, extracted and cached. It promises one load at a time
 * per page and kind of request, fair turns between callers, and an older copy when the origin fails. It does not decide what a caller may
 * see or pay, and it does not index pages.
 */
import { createFetchFailure, Failure } from '../contract/errors.ts';
import { PAGE_TIMEOUT_MS } from '../contract/limits.ts';
import type { Background } from '../platform/background.ts';
import type { Clock } from '../platform/clock.ts';
import { createFairQueue, type FairQueue } from '../platform/fairness/fair-queue.ts';
import type { Log } from '../platform/log.ts';
import type { CheckUrl, GuardedFetch } from '../platform/net/fetch-types.ts';
import type { Store } from '../platform/store/open-store.ts';
import type { Alternates } from './alternates/read-alternates.ts';
import type { Article, Page } from './article.ts';
import type { ExtractWorker } from './extract-worker.ts';
import { isGone, type LoadRequest, loadPage, mayServeStale } from './load-page.ts';
import type { OpeningOptions, OpenPage } from './open-page-types.ts';
import { type CachedPage, createPageCache, type PageCache } from './page-cache.ts';
import { hasSecret } from './privacy/secret-in-address.ts';
import { type BrowserHosts, createBrowserHosts, parseScriptRoute } from './rendering/by-browser.ts';
import type { RenderClient } from './rendering/render-client.ts';
import { rewriteUrl } from './rewrite-url.ts';
import type { SharedPages } from './shared/shared-pages.ts';
import { createTieredPages } from './shared/shared-pages.ts';
import { createSingleFlight } from './single-flight.ts';

const FRESH_MS = 3_600_000;
/**
 * Where copies are shared, callers who set no limit may still get a copy that is older than FRESH_MS by at most this, while it is
 * revalidated.
 */
const REVALIDATE_MS = 300_000;
/** Maximum age of a copy that is served when the origin fails. */
const STALE_MS_MAX = 86_400_000;
/** Maximum number of pages fetched and extracted at once: each may take PAGE_BYTES_MAX. A single caller may have half of them. */
export const PAGES_AT_ONCE_MAX = 40;
/** Maximum number of pages waiting for a slot; beyond this, the caller with the most waiting pages loses one. */
const PAGES_WAITING_MAX = 2_000;

export type OpenPageDeps = {
  fetch: GuardedFetch;
  checkUrl: CheckUrl;
  store: Store;
  extract: Pick<ExtractWorker, 'extract'>;
  clock: Clock;
  log: Log;
  /** Finds a copy of any age elsewhere (in the local index); used when the origin fails. */
  fallback?: (url: string) => Promise<{ article: Article; fetchedAt: number } | null>;
  /** Looks for a page's text at alternate addresses; absent: only the page's own address is read. */
  alternates?: Alternates;
  /** The client of the browser; absent or null: no page is rendered. */
  rendering?: Pick<RenderClient, 'render'> | null;
  /** Reports when any process has deleted copies of pages; absent: never. */
  forgettings?: { onForgotten(drop: () => void): void; notice(): unknown };
  /** Maximum size of the page cache; default CACHE_BYTES_MAX. */
  cacheBytesMax?: number;
  /** The copies that processes share, and the runner of work that outlives a response; absent or null: this process is alone. */
  shared?: { pages: SharedPages; background: Pick<Background, 'run'> } | null;
};

/** See `OpenPage` for what opening a page promises. */
export function createOpenPage(deps: OpenPageDeps): OpenPage {
  const { clock, rendering = null, forgettings, shared = null } = deps;
  const hosts = createBrowserHosts(clock);
  const cache = createCache(deps);
  forgettings?.onForgotten(cache.release);
  const inFlight = createSingleFlight<Page>(({ privacy }) => privacy === null);
  const loads = createFairQueue({
    slots: PAGES_AT_ONCE_MAX,
    waitingMax: PAGES_WAITING_MAX,
    overloaded: () => new Failure('overloaded', 'Too many pages are being opened; try again in a moment.'),
  });

  return async (
    url,
    { signal, tenant, freshMs: wantedMs, timeoutMs = PAGE_TIMEOUT_MS, copies, keep = true, ...others },
  ) => {
    const { extras, headers, fetchSignedIn, engine, waiting, elsewhere = true } = others;
    const freshMs = wantedMs ?? FRESH_MS;
    const asked = deps.checkUrl(url);
    // The fragment never reaches a server, so all routes of such an address are one page to it.
    const route = rendering === null ? '' : parseScriptRoute(asked.hash);
    asked.hash = '';
    const isOwn = headers !== undefined || fetchSignedIn !== undefined;
    // A rewritten address may be on another origin, which the caller's headers are not meant for.
    const addresses = isOwn ? [asked.href] : rewriteUrl(asked.href);
    const key = (addresses[0] ?? asked.href) + route;
    const isSecret = isOwn || hasSecret(asked.href);
    const readsCopies = !isSecret && extras === undefined;
    await forgettings?.notice();
    const wantedSince = copies === 'only' ? undefined : clock.now() - freshMs;
    const cached = readsCopies ? await cache.get(key, wantedSince) : null;
    if (copies === 'only') return findKeptPage(deps, { asked: asked.href, cached, readsCopies });
    const fresh = toFreshPage(cached, { since: clock.now() - freshMs, engine });
    if (fresh !== null) return fresh;
    const mayBeStale = readsCopies && copies !== 'never';
    const wanted = {
      asked: asked.href,
      addresses,
      key,
      cached,
      freshMs,
      readsCopies,
      mayBeStale,
      timeoutMs,
      tenant,
      keep: keep && !isOwn,
      extras,
      headers,
      isOwn,
      looksElsewhere: elsewhere && readsCopies,
      engine,
      waiting,
      maySuggestItself: elsewhere && !isSecret,
      renderedUrl: asked.href + route,
    };
    const start = (until: AbortSignal): Promise<Page> =>
      loadOrServeStale(
        { ...deps, fetch: fetchSignedIn ?? deps.fetch, rendering, hosts, cache, loads, shared },
        { ...wanted, signal: until },
      );
    if (!readsCopies || !keep) return inFlight.alone(signal, start);
    // Callers with different time limits do not share a request, because its limit ends it for all of them. Neither do tenants,
    // because it may wait behind everything that one of them has requested.
    const way = `${engine ?? elsewhere} ${JSON.stringify(waiting ?? null)}`;
    const join = (until: AbortSignal): Promise<Page> =>
      inFlight.join(`${tenant} ${timeoutMs} ${mayBeStale} ${way} ${key}`, until, start);
    const isDefault = wantedMs === undefined && copies === undefined && elsewhere;
    const since = clock.now() - FRESH_MS - REVALIDATE_MS;
    const late = isDefault && shared !== null ? toFreshPage(cached, { since, engine }) : null;
    if (late === null || shared === null) return join(signal);
    const revalidate = (): Promise<unknown> => join(AbortSignal.timeout(timeoutMs)).catch(ignoreFailure);
    shared.background.run('revalidate a page', revalidate);
    return { ...late, cache: 'stale' };
  };
}

/** Creates the cache of this process, in front of the shared one if there is one. */
function createCache({ store, clock, cacheBytesMax, shared = null }: OpenPageDeps): PageCache {
  const bound = cacheBytesMax === undefined ? {} : { bytesMax: cacheBytesMax };
  const own = createPageCache({ store, clock, ...bound });
  return shared === null ? own : createTieredPages(own, shared.pages);
}

/** Ignores a failed revalidation: the next caller asks the origin again. */
function ignoreFailure(error: unknown): void {
  if (!(error instanceof Failure)) throw error;
}

type OpenPageContext = OpenPageDeps & {
  rendering: Pick<RenderClient, 'render'> | null;
  hosts: BrowserHosts;
  cache: PageCache;
  loads: FairQueue;
  shared: OpenPageDeps['shared'];
};

/** Returns the cached copy as a page if it is younger than `since` (ms since the epoch) and was read with the engine that the caller wants. */
function toFreshPage(
  cached: CachedPage | null,
  { since, engine }: { since: number; engine: OpeningOptions['engine'] | undefined },
): Page | null {
  if (cached === null || cached.fetchedAt <= since) return null;
  const isRendered = cached.article.readRoute === 'browser';
  if (engine !== undefined && isRendered !== (engine === 'browser')) return null;
  return { article: cached.article, fetchedAt: cached.fetchedAt, cache: 'hit', privacy: null };
}

/** Returns a copy from the cache or the fallback without asking the origin. Throws `fetch_failed` 'not_kept' if there is none. */
async function findKeptPage(
  { fallback }: OpenPageDeps,
  { asked, cached, readsCopies }: Pick<LoadRequest, 'asked' | 'cached' | 'readsCopies'>,
): Promise<Page> {
  const copy = readsCopies ? (cached ?? (await fallback?.(asked)) ?? null) : null;
  if (copy === null) throw createFetchFailure('not_kept', 'no copy of the page is kept');
  return { article: copy.article, fetchedAt: copy.fetchedAt, cache: 'hit', privacy: null };
}

async function loadOrServeStale(deps: OpenPageContext, wanted: LoadRequest): Promise<Page> {
  const { key } = wanted;
  if (isShared(deps, wanted)) {
    const gone = await deps.shared.pages.gone(key, deps.clock.now() - wanted.freshMs);
    if (gone !== null) throw gone;
  }
  try {
    return await loadInTurn(deps, wanted);
  } catch (error) {
    if (!(error instanceof Failure) || wanted.signal.aborted) throw error;
    if (isGone(error) && !wanted.isOwn) await deps.cache.remove(key);
    if (isGone(error) && isShared(deps, wanted))
      await deps.shared.pages.putGone(key, error, deps.clock.now());
    if (!wanted.mayBeStale || !mayServeStale(error)) throw error;
    const copy = await findStaleCopy(deps, wanted);
    if (copy === null) throw error;
    const { host } = new URL(key);
    deps.log.info({ host, reason: error.fetch?.reason ?? error.code }, 'an older copy is served');
    return { ...copy, cache: 'stale', privacy: null };
  }
}

/** Checks the cache again once it is this request's turn: another tenant or process may have fetched the page meanwhile. */
function loadInTurn(deps: OpenPageContext, wanted: LoadRequest): Promise<Page> {
  const { tenant, signal, key, freshMs, engine, timeoutMs } = wanted;
  const computeFreshSince = (): number => deps.clock.now() - freshMs;
  let cached: CachedPage | null = null;
  const findFreshPage = async (): Promise<Page | null> => {
    cached = wanted.readsCopies ? await deps.cache.get(key, computeFreshSince()) : null;
    return toFreshPage(cached, { since: computeFreshSince(), engine });
  };
  const loadWithToken = (token?: number): Promise<Page> => loadPage(deps, { ...wanted, token, cached });
  return deps.loads.run({ tenant, signal }, async () => {
    if (isShared(deps, wanted))
      return deps.shared.pages.once(key, { signal, timeoutMs, look: findFreshPage, work: loadWithToken });
    return (await findFreshPage()) ?? loadWithToken();
  });
}

/** Whether other processes may share the page: it is public, and it may be cached. */
function isShared<Deps extends Pick<OpenPageContext, 'shared'>>(
  deps: Deps,
  { readsCopies, keep }: LoadRequest,
): deps is Deps & { shared: NonNullable<Deps['shared']> } {
  return deps.shared != null && readsCopies && keep;
}

async function findStaleCopy(
  { clock, fallback }: OpenPageContext,
  { cached, asked }: LoadRequest,
): Promise<{ article: Article; fetchedAt: number } | null> {
  if (cached !== null && clock.now() - cached.fetchedAt <= STALE_MS_MAX)
    return { article: cached.article, fetchedAt: cached.fetchedAt };
  return fallback === undefined ? null : await fallback(asked);
}
