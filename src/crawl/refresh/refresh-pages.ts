/**
 * Revisits pages of the index that are due, so that they stay current, and removes those that are gone. It follows no links and adds no
 * pages; how many pages it visits is up to the caller (`createRefresher` spreads them over time).
 */
import type { LocalIndex } from '../../index/local-index-types.ts';
import type { OpenPage } from '../../pages/open-page-types.ts';
import { type Clock, DAY_MS } from '../../platform/clock.ts';
import type { GuardedFetch } from '../../platform/net/fetch-types.ts';
import { hasPublicName, toHostKey } from '../../text/urls/sites.ts';
import type { Frontier, FrontierRow } from '../frontier/frontier-types.ts';
import { createPoliteness, type Politeness } from '../frontier/politeness.ts';
import { createRowQueues } from '../frontier/row-queues.ts';
import { createRobotsOfHosts } from '../robots/host-robots.ts';
import { visitAll, type Wait, waitForTimer } from '../visit/visit-all.ts';
import { type VisitDeps, type VisitResult, visitPage } from '../visit/visit-page.ts';

type RefreshRequest = {
  /** Maximum pages to visit. */
  pagesMax: number;
  signal: AbortSignal;
  onProgress?: (summary: RefreshSummary) => void;
};

/** Number of visited pages by result. */
type RefreshSummary = {
  changed: number;
  unchanged: number;
  /** Left the index: the origin no longer has the page (404, 410), or it may no longer be shared. */
  gone: number;
  /** Could not be read, or robots.txt or a redirect forbids it; they stay, and are tried again later. */
  failed: number;
};

/**
 * Visits the pages of the index that are due, the longest overdue first, as politely as a crawl: robots.txt, pauses, one request per host
 * at a time, and conditional requests for pages that are still cached. May be aborted at any point.
 */
export type RefreshPages = (request: RefreshRequest) => Promise<RefreshSummary>;

type RefreshDeps = {
  fetch: GuardedFetch;
  /** Must not index what it opens. */
  openPage: OpenPage;
  index: Pick<LocalIndex, 'due' | 'get' | 'put' | 'remove' | 'confirm' | 'postpone'>;
  clock: Clock;
  /** Replaced by tests that move the clock. */
  wait?: Wait;
};

/** Longer than in a crawl, because nobody waits for a refresh. */
const DELAY_MS = 1_000;
const DUE_AT_ONCE = 500;
/** Time until the next attempt at a page that failed, or that may not be visited. */
const FAILED_MS = DAY_MS;
const REFUSED_MS = 30 * DAY_MS;

export function createRefreshPages(deps: RefreshDeps): RefreshPages {
  const robotsOf = createRobotsOfHosts(deps);
  return async (request) => {
    const summary: RefreshSummary = { changed: 0, unchanged: 0, gone: 0, failed: 0 };
    const politeness = createPoliteness((host) => ({
      perHostMax: 1,
      delayMs: hasPublicName(`https://${host}/`) ? DELAY_MS : 0,
    }));
    const seen = new Set<string>();
    while (!request.signal.aborted && seen.size < request.pagesMax) {
      const due = await deps.index.due(Math.min(DUE_AT_ONCE, request.pagesMax - seen.size));
      const urls = due.filter((url) => !seen.has(url));
      if (urls.length === 0) break;
      for (const url of urls) seen.add(url);
      await visitDue({ ...deps, robotsOf }, urls, { request, summary, politeness });
    }
    return summary;
  };
}

type DueVisitDeps = RefreshDeps & Pick<VisitDeps, 'robotsOf'>;
type RefreshRun = { request: RefreshRequest; summary: RefreshSummary; politeness: Politeness };

async function visitDue(deps: DueVisitDeps, urls: string[], run: RefreshRun): Promise<void> {
  const { request, summary, politeness } = run;
  const { clock } = deps;
  const queues = createDueQueues(urls);
  await visitAll({
    frontier: queues,
    politeness,
    clock,
    wait: deps.wait ?? waitForTimer,
    signal: request.signal,
    visit: (row, signal) => visitPage(buildVisitDeps(deps, row, politeness), row, signal),
    async settle(batch) {
      for (const visited of batch) summary[await settle(deps, visited)] += 1;
      request.onProgress?.(summary);
    },
    pagesLeft: () => Number.POSITIVE_INFINITY,
  });
  // A host that was given up keeps its pages for later.
  const left = queues.left();
  if (!request.signal.aborted && left.length > 0) await deps.index.postpone(left, clock.now() + FAILED_MS);
}

