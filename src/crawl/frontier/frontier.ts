/**
 * The frontier of a crawl in its store: which addresses are known, which wait and how the others ended. It resumes an unfinished crawl with
 * the same start addresses and scope. Any number of processes may share it, one included: hosts are leased to processes, one process per
 * host, and a process that has lost a lease writes nothing of that host. It does not visit pages.
 */
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { StoreUnavailable } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { CrawlStore } from '../../platform/store/crawls/open-crawl-store.ts';
import { toHostKey } from '../../text/urls/sites.ts';
import {
  beginCrawl,
  changeCrawl,
  countOtherWorkers,
  type LockedCrawl,
  readCounts,
  recordMoves,
  recordWorker,
  removeWorker,
  reservePages,
  type UrlMove,
} from './crawl-rows.ts';
import type { Frontier, StateCounts, VisitOutcome } from './frontier-types.ts';
import { createHeldHosts, type HeldHosts } from './held-hosts.ts';
import { createHostQueues, type HostQueues } from './host-queues.ts';
import {
  type ClaimedHost,
  claimHosts,
  listHosts,
  readPending,
  releaseHosts,
  renewHosts,
} from './host-rows.ts';
import type { Politeness } from './politeness.ts';
import { createSeenUrls, type SeenUrls } from './seen-urls.ts';
import {
  countReasons,
  type FrontierBounds,
  insertUrls,
  type NewUrl,
  readNextUrls,
  readUrls,
  reopenClaims,
  writeOutcomes,
} from './url-rows.ts';

type FrontierDeps = { store: CrawlStore; politeness: Politeness; clock: Clock };

type FrontierOptions = {
  starts: string[];
  /** Distinguishes crawls with the same start addresses, such as one with a narrower scope. */
  scope: string;
  /** Identifies the index that receives the pages; empty in the file store. */
  place: string;
  /** The order as JSON, for the processes that help. */
  request: string;
  /** Start over even if an earlier crawl from the same addresses is unfinished. */
  fresh: boolean;
  pagesMax: number;
  bounds: FrontierBounds;
  /** True if another process started the crawl and decides how long it is wanted. */
  helps: boolean;
};

/** The crawl as this process knows it, and its own part in it. */
type FrontierState = {
  held: HeldHosts;
  /** Title by the address under which a page was indexed. */
  titles: Map<string, string>;
  hosts: Set<string>;
  /** Addresses that this process has seen; another process may know more. */
  seen: SeenUrls;
  counts: StateCounts;
  /** Hosts with waiting addresses that are not given up. */
  pendingHosts: number;
  isWanted: boolean;
  /** Number of other processes that read the crawl. */
  others: number;
  /** Maximum pages that this process may have in progress or unwritten. */
  reserved: number;
  lookedAt: number;
  renewedAt: number;
};

type FrontierParts = FrontierDeps & {
  id: string;
  /** Identifies this process. */
  worker: string;
  options: FrontierOptions;
  state: FrontierState;
  queues: HostQueues;
};

