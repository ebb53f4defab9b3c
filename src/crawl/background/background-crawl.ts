/**
 * The background crawl: reads sites into the index, breadth first, politely and resumably. Rows of the frontier are settled only after
 * the index has their pages, so a kill loses work but never a page. Crawls for a single request are in `crawl/site`.
 */
import type { LocalIndex } from '../../index/local-index-types.ts';
import type { OpenPage } from '../../pages/open-page-types.ts';
import { hasSecret } from '../../pages/sharing/secret-in-address.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { CheckUrl, GuardedFetch } from '../../platform/net/fetch-types.ts';
import type { Store } from '../../platform/store/open-store.ts';
import { toCrawlableUrl } from '../../text/urls/crawlable.ts';
import { hasPublicName, toHostKey } from '../../text/urls/sites.ts';
import { openFrontier } from '../frontier/frontier.ts';
import type { Frontier, FrontierRow } from '../frontier/frontier-types.ts';
import { createNoiseParameters, type NoiseParameters } from '../frontier/noise-parameters.ts';
import { createRobotsOfHosts, type RobotsOfHosts } from '../robots/host-robots.ts';
import type { ReadSitemapFile } from '../robots/read-sitemaps.ts';
import type { DistributedCrawlContext } from '../spread/help-crawls.ts';
import { type DistributedFrontier, openDistributedFrontier } from '../spread/spread-frontier.ts';
import { formatCrawlOrder } from '../spread/spread-order.ts';
import { runDistributedCrawl } from '../spread/visit-together.ts';
import { createPoliteness, type Politeness } from '../visit/politeness.ts';
import { parseStartUrl } from '../visit/start-url.ts';
import { visitAll, type Wait, waitForTimer } from '../visit/visit-all.ts';
import { type VisitResult, type VisitScope, visitPage } from '../visit/visit-page.ts';
import type { BackgroundCrawl, CrawlProgress, CrawlRequest, CrawlSummary } from './crawl-types.ts';
import { createHostSeeder, type HostSeeder } from './seed-host.ts';

type CrawlDeps = {
  fetch: GuardedFetch;
  readSitemapFile: ReadSitemapFile;
  checkUrl: CheckUrl;
  openPage: OpenPage;
  index: Pick<LocalIndex, 'put' | 'remove' | 'list'>;
  /** Looks up the network address of a host, to space requests per address; absent: requests are spaced per host only. */
  addressOf?: ((host: string) => Promise<string | null>) | undefined;
  store: Store;
  /** Set where several processes share one crawl; null: this process reads all of it. */
  spread?: DistributedCrawlContext | null;
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

/** Poll interval while the crawl waits for other processes. */
const LOOK_MS = 500;

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
    const opening = { ...buildCrawlOpening(request, starts), now: startedAt, politeness };
    const shared = deps.spread ? await openSharedFrontier(deps, deps.spread, { request, opening }) : null;
    if (shared !== null) countProcesses = shared.processes;
    const frontier = shared ?? (await openFrontier(deps.store, opening));
    scope.takeUp(frontier.knownHosts());
    const pagesBefore = frontier.counts().done;
    const running = { request, scope, frontier, politeness, noise, robotsOf: createRobotsOfHosts(deps) };
    const seeding = createHostSeeder(deps, { ...running, hostUrlsMax: opening.hostUrlsMax });
    if (shared === null) await visitAll(buildVisitAllDeps(deps, running, seeding));
    else await crawlDistributed(deps, { running: { ...running, frontier: shared }, seeding, scope });
    return summarize(frontier, {
      newPages: frontier.counts().done - pagesBefore,
      ended: determineStopReason(running, shared?.isGivenUp() ?? false),
      seconds: (deps.clock.now() - startedAt) / 1_000,
    });
  };
}

function buildCrawlOpening(request: CrawlRequest, starts: string[]) {
  const { fresh, pagesMax, hostsMax } = request;
  const urlsMax = Math.max(URLS_MAX, URLS_PER_PAGE_MAX * pagesMax);
  const hostUrlsMax = request.hostUrlsMax ?? (hostsMax ? HOST_URLS_MAX : urlsMax);
  return { starts, scope: formatScope(request), fresh, pagesMax, urlsMax, hostUrlsMax };
}

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

