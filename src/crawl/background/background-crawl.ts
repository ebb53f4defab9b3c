/**
 * The background crawl: reads sites into the index, breadth first, politely and resumably. Rows of the frontier are settled only after
 * the index has their pages, so a kill loses work but never a page. Crawls for a single request are in `crawl/site`.
 */
import type { LocalIndex } from '../../index/local-index-types.ts';
import type { OpenPage } from '../../pages/open-page-types.ts';
import { hasSecret } from '../../pages/privacy/secret-in-address.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { CheckUrl, GuardedFetch } from '../../platform/net/fetch-types.ts';
import { toCrawlableUrl } from '../../text/urls/crawlable.ts';
import { hasPublicName, toHostKey } from '../../text/urls/sites.ts';
import { openFrontier } from '../frontier/frontier.ts';
import type { Frontier, FrontierRow } from '../frontier/frontier-types.ts';
import { createNoiseParameters, type NoiseParameters } from '../frontier/noise-parameters.ts';
import { createPoliteness, type Politeness } from '../frontier/politeness.ts';
import type { FrontierBounds } from '../frontier/url-rows.ts';
import { createRobotsOfHosts, type RobotsOfHosts } from '../robots/host-robots.ts';
import type { ReadSitemapFile } from '../robots/read-sitemaps.ts';
import { parseStartUrl } from '../visit/start-url.ts';
import { visitAll, type Wait, waitForTimer } from '../visit/visit-all.ts';
import { type VisitResult, type VisitScope, visitPage } from '../visit/visit-page.ts';
import type {
  BackgroundCrawl,
  BackgroundCrawlOrder,
  CrawlProgress,
  CrawlRequest,
  CrawlSummary,
} from './crawl-types.ts';
import type { Frontiers } from './help-crawls.ts';
import { createHostSeeder, type HostSeeder } from './seed-host.ts';

type CrawlDeps = {
  fetch: GuardedFetch;
  readSitemapFile: ReadSitemapFile;
  checkUrl: CheckUrl;
  openPage: OpenPage;
  index: Pick<LocalIndex, 'put' | 'remove' | 'list'>;
  /** Looks up the network address of a host, to space requests per address; absent: requests are spaced per host only. */
  addressOf?: ((host: string) => Promise<string | null>) | undefined;
  frontiers: Frontiers;
  clock: Clock;
  log: Log;
  /** Replaced by tests that move the clock. */
  wait?: Wait;
};

/** Milliseconds between two requests to a public host, and maximum concurrent requests to one host. */
const DELAY_MS = 200;
const PER_HOST_MAX = 4;
/** Maximum addresses of one crawl; `URLS_PER_PAGE_MAX` times the page limit if that is more. */
const URLS_MAX = 100_000;
const URLS_PER_PAGE_MAX = 4;
/** Maximum addresses of one host in a crawl of many hosts, so that an endless site leaves room for the others. */
const HOST_URLS_MAX = 10_000;
/** Concurrent visits in a crawl of one site, and in a crawl of many hosts, where most of the time is spent waiting. */
const VISITS_MAX = 16;
const VISITS_OF_MANY_MAX = 48;

/** `openPage` must not index what it opens: the crawl indexes it and settles the row afterwards. */
export function createBackgroundCrawl(deps: CrawlDeps): BackgroundCrawl {
  return async (request) => {
    const startedAt = deps.clock.now();
    const starts = request.starts.map((start) => parseStartUrl(deps.checkUrl, start));
    const noise = createNoiseParameters();
    const scope = createCrawlScope({
      starts,
      withinPath: request.withinPath,
      hostsMax: request.hostsMax ?? 0,
      spelled: noise.strip,
    });
    let countProcesses = (): number => 1;
    const politeness = createCrawlPoliteness(request.delayMs, () => countProcesses());
    const bounds = computeBounds(request, starts);
    const frontier = await openCrawlFrontier(deps, { request, starts, bounds, politeness });
    countProcesses = frontier.processes;
    const pagesBefore = frontier.counts().done;
    const running = { request, scope, frontier, politeness, noise, robotsOf: createRobotsOfHosts(deps) };
    const seeding = createHostSeeder(deps, { ...running, hostUrlsMax: bounds.hostUrlsMax });
    await visitPages(deps, running, seeding);
    return summarize(frontier, {
      newPages: frontier.counts().done - pagesBefore,
      ended: determineStopReason(running),
      seconds: (deps.clock.now() - startedAt) / 1_000,
    });
  };
}

