import { Failure } from '../../contract/errors.ts';
import type { LocalIndex } from '../../index/local-index-types.ts';
import type { OpenPage } from '../../pages/open-page-types.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { CheckUrl, GuardedFetch } from '../../platform/net/fetch-types.ts';
import type { Store } from '../../platform/store/open-store.ts';
import { hasPublicName } from '../../text/urls/sites.ts';
import { openFrontier } from '../frontier/frontier.ts';
import type { Frontier } from '../frontier/frontier-types.ts';
import { readSitemaps } from '../robots/read-sitemaps.ts';
import { createRobotsOfHosts, type RobotsOfHosts } from '../robots/robots-of-hosts.ts';
import type { ReadSitemapFile } from '../robots/sitemap-worker.ts';
import { createPoliteness, type Politeness } from '../visit/politeness.ts';
import { startUrl } from '../visit/start-url.ts';
import { visitAll, type Wait, waitForTimer } from '../visit/visit-all.ts';
import { type Visited, type VisitScope, visitPage } from '../visit/visit-page.ts';
import { createCrawlScope } from './crawl-scope.ts';

export type CrawlRequest = {
  /** Absolute http(s) addresses; their hosts are the sites that are crawled. */
  starts: string[];
  /** Maximum pages of the whole crawl, earlier runs included. */
  pagesMax: number;
  /** Maximum link distance from a start address; null: no bound. */
  depthMax: number | null;
  /** Stay at or below the folders of the start addresses. */
  withinPath: boolean;
  /** Start over instead of continuing an unfinished crawl, and fetch every page from its origin instead of the page cache. */
  fresh: boolean;
  /** Milliseconds between two requests to one host; null: DELAY_MS, none for hosts outside the public web. */
  delayMs: number | null;
  signal: AbortSignal;
  onProgress?: (progress: CrawlProgress) => void;
};

/** Addresses of the whole crawl, by outcome; `url` is the one settled last. */
export type CrawlProgress = {
  pages: number;
  failed: number;
  skipped: number;
  duplicates: number;
  queued: number;
  url: string | null;
};

type ReasonCount = { state: 'skipped' | 'failed'; reason: string; urls: number; example: string };

export type CrawlSummary = Omit<CrawlProgress, 'url'> & {
  /** Whether this run continued an unfinished crawl. */
  resumed: boolean;
  /** Pages that this run added. */
  newPages: number;
  ended: 'complete' | 'pages_max' | 'aborted' | 'host_gave_up';
  reasons: ReasonCount[];
  seconds: number;
};

/**
 * Crawls the sites of the start addresses into the index, breadth first. It may be aborted or killed at any point; the same
 * request then continues from there. Throws `Failure('url_not_allowed')` for a start address.
 */
export type BackgroundCrawl = (request: CrawlRequest) => Promise<CrawlSummary>;

type CrawlDeps = {
  fetch: GuardedFetch;
  readSitemapFile: ReadSitemapFile;
  checkUrl: CheckUrl;
  openPage: OpenPage;
  index: Pick<LocalIndex, 'put' | 'remove'>;
  store: Store;
  clock: Clock;
  log: Log;
  /** For tests that move the clock. */
  wait?: Wait;
};

/** Milliseconds between two requests to a host of the public web, and requests to one host at once. */
const DELAY_MS = 200;
const PER_HOST_MAX = 4;
/** Maximum addresses that one crawl knows: this many, or more if many pages are wanted. */
const URLS_MAX = 100_000;
const URLS_PER_PAGE_MAX = 4;

/** `openPage` must not index what it opens: the crawl does, and settles a row only afterwards. */
export function createBackgroundCrawl(deps: CrawlDeps): BackgroundCrawl {
  return async (request) => {
    const startedAt = deps.clock.now();
    const starts = request.starts.map((start) => startUrl(deps.checkUrl, start));
    const scope = createCrawlScope({ starts, withinPath: request.withinPath });
    const urlsMax = Math.max(URLS_MAX, URLS_PER_PAGE_MAX * request.pagesMax);
    const frontier = await openFrontier(deps.store, {
      starts,
      scope: request.withinPath ? 'path' : 'site',
      fresh: request.fresh,
      pagesMax: request.pagesMax,
      urlsMax,
      now: startedAt,
    });
    const pagesBefore = frontier.counts().done;
    const robotsOf = createRobotsOfHosts(deps);
    const politeness = politenessFor(starts, request.delayMs);
    if (!frontier.seeded && request.depthMax !== 0)
      await seed(deps, { request, starts, scope, frontier, robotsOf, urlsMax });
    await run(deps, { request, scope, frontier, robotsOf, politeness });
    return summarize(frontier, {
      newPages: frontier.counts().done - pagesBefore,
      ended: howItEnded(frontier, request, politeness),
      seconds: (deps.clock.now() - startedAt) / 1_000,
    });
  };
}