/** A page that moved within its site is followed; nothing else is. */
function buildVisitDeps(deps: DueVisitDeps, row: FrontierRow, politeness: Politeness): VisitDeps {
  return {
    openPage: deps.openPage,
    robotsOf: deps.robotsOf,
    politeness,
    clock: deps.clock,
    scope: { covers: (url) => toHostKey(url) === row.host, toVisit: () => [] },
    pages: { titleOf: () => undefined, claim() {} },
    depthMax: 0,
    freshMs: 0,
  };
}

/** Writes the result of a visit to the index. */
async function settle(
  { index, clock }: RefreshDeps,
  { outcome, put, remove }: VisitResult,
): Promise<keyof RefreshSummary> {
  const { url } = outcome.row;
  if (remove.length > 0) {
    await index.remove([...new Set([url, ...remove])]);
    return 'gone';
  }
  if (put === null) {
    const pause = outcome.state === 'skipped' ? REFUSED_MS : FAILED_MS;
    await index.postpone([url], clock.now() + pause);
    return 'failed';
  }
  const held = await index.get(url);
  if (put.url === url && held?.markdown === put.markdown && held.title === put.title) {
    await index.confirm([{ url, fetchedAt: put.fetchedAt }]);
    return 'unchanged';
  }
  await index.put([put]);
  if (put.url !== url) await index.remove([url]);
  return 'changed';
}

type DueQueues = Pick<Frontier, 'hosts' | 'peek' | 'take' | 'putBack'> & {
  /** Addresses that were not visited. */
  left(): string[];
};

/** Queues addresses by host, in their order. In memory only: pages that are not visited are still due in the index. */
function createDueQueues(urls: string[]): DueQueues {
  const waiting = new Set<FrontierRow>();
  const queues = createRowQueues<FrontierRow>(
    (row) => waiting.has(row),
    (left, right) => right.id - left.id,
  );
  const put = (row: FrontierRow): void => {
    waiting.add(row);
    queues.put(row);
  };
  for (const [id, url] of urls.entries())
    put({ id, url, host: toHostKey(url), depth: 0, attempts: 0, not_before: 0 });
  return {
    hosts: queues.hosts,
    peek: async (host) => queues.first(host),
    take: (row) => void waiting.delete(row),
    putBack: put,
    left: () => [...waiting].map(({ url }) => url),
  };
}

/** Refreshes the index in the background at a bounded rate. */
type Refresher = {
  /** Visits as many due pages as the time since the last call allows; does nothing while a visit is under way. */
  tick(): Promise<void>;
  /** Aborts the visits in progress. */
  stop(): void;
};

const HOUR_MS = 3_600_000;
/** Maximum unused time that is carried over, so that it does not add up to a flood. */
const SAVED_MS_MAX = 300_000;

export function createRefresher(parts: { refresh: RefreshPages; perHour: number; clock: Clock }): Refresher {
  const { refresh, perHour, clock } = parts;
  const ending = new AbortController();
  let savedMs = 0;
  let lastAt = clock.now();
  let isRunning = false;
  return {
    async tick() {
      const now = clock.now();
      savedMs = Math.min(Math.max(SAVED_MS_MAX, HOUR_MS / perHour), savedMs + Math.max(0, now - lastAt));
      lastAt = now;
      const pagesMax = Math.floor((savedMs * perHour) / HOUR_MS);
      if (isRunning || pagesMax === 0 || ending.signal.aborted) return;
      isRunning = true;
      try {
        savedMs -= (pagesMax * HOUR_MS) / perHour;
        await refresh({ pagesMax, signal: ending.signal });
      } finally {
        isRunning = false;
      }
    },
    stop: () => ending.abort(),
  };
}
