import type { LocalIndex } from '../../index/local-index-types.ts';
import type { OpenPage } from '../../pages/open-page-types.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { CheckUrl, GuardedFetch } from '../../platform/net/fetch-types.ts';
import type { Store } from '../../platform/store/open-store.ts';
import { hasPublicName } from '../../text/urls/sites.ts';
import { openFrontier } from '../frontier/frontier.ts';
import type { Frontier, FrontierRow } from '../frontier/frontier-types.ts';
import { createNoiseParameters, type NoiseParameters } from '../frontier/noise-parameters.ts';
import { createRobotsOfHosts, type RobotsOfHosts } from '../robots/robots-of-hosts.ts';
import type { ReadSitemapFile } from '../robots/sitemap-worker.ts';
import { createPoliteness, type Politeness } from '../visit/politeness.ts';
import { startUrl } from '../visit/start-url.ts';
import { visitAll, type Wait, waitForTimer } from '../visit/visit-all.ts';
import { type Visited, type VisitScope, visitPage } from '../visit/visit-page.ts';
import { createCrawlScope } from './crawl-scope.ts';
import { createSeeding, type HostSeeding } from './seed-host.ts';

export type CrawlRequest = {
  /** Absolute http(s) addresses; their hosts are the sites that are crawled. */
  starts: string[];
  /** Maximum pages of the whole crawl, earlier runs included. */
  pagesMax: number;
  /** Maximum link distance from a start address; null: no bound. */
  depthMax: number | null;
  /** Stay at or below the folders of the start addresses. */
  withinPath: boolean;
  /** Hosts of the crawl at most, those of the start addresses included: links to others are followed. Absent: only those. */
  hostsMax?: number | undefined;
  /** Addresses of one host that the crawl knows at most; absent: HOST_URLS_MAX in a crawl of other hosts, else no bound of its own. */
  hostUrlsMax?: number | undefined;
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
  index: Pick<LocalIndex, 'put' | 'remove' | 'list'>;
  /** The network address of a host, to space requests to it; absent: hosts alone are spaced. */
  addressOf?: ((host: string) => Promise<string | null>) | undefined;
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
/** Of a crawl of many hosts, this many addresses of one: an endless site takes no more from the others. */
const HOST_URLS_MAX = 10_000;
/** Pages visited at once: of one site, and of a crawl of many hosts, most of which is waiting for them. */
const VISITS_MAX = 16;
const VISITS_OF_MANY_MAX = 48;

/** `openPage` must not index what it opens: the crawl does, and settles a row only afterwards. */
export function createBackgroundCrawl(deps: CrawlDeps): BackgroundCrawl {
  return async (request) => {
    const startedAt = deps.clock.now();
    const starts = request.starts.map((start) => startUrl(deps.checkUrl, start));
    const hostsMax = request.hostsMax ?? 0;
    const noise = createNoiseParameters();
    const scope = createCrawlScope({
      starts,
      withinPath: request.withinPath,
      hostsMax,
      spelled: noise.strip,
    });
    const urlsMax = Math.max(URLS_MAX, URLS_PER_PAGE_MAX * request.pagesMax);
    const hostUrlsMax = request.hostUrlsMax ?? (hostsMax > 0 ? HOST_URLS_MAX : urlsMax);
    const frontier = await openFrontier(deps.store, {
      starts,
      scope: scopeName(request),
      fresh: request.fresh,
      pagesMax: request.pagesMax,
      ...{ urlsMax, hostUrlsMax },
      now: startedAt,
    });
    scope.takeUp(frontier.knownHosts());
    const pagesBefore = frontier.counts().done;
    const politeness = politenessFor(request.delayMs);
    const robotsOf = createRobotsOfHosts(deps);
    const running = { request, scope, frontier, robotsOf, politeness, noise };
    await run(deps, running, createSeeding(deps, { ...running, hostUrlsMax }));
    return summarize(frontier, {
      newPages: frontier.counts().done - pagesBefore,
      ended: howItEnded(frontier, request, politeness),
      seconds: (deps.clock.now() - startedAt) / 1_000,
    });
  };
}

/** A crawl of more hosts goes on with a narrower one's addresses only where both mean the same. */
function scopeName({ withinPath, hostsMax }: CrawlRequest): string {
  const reach = withinPath ? 'path' : 'site';
  return hostsMax === undefined ? reach : `${reach} and others`;
}

function politenessFor(delayMs: number | null): Politeness {
  return createPoliteness((host) => ({
    perHostMax: PER_HOST_MAX,
    delayMs: delayMs ?? (hasPublicName(`http://${host}`) ? DELAY_MS : 0),
  }));
}

type Running = {
  request: CrawlRequest;
  scope: VisitScope;
  frontier: Frontier;
  robotsOf: RobotsOfHosts;
  politeness: Politeness;
  noise: NoiseParameters;
};

async function run(deps: CrawlDeps, running: Running, seeding: HostSeeding): Promise<void> {
  const { request, scope, frontier, robotsOf, politeness } = running;
  const { openPage, clock } = deps;
  const visiting = {
    ...{ openPage, robotsOf, politeness, scope, clock },
    pages: frontier,
    depthMax: request.depthMax,
    ...(request.fresh ? { freshMs: 0 } : {}),
  };
  await visitAll({
    ...{ frontier, politeness, clock, wait: deps.wait ?? waitForTimer },
    async visit(row, signal) {
      const spelled = running.noise.strip(row.url);
      if (spelled !== row.url) return anotherSpelling(row, spelled);
      if (!(await mayGoOn(deps, politeness, row))) return null;
      await seeding.seed(row);
      const how = seeding.isModified(row.url) ? { ...visiting, freshMs: 0 } : visiting;
      return withoutCopies(running, await visitPage(how, row, signal));
    },
    settle: (batch) => settle(deps, running, batch),
    pagesDone: () => frontier.counts().done,
    pagesMax: request.pagesMax,
    visitsMax:
      request.hostsMax === undefined && request.starts.length === 1 ? VISITS_MAX : VISITS_OF_MANY_MAX,
    signal: request.signal,
  });
}

/** Whether the address of the host takes another request now. */
async function mayGoOn(
  { addressOf, clock }: CrawlDeps,
  politeness: Politeness,
  { host }: FrontierRow,
): Promise<boolean> {
  const address = (await addressOf?.(new URL(`http://${host}`).hostname)) ?? null;
  return address === null || politeness.located(host, address, clock.now());
}

/** An address that was queued before one of its parameters turned out to be noise. */
function anotherSpelling(row: FrontierRow, pageUrl: string): Visited {
  return {
    outcome: { row, found: [pageUrl], state: 'duplicate', pageUrl },
    put: null,
    remove: [],
    read: null,
  };
}

/** Learns which parameters do not change a page; a page whose text another set of parameters has had is a copy. */
function withoutCopies({ noise }: Running, visited: Visited): Visited {
  const { outcome, read } = visited;
  if (read === null || outcome.state !== 'done') return visited;
  if (!noise.note(outcome.finalUrl, read.markdown)) return visited;
  const { row, found } = outcome;
  return {
    outcome: { row, found, state: 'duplicate', pageUrl: read.url },
    put: null,
    remove: [read.url],
    read,
  };
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
  if (!signal.aborted && [...frontier.hosts()].some((host) => politeness.hasGivenUp(host)))
    return 'host_gave_up';
  return 'aborted';
}

async function summarize(
  frontier: Frontier,
  run: Pick<CrawlSummary, 'newPages' | 'ended' | 'seconds'>,
): Promise<CrawlSummary> {
  return { ...progressOf(frontier), ...run, resumed: frontier.resumed, reasons: await frontier.reasons() };
}