type CrawlOpening = ReturnType<typeof buildCrawlOpening> & { politeness: Politeness };

function openSharedFrontier(
  { clock }: CrawlDeps,
  { store, place }: DistributedCrawlContext,
  { request, opening }: { request: CrawlRequest; opening: CrawlOpening },
): Promise<DistributedFrontier> {
  const { politeness, urlsMax, hostUrlsMax, ...wanted } = opening;
  const startHosts = new Set(wanted.starts.map(toHostKey)).size;
  const hostsMax = request.hostsMax === undefined ? null : Math.max(request.hostsMax, startHosts);
  const bounds = { urlsMax, hostUrlsMax, hostsMax };
  const order = {
    ...wanted,
    place,
    bounds,
    helps: request.helps ?? false,
    request: formatCrawlOrder(request),
  };
  return openDistributedFrontier({ store, politeness, clock }, order);
}

type CrawlContext = {
  request: CrawlRequest;
  scope: VisitScope;
  frontier: Frontier;
  robotsOf: RobotsOfHosts;
  politeness: Politeness;
  noise: NoiseParameters;
};

function buildVisitAllDeps(
  deps: CrawlDeps,
  running: CrawlContext,
  seeding: HostSeeder,
): Parameters<typeof visitAll>[0] {
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
  return {
    frontier,
    politeness,
    clock,
    wait: deps.wait ?? waitForTimer,
    async visit(row, signal) {
      if (!frontier.holds(row.host)) return null;
      const spelled = running.noise.strip(row.url);
      if (spelled !== row.url) return buildRespelledResult(row, spelled);
      if (!(await canRequestNow(deps, politeness, row))) return null;
      await seeding.seed(row);
      const how = seeding.isModified(row.url) ? { ...visiting, freshMs: 0 } : visiting;
      return markCopy(running, await visitPage(how, row, signal));
    },
    settle: (batch) => settle(deps, running, batch),
    pagesDone: () => frontier.counts().done,
    pagesMax: request.pagesMax,
    visitsMax:
      request.hostsMax === undefined && request.starts.length === 1 ? VISITS_MAX : VISITS_OF_MANY_MAX,
    signal: request.signal,
  };
}

/** Reads the crawl together with other processes. */
async function crawlDistributed(
  deps: CrawlDeps,
  {
    running,
    seeding,
    scope,
  }: { running: CrawlContext & { frontier: DistributedFrontier }; seeding: HostSeeder; scope: CrawlScope },
): Promise<void> {
  const { frontier, request } = running;
  const visits = buildVisitAllDeps(deps, running, seeding);
  deps.spread?.atWork.add(frontier.id);
  try {
    await runDistributedCrawl({
      frontier,
      wait: visits.wait,
      log: deps.log,
      signal: request.signal,
      visitHeld: (signal) =>
        visitAll({
          ...visits,
          signal,
          pagesDone: () => request.pagesMax - frontier.pagesLeft(),
          // A host that is claimed in the meantime need not wait until one of the others is ready.
          wait: (ms, until) => visits.wait(Math.min(ms, LOOK_MS), until),
        }),
      onKept: () => scope.takeUp(frontier.knownHosts()),
    });
  } finally {
    deps.spread?.atWork.delete(frontier.id);
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
  await frontier.settle(visited.map(({ outcome }) => outcome));
  for (const { outcome } of batch) request.onProgress?.({ ...buildProgress(frontier), url: outcome.row.url });
}

function buildProgress(frontier: Frontier): Omit<CrawlProgress, 'url'> {
  const { done, failed, skipped, duplicate, pending } = frontier.counts();
  return { pages: done, failed, skipped, duplicates: duplicate, queued: pending };
}

function determineStopReason(
  { frontier, request, politeness }: CrawlContext,
  othersGaveUp: boolean,
): CrawlSummary['ended'] {
  const { pagesMax, signal } = request;
  const { pending, done } = frontier.counts();
  if (pending === 0) return 'complete';
  if (done >= pagesMax) return 'pages_max';
  const gaveUp = othersGaveUp || [...frontier.hosts()].some((host) => politeness.hasGivenUp(host));
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