/** Opens the frontier of the crawl from these start addresses: continues an unfinished crawl and restarts a finished one. */
export async function openFrontier(deps: FrontierDeps, options: FrontierOptions): Promise<Frontier> {
  const { store, clock } = deps;
  const { helps, bounds } = options;
  const id = computeCrawlId(options);
  const worker = randomUUID();
  const resumed = helps || (await beginCrawl(store, Object.assign({ id, worker }, options)));
  const state: FrontierState = {
    held: createHeldHosts(deps),
    titles: new Map(),
    hosts: new Set(),
    seen: createSeenUrls(bounds.urlsMax),
    counts: { pending: 0, done: 0, duplicate: 0, skipped: 0, failed: 0 },
    pendingHosts: 0,
    isWanted: true,
    others: 0,
    reserved: 0,
    lookedAt: Number.NEGATIVE_INFINITY,
    renewedAt: Number.NEGATIVE_INFINITY,
  };
  const { held, titles } = state;
  const queues = createHostQueues(held, (host, limit) =>
    readNextUrls(store, id, { host, limit, now: clock.now() }),
  );
  const parts: FrontierParts = Object.assign({ id, worker, options, state, queues }, deps);
  const isGivenUp = (): boolean => state.counts.pending > 0 && state.pendingHosts === 0;
  await addUrls(parts, helps ? [] : buildNewUrls(options.starts, 0));
  return {
    id,
    resumed,
    hosts: held.readable,
    knownHosts: () => state.hosts,
    hasVisited: held.hasVisited,
    counts: () => state.counts,
    titleOf: (pageUrl) => titles.get(pageUrl),
    claim: (pageUrl, title) => void titles.set(pageUrl, title),
    add: (urls, depth) => addUrls(parts, buildNewUrls(urls, depth)),
    skip: (urls, reason) => addUrls(parts, buildNewUrls(urls, 1, reason)),
    peek: queues.peek,
    take: queues.take,
    putBack: queues.putBack,
    holds: held.isReadable,
    async ours(rows) {
      if (!rows.every(({ host }) => held.isLeased(host)))
        await retryWhileUnavailable(() =>
          change(
            parts,
            rows.map(({ host }) => host),
            async () => [],
          ),
        );
      return new Set(rows.filter(({ host }) => held.has(host)).map((row) => row.id));
    },
    settle: (outcomes) => settle(parts, outcomes),
    reasons: () => countReasons(store, id),
    keep: () => keepHosts(parts),
    leave: () => leaveCrawl(parts),
    processes: () => state.others + 1,
    isOver: () => state.counts.pending === 0 || state.counts.done >= options.pagesMax || isGivenUp(),
    isWanted: () => state.isWanted,
    isGivenUp,
    pagesLeft: () => state.reserved,
  };
}

/** Computes the id of a crawl from its start addresses, scope and index. */
function computeCrawlId({ starts, scope, place }: FrontierOptions): string {
  const named = [...(place === '' ? [] : [place]), scope, ...starts.toSorted()];
  return createHash('sha256').update(JSON.stringify(named)).digest('hex').slice(0, 32);
}

const buildNewUrls = (urls: readonly string[], depth: number, reason: string | null = null): NewUrl[] =>
  urls.map((url) => ({ url, depth, reason }));

/**
 * Changes the crawl and reads its counts in one transaction. First renews the leases of `hosts`, and of all held hosts where that is due:
 * the work gets those that are still held, and returns how addresses have changed.
 */
async function change(
  parts: FrontierParts,
  hosts: readonly string[],
  work: (crawl: LockedCrawl, held: ReadonlySet<string>) => Promise<readonly UrlMove[]>,
): Promise<void> {
  const { store, id, worker, state, options, clock } = parts;
  const { held } = state;
  const at = clock.now();
  const isDue = at - state.renewedAt >= RENEW_MS;
  const asked = held.paces().filter(({ host }) => isDue || hosts.includes(host));
  const written = await changeCrawl(store, id, async (crawl) => {
    if (isDue) await takePart(parts, crawl);
    const renewed = await renewHosts(crawl, asked);
    const moves = await work(crawl, new Set(renewed));
    await recordMoves(crawl, moves);
    const { counts, pendingHosts, reservedByOthers } = await readCounts(crawl, worker);
    const reserved = Math.max(0, Math.min(RESERVED_MAX, options.pagesMax - counts.done - reservedByOthers));
    if (reserved !== state.reserved) await reservePages(crawl, { worker, reserved });
    const isWanted = !options.helps || crawl.wantedUntil > crawl.now;
    const changed = moves.map(({ host }) => host).filter(held.has);
    return {
      renewed,
      pending: await readPending(crawl, [...new Set([...renewed, ...changed])]),
      seen: { counts, pendingHosts, reserved, isWanted },
    };
  });
  // Nobody can have removed the crawl but the operator, with its database.
  if (written === null) return;
  if (isDue) state.renewedAt = at;
  held.renew(written, { at, asked });
  Object.assign(state, written.seen);
}

/** Reports that this process takes part, and learns of the others and of the hosts that they have found. */
async function takePart({ worker, state, options }: FrontierParts, crawl: LockedCrawl): Promise<void> {
  await recordWorker(crawl, { worker, wants: !options.helps, reserved: state.reserved });
  state.others = await countOtherWorkers(crawl, worker);
  for (const host of await listHosts(crawl)) state.hosts.add(host);
}

/** Maximum pages that a process may reserve. */
const RESERVED_MAX = 256;

