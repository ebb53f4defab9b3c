/**
 * The frontier of a distributed crawl in PostgreSQL, with the interface of the local frontier. Hosts are leased to processes, one process
 * per host, and a process that has lost a lease writes nothing of that host. Claims and renewals are in keep-hosts.ts.
 */
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { StoreUnavailable } from '../../contract/errors.ts';
import type { CrawlQueries } from '../../platform/store/crawls/open-crawl-store.ts';
import type { Frontier, FrontierRow, StateCounts, VisitOutcome } from '../frontier/frontier-types.ts';
import { createHostQueues } from '../frontier/host-queues.ts';
import { createSeenUrls } from '../frontier/known-urls.ts';
import { beginCrawl, lockCrawl, reservePages } from './crawl-rows.ts';
import { createHeldHosts } from './held-hosts.ts';
import { lockHeldHosts } from './host-rows.ts';
import {
  type DistributedCrawlDeps,
  type DistributedCrawlOptions,
  type DistributedCrawlParts,
  type DistributedCrawlState,
  leaveCrawl,
  RESERVED_MAX,
  renewHostLeases,
  updateHostLeases,
} from './keep-hosts.ts';
import {
  countReasons,
  insertUrls,
  type NewUrl,
  readHosts,
  readNextUrls,
  reopenClaims,
  reopenUrls,
  writeOutcomes,
} from './url-rows.ts';

/**
 * A frontier in PostgreSQL that several processes share. Each process leases hosts and reads their addresses; the links it finds
 * become part of the shared frontier.
 */
export type DistributedFrontier = Frontier & {
  readonly id: string;
  /** Claims hosts and renews leases. Call twice a second; the first call starts taking part. */
  keep(): Promise<void>;
  /** Returns whether nothing is left for any process, or no process wants the crawl any more. */
  isOver(): boolean;
  /** Returns whether any process still wants the crawl. */
  isWanted(): boolean;
  /** Returns whether all remaining addresses are on hosts that pushed back too often. */
  isGivenUp(): boolean;
  /** Number of pages that this process may still begin or write. */
  pagesLeft(): number;
  /** Number of processes that read the crawl, including this one. */
  processes(): number;
  /** Releases the claimed hosts. */
  leave(): Promise<void>;
};

/** Computes the id of a crawl from its start addresses, scope and index. */
function computeCrawlId({
  starts,
  scope,
  place,
}: Pick<DistributedCrawlOptions, 'starts' | 'scope' | 'place'>): string {
  const named = JSON.stringify([place, scope, ...starts.toSorted()]);
  return createHash('sha256').update(named).digest('hex').slice(0, 32);
}

export async function openDistributedFrontier(
  deps: DistributedCrawlDeps,
  options: DistributedCrawlOptions,
): Promise<DistributedFrontier> {
  const { store, clock } = deps;
  const id = computeCrawlId(options);
  const worker = randomUUID();
  const resumed = options.helps || (await beginCrawl(store, { id, worker, ...options }));
  const state: DistributedCrawlState = {
    id,
    worker,
    seen: createSeenUrls(options.bounds.urlsMax),
    counts: { ...NONE },
    held: createHeldHosts(deps),
    known: { titles: new Map(), claimed: new Set(), hosts: new Set() },
    pendingHosts: 0,
    isGivenUp: false,
    isWanted: true,
    others: 0,
    reserved: 0,
    renewedAt: Number.NEGATIVE_INFINITY,
  };
  const { held, known } = state;
  const queues = createHostQueues(held, (host, limit) =>
    readNextUrls(store.db, id, { host, limit, now: clock.now() }),
  );
  const all = { ...deps, state, options, queues };
  if (!options.helps) await addUrls(all, buildNewUrls(options.starts, 0));
  for (const host of await readHosts(store.db, id)) known.hosts.add(host);
  return {
    id,
    resumed,
    hosts: held.readable,
    knownHosts: () => known.hosts,
    hasVisited: held.hasVisited,
    counts: () => ({ ...state.counts }),
    titleOf: (pageUrl) => known.titles.get(pageUrl),
    isClaimed: (pageUrl) => known.claimed.has(pageUrl),
    claim(pageUrl, title) {
      if (title === null) known.claimed.add(pageUrl);
      else known.titles.set(pageUrl, title);
    },
    add: (urls, depth) => addUrls(all, buildNewUrls(urls, depth)),
    skip: (urls, reason) => addUrls(all, buildNewUrls(urls, 1, reason)),
    peek: queues.peek,
    take(row) {
      queues.take(row);
      held.begun(row.host);
    },
    putBack(row) {
      queues.putBack(row);
      held.ended(row.host);
    },
    holds: held.holds,
    ours: (rows) => retryWhileUnavailable(() => findOwnRows(store.db, state, rows)),
    settle: (outcomes) => settle(all, outcomes),
    reasons: () => countReasons(store.db, id),
    keep: () => updateHostLeases(all),
    leave: () => leaveCrawl(all),
    processes: () => state.others + 1,
    isOver: () =>
      state.counts.pending === 0 ||
      state.counts.done >= options.pagesMax ||
      state.isGivenUp ||
      (options.helps && !state.isWanted),
    isWanted: () => state.isWanted,
    isGivenUp: () => state.isGivenUp,
    pagesLeft: () => state.reserved,
  };
}

