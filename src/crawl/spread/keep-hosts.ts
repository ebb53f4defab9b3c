import type { Clock } from '../../platform/clock.ts';
import type { CrawlStore } from '../../platform/store/crawls/open-crawl-store.ts';
import type { StateCounts } from '../frontier/frontier-types.ts';
import type { HostQueues } from '../frontier/host-queues.ts';
import type { createSeenUrls } from '../frontier/known-urls.ts';
import type { Politeness } from '../visit/politeness.ts';
import {
  countOtherWorkers,
  lockCrawl,
  readCounts,
  recordWorker,
  removeWorker,
  reservePages,
} from './crawl-rows.ts';
import type { HeldHosts } from './held-hosts.ts';
import { type ClaimedHost, claimHosts, releaseHosts, renewHosts } from './host-rows.ts';
import { type FrontierBounds, readHosts, readUrls } from './url-rows.ts';

/** Options of a crawl that several processes share. */
export type DistributedCrawlOptions = {
  starts: string[];
  /** Distinguishes crawls with the same start addresses. */
  scope: string;
  /** Identifies the index that receives the pages. */
  place: string;
  /** The order as JSON, for the processes that help. */
  request: string;
  fresh: boolean;
  pagesMax: number;
  bounds: FrontierBounds;
  /** True if another process started the crawl and decides how long it is wanted. */
  helps: boolean;
};

export type DistributedCrawlDeps = { store: CrawlStore; politeness: Politeness; clock: Clock };

/** The state of a crawl as this process knows it, and of its own part in it. */
export type DistributedCrawlState = {
  id: string;
  /** Identifies this process. */
  worker: string;
  held: HeldHosts;
  known: { titles: Map<string, string>; claimed: Set<string>; hosts: Set<string> };
  seen: ReturnType<typeof createSeenUrls>;
  counts: StateCounts;
  /** Hosts with waiting addresses that are not given up. */
  pendingHosts: number;
  isGivenUp: boolean;
  isWanted: boolean;
  /** Number of other processes that read the crawl. */
  others: number;
  /** Maximum pages that this process may have in progress or unwritten. */
  reserved: number;
  renewedAt: number;
};

export type DistributedCrawlParts = DistributedCrawlDeps & {
  state: DistributedCrawlState;
  options: DistributedCrawlOptions;
  queues: HostQueues;
};

/** Interval at which leases are renewed and the counts are read. */
const RENEW_MS = 2_000;
/** Maximum hosts that one process holds. */
const HOSTS_MAX = 128;
/** Maximum pages that a process may reserve. */
export const RESERVED_MAX = 256;

/** Renews leases and reads the counts of the whole crawl. */
export async function renewHostLeases({
  store,
  state,
  clock,
}: Pick<DistributedCrawlParts, 'store' | 'state' | 'clock'>): Promise<void> {
  const { id, held } = state;
  const [at, asked] = [clock.now(), held.paces()];
  const pending = await store.transaction(async (tx) => {
    await lockCrawl(tx, id);
    return renewHosts(tx, id, asked);
  });
  held.renewed(pending, { at, asked });
  const { counts, hosts, isGivenUp } = await readCounts(store.db, id);
  Object.assign(state, { counts, pendingHosts: hosts, isGivenUp });
}

/** Renews the leases of this process, releases hosts beyond its share, and claims hosts up to its share. */
export async function updateHostLeases(all: DistributedCrawlParts): Promise<void> {
  const { store, state, options, clock } = all;
  const { id, worker, held } = state;
  const now = clock.now();
  if (now - state.renewedAt >= RENEW_MS) {
    state.isWanted = await recordWorker(store.db, id, { worker, wants: !options.helps });
    state.others = await countOtherWorkers(store.db, id, worker);
    await renewHostLeases(all);
    state.reserved = await store.transaction(async (tx) => {
      await lockCrawl(tx, id);
      return reservePages(tx, id, { worker, pagesMax: options.pagesMax, wanted: RESERVED_MAX });
    });
    for (const host of await readHosts(store.db, id)) state.known.hosts.add(host);
    state.renewedAt = now;
  }
  const share = Math.min(HOSTS_MAX, Math.max(1, Math.ceil(state.pendingHosts / (state.others + 1))));
  await releaseLeases(all, held.spare(state.others > 0 ? share : HOSTS_MAX));
  const limit = share - held.size();
  if (limit > 0) await adoptHosts(all, await claimHosts(store.db, id, { worker, limit }), now);
}

async function releaseLeases(
  { store, state }: DistributedCrawlParts,
  hosts: readonly string[],
): Promise<void> {
  if (hosts.length === 0) return;
  const paces = state.held.paces().filter(({ host }) => hosts.includes(host));
  state.held.drop(hosts);
  await store.transaction(async (tx) => {
    await lockCrawl(tx, state.id);
    await releaseHosts(tx, state.id, paces);
  });
}

/** Adds claimed hosts, with the addresses and pages that earlier holders have read. */
async function adoptHosts(
  { store, state, queues }: DistributedCrawlParts,
  claimed: readonly ClaimedHost[],
  at: number,
): Promise<void> {
  if (claimed.length === 0) return;
  const rows = await readUrls(
    store.db,
    state.id,
    claimed.map(({ host }) => host),
  );
  for (const { url, state: outcome, page_url: pageUrl, title } of rows) {
    state.seen.remember(url);
    if (outcome !== 'done' || pageUrl === null) continue;
    if (title === null) state.known.claimed.add(pageUrl);
    else state.known.titles.set(pageUrl, title);
  }
  for (const { host } of claimed) queues.forget(host);
  state.held.add(claimed, at);
}

/** Releases all hosts and leaves the crawl. */
export async function leaveCrawl({ store, state, options }: DistributedCrawlParts): Promise<void> {
  const { id, worker, held } = state;
  await store.transaction(async (tx) => {
    await lockCrawl(tx, id);
    await releaseHosts(tx, id, held.paces());
  });
  await removeWorker(store.db, id, { worker, wants: !options.helps });
}