function politenessFor(starts: string[], delayMs: number | null): Politeness {
  const isPublic = starts.some(hasPublicName);
  return createPoliteness(() => ({
    perHostMax: PER_HOST_MAX,
    delayMs: delayMs ?? (isPublic ? DELAY_MS : 0),
  }));
}

type Running = {
  request: CrawlRequest;
  scope: VisitScope;
  frontier: Frontier;
  robotsOf: RobotsOfHosts;
};

/** Adds the pages in the sitemaps of the start addresses to the frontier, after the start addresses. */
async function seed(
  deps: CrawlDeps,
  running: Running & { starts: string[]; urlsMax: number },
): Promise<void> {
  const { request, scope, frontier, robotsOf, urlsMax } = running;
  const { signal } = request;
  const origins = [...new Set(running.starts.map((start) => new URL(start).origin))];
  try {
    for (const origin of origins) {
      const robots = await robotsOf(`${origin}/`, signal);
      if (!robots.reached) continue;
      const sitemaps = robots.sitemaps.length > 0 ? robots.sitemaps : [`${origin}/sitemap.xml`];
      await frontier.add(scope.toVisit(await readSitemaps(deps, { sitemaps, pagesMax: urlsMax, signal })), 1);
    }
    await frontier.markSeeded(deps.clock.now());
  } catch (error) {
    // Aborted: the next run reads the sitemaps again.
    if (!(error instanceof Failure) || !signal.aborted) throw error;
  }
}

async function run(deps: CrawlDeps, running: Running & { politeness: Politeness }): Promise<void> {
  const { request, scope, frontier, robotsOf, politeness } = running;
  const { openPage, clock } = deps;
  const visiting = {
    openPage,
    robotsOf,
    politeness,
    scope,
    clock,
    pages: frontier,
    depthMax: request.depthMax,
    ...(request.fresh ? { freshMs: 0 } : {}),
  };
  await visitAll({
    frontier,
    politeness,
    clock,
    wait: deps.wait ?? waitForTimer,
    visit: (row, signal) => visitPage(visiting, row, signal),
    settle: (batch) => settle(deps, { request, frontier }, batch),
    pagesDone: () => frontier.counts().done,
    pagesMax: request.pagesMax,
    signal: request.signal,
  });
}

/** Settles a row only after the index has its page: a kill at any point loses work, never a page. */
async function settle(
  { index }: CrawlDeps,
  { request, frontier }: Pick<Running, 'request' | 'frontier'>,
  batch: Visited[],
): Promise<void> {
  const pages = batch.map(({ put }) => put).filter((page) => page !== null);
  const gone = batch.flatMap(({ remove }) => remove);
  if (pages.length > 0) await index.put([...new Map(pages.map((page) => [page.url, page])).values()]);
  if (gone.length > 0) await index.remove(gone);
  await frontier.settle(batch.map(({ outcome }) => outcome));
  for (const { outcome } of batch) request.onProgress?.({ ...progressOf(frontier), url: outcome.row.url });
}

function progressOf(frontier: Frontier): Omit<CrawlProgress, 'url'> {
  const { done, failed, skipped, duplicate, pending } = frontier.counts();
  return { pages: done, failed, skipped, duplicates: duplicate, queued: pending };
}

function howItEnded(
  frontier: Frontier,
  { pagesMax, signal }: CrawlRequest,
  politeness: Politeness,
): CrawlSummary['ended'] {
  const { pending, done } = frontier.counts();
  if (pending === 0) return 'complete';
  if (done >= pagesMax) return 'pages_max';
  if (!signal.aborted && frontier.hosts().some((host) => politeness.hasGivenUp(host))) return 'host_gave_up';
  return 'aborted';
}

async function summarize(
  frontier: Frontier,
  run: Pick<CrawlSummary, 'newPages' | 'ended' | 'seconds'>,
): Promise<CrawlSummary> {
  return { ...progressOf(frontier), ...run, resumed: frontier.resumed, reasons: await frontier.reasons() };
}
