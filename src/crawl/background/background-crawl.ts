import { Failure } from '../../contract/errors.ts';
import type { LocalIndex } from '../../index/local-index-types.ts';
import type { OpenPage } from '../../pages/open-page-types.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { CheckUrl, GuardedFetch } from '../../platform/net/fetch-types.ts';
import type { Store } from '../../platform/store/open-store.ts';
import { hasPublicName } from '../../text/urls/sites.ts';
import { crawlUrl } from '../../text/urls/url-spelling.ts';
import { type Frontier, openFrontier } from '../frontier/frontier.ts';
import { readSitemaps } from '../robots/read-sitemaps.ts';
import { createRobotsOfHosts, type RobotsOfHosts } from '../robots/robots-of-hosts.ts';
import type { ReadSitemapFile } from '../robots/sitemap-worker.ts';
import { createPoliteness, type Politeness } from '../visit/politeness.ts';
import { visitAll, type Wait, waitForTimer } from '../visit/visit-all.ts';
import { type Visited, visit } from '../visit/visit-page.ts';
import { type CrawlScope, createScope } from './crawl-scope.ts';

export type CrawlRequest = {
  /** Absolute http(s) addresses; their hosts are the sites that are crawled. */
  starts: string[];
  /** Pages of the whole crawl, those of an earlier run of it included. */
  pagesMax: number;
  /** Links from the start address to a page at most; null: no bound. */
  depthMax: number | null;
  /** Stay at or below the folders of the start addresses. */
  withinPath: boolean;
  /** Begin anew although an unfinished crawl from the same addresses could go on, and ask origins instead of the page cache. */
  fresh: boolean;
  /** Milliseconds between two requests to one host; null: DELAY_MS, none for hosts outside the public web. */
  delayMs: number | null;
  signal: AbortSignal;
  onProgress?: (progress: CrawlProgress) => void;
};

/** Numbers of addresses of the whole crawl; `url` is the one settled last. */
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
  /** Whether an earlier, unfinished crawl went on. */
  resumed: boolean;
  /** Pages that this run added. */
  newPages: number;
  ended: 'complete' | 'pages_max' | 'aborted' | 'host_gave_up';
  reasons: ReasonCount[];
  seconds: number;
};

/**
 * Crawls the sites of the start addresses breadth first into the index. Can be ended by the signal or killed at any
 * point; the same request then goes on where it was. Throws `Failure('url_not_allowed')` for a start address.
 */
export type Crawl = (request: CrawlRequest) => Promise<CrawlSummary>;

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

/** Between two requests to a host of the public web, and requests to one host at once. */
const DELAY_MS = 200;
const PER_HOST_MAX = 4;
/** Addresses that one crawl knows at most, and per wanted page. */
const URLS_MAX = 100_000;
const URLS_PER_PAGE_MAX = 4;

/** A crawl over these parts. `openPage` should not index by itself what it opens. */
export function createCrawl(parts: CrawlDeps): Crawl {
  return async (request) => {
    const startedAt = parts.clock.now();
    const starts = request.starts.map((start) => spelledStart(parts.checkUrl, start));
    const scope = createScope({ starts, withinPath: request.withinPath });
    const urlsMax = Math.max(URLS_MAX, URLS_PER_PAGE_MAX * request.pagesMax);
    const frontier = await openFrontier(parts.store, {
      starts,
      scope: request.withinPath ? 'path' : 'site',
      fresh: request.fresh,
      pagesMax: request.pagesMax,
      urlsMax,
      now: startedAt,
    });
    const pagesBefore = frontier.counts().done;
    const robotsOf = createRobotsOfHosts(parts);
    const politeness = politenessFor(starts, request.delayMs);
    if (!frontier.seeded && request.depthMax !== 0)
      await seed(parts, { request, starts, scope, frontier, robotsOf, urlsMax });
    await run(parts, { request, scope, frontier, robotsOf, politeness });
    return summarize(frontier, {
      newPages: frontier.counts().done - pagesBefore,
      ended: howItEnded(frontier, request, politeness),
      seconds: (parts.clock.now() - startedAt) / 1_000,
    });
  };
}

function spelledStart(checkUrl: CheckUrl, start: string): string {
  const url = crawlUrl(checkUrl(start).href);
  if (url === null) throw new Failure('url_not_allowed', `${start} is no address that can be crawled`);
  return url;
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
  scope: CrawlScope;
  frontier: Frontier;
  robotsOf: RobotsOfHosts;
};

/** Puts what the sitemaps of the start addresses list into the frontier, behind the start addresses. */
async function seed(
  parts: CrawlDeps,
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
      await frontier.add(
        scope.toVisit(await readSitemaps(parts, { sitemaps, pagesMax: urlsMax, signal })),
        1,
      );
    }
    await frontier.markSeeded(parts.clock.now());
  } catch (error) {
    // Ended by the signal: the next run reads the sitemaps again.
    if (!(error instanceof Failure) || !signal.aborted) throw error;
  }
}

async function run(parts: CrawlDeps, running: Running & { politeness: Politeness }): Promise<void> {
  const { request, scope, frontier, robotsOf, politeness } = running;
  const { openPage, clock } = parts;
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
    wait: parts.wait ?? waitForTimer,
    visit: (row, signal) => visit(visiting, row, signal),
    settle: (batch) => settle(parts, { request, frontier }, batch),
    pagesDone: () => frontier.counts().done,
    pagesMax: request.pagesMax,
    signal: request.signal,
  });
}

/** A row is settled only after the index has its page: a kill at any point loses work, never a page. */
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