async function addUrls(parts: FrontierParts, rows: readonly NewUrl[]): Promise<void> {
  const { state, options, queues } = parts;
  const urls = rows.filter(({ url }) => state.seen.admit(url));
  await retryWhileUnavailable(() =>
    change(parts, [], (crawl) => insertUrls(crawl, { urls, bounds: options.bounds })),
  );
  for (const { url } of urls) queues.outdate(toHostKey(url));
}

/** Writes the outcomes for hosts that this process still holds, in one transaction; drops the rest, which their new holders read. */
async function settle(parts: FrontierParts, outcomes: VisitOutcome[]): Promise<void> {
  const { state, options, queues, clock } = parts;
  const found = outcomes.flatMap((outcome) => buildNewUrls(outcome.found, outcome.row.depth + 1));
  const urls = found.filter(({ url }) => state.seen.admit(url));
  const hosts = outcomes.map(({ row }) => row.host);
  await retryWhileUnavailable(() =>
    change(parts, hosts, async (crawl, held) => {
      const mine = outcomes.filter(({ row }) => held.has(row.host));
      const moves = await writeOutcomes(crawl, { outcomes: mine, now: clock.now() });
      const done = mine.filter((outcome) => outcome.state === 'done');
      const { titles, reopened } = await reopenClaims(
        crawl,
        done.map(({ claims, pageUrl }) => claims ?? pageUrl),
      );
      for (const [url, title] of titles) state.titles.set(url, title);
      return [...moves, ...reopened, ...(await insertUrls(crawl, { urls, bounds: options.bounds }))];
    }),
  );
  for (const outcome of outcomes) {
    queues.settled(outcome.row);
    state.held.takePending(outcome.row.host, -1);
    // Visiting the start of a redirect has read its end as well.
    if (outcome.state === 'done') state.seen.remember(outcome.finalUrl);
  }
  for (const { url } of urls) queues.outdate(toHostKey(url));
}

/** Interval at which hosts are claimed and released; at which all leases are renewed and the process reports that it takes part. */
const LOOK_MS = 500;
const RENEW_MS = 2_000;
/** Maximum hosts that one process holds. */
const HOSTS_MAX = 128;

/** Renews leases where that is due, releases hosts beyond this process's share, and claims hosts up to its share. */
async function keepHosts(parts: FrontierParts): Promise<void> {
  const { store, id, worker, state, clock } = parts;
  const { held } = state;
  const now = clock.now();
  if (now - state.lookedAt < LOOK_MS) return;
  state.lookedAt = now;
  if (now - state.renewedAt >= RENEW_MS) await change(parts, [], async () => []);
  const share = Math.min(HOSTS_MAX, Math.max(1, Math.ceil(state.pendingHosts / (state.others + 1))));
  const spare = held.listSpare(state.others > 0 ? share : HOSTS_MAX);
  const limit = share - held.size() + spare.length;
  if (spare.length === 0 && limit <= 0) return;
  const paces = held.paces().filter(({ host }) => spare.includes(host));
  held.drop(spare);
  const at = clock.now();
  const claimed = await changeCrawl(store, id, async (crawl) => {
    await releaseHosts(crawl, paces);
    return limit > 0 ? claimHosts(crawl, { worker, limit }) : [];
  });
  await adoptHosts(parts, claimed ?? [], at);
}

/** Adds claimed hosts, with the addresses and pages that earlier holders have read. */
async function adoptHosts(
  { store, id, state, queues }: FrontierParts,
  claimed: readonly ClaimedHost[],
  at: number,
): Promise<void> {
  const hosts = claimed.map(({ host }) => host);
  const rows = hosts.length === 0 ? [] : await readUrls(store, id, hosts);
  for (const { url, state: outcome, page_url: pageUrl, title } of rows) {
    state.seen.remember(url);
    if (outcome === 'done' && pageUrl !== null && title !== null) state.titles.set(pageUrl, title);
  }
  for (const host of hosts) queues.forget(host);
  state.held.add(claimed, at);
}

/** Releases all hosts and leaves the crawl. */
async function leaveCrawl({ store, id, worker, state, options }: FrontierParts): Promise<void> {
  await changeCrawl(store, id, async (crawl) => {
    await releaseHosts(crawl, state.held.paces());
    await removeWorker(crawl, { worker, wants: !options.helps });
  });
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