const NONE: StateCounts = { pending: 0, done: 0, duplicate: 0, skipped: 0, failed: 0 };

const buildNewUrls = (urls: readonly string[], depth: number, reason: string | null = null): NewUrl[] =>
  urls.map((url) => ({ url, depth, reason }));

/** Filters addresses that this process has not seen yet and records them; another process may know them. */
function filterUnseen({ seen }: DistributedCrawlState, urls: readonly NewUrl[]): NewUrl[] {
  return urls.filter(({ url }) => {
    if (!seen.fits(url)) return false;
    seen.remember(url);
    return true;
  });
}

async function addUrls(
  { store, state, options, clock }: DistributedCrawlParts,
  rows: readonly NewUrl[],
): Promise<void> {
  const urls = filterUnseen(state, rows);
  if (urls.length === 0) return;
  await retryWhileUnavailable(() =>
    store.transaction(async (tx) => {
      if ((await lockCrawl(tx, state.id)) === null) return;
      await insertUrls(tx, state.id, { urls, bounds: options.bounds });
    }),
  );
  await renewHostLeases({ store, state, clock });
}

/** Returns the ids of rows whose hosts this process still holds. */
async function findOwnRows(
  db: CrawlQueries,
  { id, held }: DistributedCrawlState,
  rows: readonly FrontierRow[],
): Promise<Set<number>> {
  const hosts = await lockHeldHosts(db, id, held.leasesOf(rows.map(({ host }) => host)));
  return new Set(rows.filter(({ host }) => hosts.has(host)).map((row) => row.id));
}

/** Writes the outcomes for hosts that this process still holds, in one transaction; drops the rest, which their new holders read. */
async function settle(
  { store, state, options, queues, clock }: DistributedCrawlParts,
  outcomes: VisitOutcome[],
): Promise<void> {
  const { id, held, known, worker } = state;
  const urls = filterUnseen(
    state,
    outcomes.flatMap(({ found, row }) => buildNewUrls(found, row.depth + 1)),
  );
  const write = async (tx: CrawlQueries) => {
    if ((await lockCrawl(tx, id)) === null)
      return { ours: new Set<string>(), titles: new Map(), reserved: 0 };
    const ours = await lockHeldHosts(tx, id, held.leasesOf(outcomes.map(({ row }) => row.host)));
    const mine = outcomes.filter(({ row }) => ours.has(row.host));
    await writeOutcomes(tx, id, { outcomes: mine, now: clock.now() });
    const done = mine.filter((outcome) => outcome.state === 'done');
    await reopenUrls(
      tx,
      id,
      done
        .filter(({ claims }) => claims === null)
        .map(({ row, pageUrl, overrules }) => ({ id: row.id, pageUrl, all: overrules })),
    );
    const titles = await reopenClaims(
      tx,
      id,
      done.flatMap(({ row, claims }) => (claims === null ? [] : [{ id: row.id, url: claims }])),
    );
    await insertUrls(tx, id, { urls, bounds: options.bounds });
    const reserved = await reservePages(tx, id, { worker, pagesMax: options.pagesMax, wanted: RESERVED_MAX });
    return { ours, titles, reserved };
  };
  const written = await retryWhileUnavailable(() => store.transaction(write));
  for (const [url, title] of written.titles) known.titles.set(url, title);
  for (const { row } of outcomes) {
    queues.settled(row);
    held.ended(row.host);
  }
  state.reserved = written.reserved;
  held.keepOnly(
    outcomes.map(({ row }) => row.host),
    written.ours,
  );
  await renewHostLeases({ store, state, clock });
}

/** Retries while the database restarts, so that pages read in the meantime are not lost. */
const TRIES_MAX = 60;
const TRY_EVERY_MS = 1_000;

/** Retries idempotent work while the database is unavailable. */
async function retryWhileUnavailable<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || tries >= TRIES_MAX) throw error;
    }
    await pause(TRY_EVERY_MS);
  }
}