function computeBounds(
  { pagesMax, hostsMax, hostUrlsMax }: CrawlRequest,
  starts: readonly string[],
): FrontierBounds {
  const urlsMax = Math.max(URLS_MAX, URLS_PER_PAGE_MAX * pagesMax);
  return {
    urlsMax,
    hostUrlsMax: hostUrlsMax ?? (hostsMax ? HOST_URLS_MAX : urlsMax),
    hostsMax: hostsMax === undefined ? null : Math.max(hostsMax, new Set(starts.map(toHostKey)).size),
  };
}

type OpeningParts = {
  request: CrawlRequest;
  starts: string[];
  bounds: FrontierBounds;
  politeness: Politeness;
};

function openCrawlFrontier(
  { frontiers: { store, place }, clock }: CrawlDeps,
  { request, starts, bounds, politeness }: OpeningParts,
): Promise<Frontier> {
  const { fresh, pagesMax, helps = false } = request;
  return openFrontier(
    { store, politeness, clock },
    {
      starts,
      place,
      bounds,
      fresh,
      pagesMax,
      helps,
      scope: formatScope(request),
      request: JSON.stringify(request, ORDER_FIELDS),
    },
  );
}

const ORDER_FIELDS: (keyof BackgroundCrawlOrder)[] = [
  'starts',
  'pagesMax',
  'depthMax',
  'withinPath',
  'hostsMax',
  'hostUrlsMax',
  'fresh',
  'delayMs',
];

/** Part of the crawl's id, so that a crawl continues an earlier one only if both have the same scope. */
function formatScope({ withinPath, hostsMax }: CrawlRequest): string {
  const reach = withinPath ? 'path' : 'site';
  return hostsMax === undefined ? reach : `${reach} and others`;
}

function createCrawlPoliteness(delayMs: number | null, processes: () => number): Politeness {
  return createPoliteness(
    (host) => ({
      perHostMax: PER_HOST_MAX,
      delayMs: delayMs ?? (hasPublicName(`http://${host}`) ? DELAY_MS : 0),
    }),
    processes,
  );
}

type CrawlContext = {
  request: CrawlRequest;
  scope: CrawlScope;
  frontier: Frontier;
  robotsOf: RobotsOfHosts;
  politeness: Politeness;
  noise: NoiseParameters;
};

/** Reads the crawl, with the other processes that share it, until nothing is left for any of them or no process wants it. */
async function visitPages(deps: CrawlDeps, running: CrawlContext, seeding: HostSeeder): Promise<void> {
  const { request, scope, frontier, robotsOf, politeness, noise } = running;
  const { openPage, clock, log } = deps;
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
  const unwanted = new AbortController();
  const keep = async (): Promise<void> => {
    await frontier.keep();
    scope.takeUp(frontier.knownHosts());
    if (!frontier.isWanted()) unwanted.abort();
  };
  deps.frontiers.atWork.add(frontier.id);
  try {
    await keep();
    await visitAll({
      frontier,
      politeness,
      clock,
      wait: deps.wait ?? waitForTimer,
      async visit(row, signal) {
        if (!frontier.holds(row.host)) return null;
        const spelled = noise.strip(row.url);
        if (spelled !== row.url) return buildRespelledResult(row, spelled);
        if (!(await canRequestNow(deps, politeness, row))) return null;
        await seeding.seed(row);
        const how = seeding.isModified(row.url) ? { ...visiting, freshMs: 0 } : visiting;
        return markCopy(running, await visitPage(how, row, signal));
      },
      settle: (batch) => settle(deps, running, batch),
      pagesLeft: frontier.pagesLeft,
      visitsMax:
        request.hostsMax === undefined && request.starts.length === 1 ? VISITS_MAX : VISITS_OF_MANY_MAX,
      sharing: {
        // While the database is unavailable, no host is claimed, and held hosts are read until their leases end.
        keep: () =>
          keep().catch((err: unknown) => log.warn({ err }, 'the hosts of a crawl could not be renewed')),
        isOver: frontier.isOver,
      },
      signal: AbortSignal.any([request.signal, unwanted.signal]),
    });
  } finally {
    await frontier
      .leave()
      .catch((err: unknown) => log.warn({ err }, 'the hosts of a crawl could not be given back'));
    deps.frontiers.atWork.delete(frontier.id);
  }
}

/** Resolves to whether the network address of the host accepts another request now. */
async function canRequestNow(
  { addressOf, clock }: CrawlDeps,
  politeness: Politeness,
  { host }: FrontierRow,
): Promise<boolean> {
  const address = (await addressOf?.(new URL(`http://${host}`).hostname)) ?? null;
  return address === null || politeness.located(host, address, clock.now());
}

/** Builds the result for an address that was queued before one of its parameters turned out to be noise. */
function buildRespelledResult(row: FrontierRow, pageUrl: string): VisitResult {
  return {
    outcome: { row, found: [pageUrl], state: 'duplicate', pageUrl },
    put: null,
    remove: [],
    read: null,
  };
}

/** Learns which parameters do not change a page, and marks a page as a copy if other parameters gave the same text. */
function markCopy({ noise }: CrawlContext, visited: VisitResult): VisitResult {
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
  { request, frontier }: Pick<CrawlContext, 'request' | 'frontier'>,
  visited: VisitResult[],
): Promise<void> {
  const ours = await frontier.ours(visited.map(({ outcome }) => outcome.row));
  const batch = visited.filter(({ outcome }) => ours.has(outcome.row.id));
  const pages = batch.map(({ put }) => put).filter((page) => page !== null);
  const gone = batch.flatMap(({ remove }) => remove);
  if (pages.length > 0) await index.put([...new Map(pages.map((page) => [page.url, page])).values()]);
  if (gone.length > 0) await index.remove(gone);
  await frontier.settle(batch.map(({ outcome }) => outcome));
  // Their new holders read what is no longer ours.
  for (const { outcome } of visited) if (!ours.has(outcome.row.id)) frontier.putBack(outcome.row);
  for (const { outcome } of batch) request.onProgress?.({ ...buildProgress(frontier), url: outcome.row.url });
}

function buildProgress(frontier: Frontier): Omit<CrawlProgress, 'url'> {
  const { done, failed, skipped, duplicate, pending } = frontier.counts();
  return { pages: done, failed, skipped, duplicates: duplicate, queued: pending };
}

function determineStopReason({ frontier, request, politeness }: CrawlContext): CrawlSummary['ended'] {
  const { pagesMax, signal } = request;
  const { pending, done } = frontier.counts();
  if (pending === 0) return 'complete';
  if (done >= pagesMax) return 'pages_max';
  const gaveUp = frontier.isGivenUp() || [...frontier.hosts()].some((host) => politeness.hasGivenUp(host));
  if (!signal.aborted && gaveUp) return 'host_gave_up';
  return 'aborted';
}

async function summarize(
  frontier: Frontier,
  run: Pick<CrawlSummary, 'newPages' | 'ended' | 'seconds'>,
): Promise<CrawlSummary> {
  return { ...buildProgress(frontier), ...run, resumed: frontier.resumed, reasons: await frontier.reasons() };
}

type ScopeOptions = {
  /** Start addresses as `toCrawlUrl` spells them. */
  starts: string[];
  /** Stay at or below the folders of the start addresses. */
  withinPath: boolean;
  /** Maximum hosts, including those of the start addresses; links to new hosts are followed until it is reached. */
  hostsMax: number;
  /** Normalizes an address of a site, for example by removing parameters that do not change the page. */
  spelled(url: string): string;
};

/** The sites of a crawl. */
type CrawlScope = VisitScope & {
  /** Adds hosts that an earlier run found. */
  takeUp(hosts: Iterable<string>): void;
};

/** Covers the sites of the start addresses and up to `hostsMax` hosts in all; a host with and without `www.` is one site. */
function createCrawlScope({ starts, withinPath, hostsMax, spelled }: ScopeOptions): CrawlScope {
  const hosts = new Set(starts.map(toHostKey));
  const folders = starts.map((url) => ({ host: toHostKey(url), path: parseFolderPath(url) }));
  const isWithin = (url: string, host: string): boolean => {
    const { pathname } = new URL(url);
    const own = folders.filter((folder) => folder.host === host);
    return own.length === 0 || own.some(({ path }) => pathname.startsWith(path));
  };
  const covers = (url: string): boolean => {
    const host = toHostKey(url);
    if (!hosts.has(host) && hosts.size >= hostsMax) return false;
    if (withinPath && !isWithin(url, host)) return false;
    hosts.add(host);
    return true;
  };
  return {
    covers,
    takeUp(known) {
      for (const host of known) hosts.add(host);
    },
    toVisit(links) {
      const urls = new Set<string>();
      for (const link of links) {
        const url = toCrawlableUrl(link);
        if (url !== null && !hasSecret(url) && covers(url)) urls.add(spelled(url));
      }
      return [...urls];
    },
  };
}

/** The path up to its last slash. */
function parseFolderPath(url: string): string {
  const { pathname } = new URL(url);
  return pathname.slice(0, pathname.lastIndexOf('/') + 1);
}
