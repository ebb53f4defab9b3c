import { setTimeout as sleep } from 'node:timers/promises';
import type { StandingsPart } from '../hosts/host-ranker.ts';
import type { IndexedPage, PageSelector } from '../local-index-types.ts';
import { type Cluster, type ClusterSettings, openCluster } from './connect/cluster.ts';
import { buildIndexNames, ensureLayout, type IndexNames, RANKING_ID } from './layout/layout.ts';
import { type ClusterHoldings, createClusterHoldings } from './read/holdings.ts';
import { type ClusterSearch, createClusterSearch } from './read/search.ts';
import { type ClusterRankedHosts, createRankedHosts } from './read/standings.ts';
import { sendBulk } from './write/bulk.ts';
import {
  collectLinks,
  confirmPages,
  createPreparation,
  postponeVisits,
  putDocuments,
  recordUse,
  removeDocuments,
  type WriteTarget,
  type WrittenDocument,
} from './write/changes.ts';
import { type ClusterCounters, countChanges, readCounters } from './write/cluster-state.ts';
import { createLinkWriter, type LinkWriter } from './write/links.ts';
import { buildHostId, buildPageId } from './write/page-document.ts';

const REMOVED_AT_ONCE = 1_000;

/** The calls that an engine serves, with plain data, so that it can run in a thread. `at`: milliseconds since the epoch. */
export type EngineCalls = ClusterSearch &
  ClusterHoldings &
  ClusterRankedHosts & {
    put(change: { pages: IndexedPage[]; at: number }): Promise<void>;
    /** Writes to indices that no alias points to yet, so it does not wait until searches find the pages. */
    putInto(change: { pages: IndexedPage[]; at: number; names: WriteTarget['names'] }): Promise<void>;
    remove(urls: string[]): Promise<number>;
    forget(selector: PageSelector): Promise<number>;
    use(change: { urls: string[]; at: number }): Promise<void>;
    confirm(pages: { url: string; fetchedAt: number }[]): Promise<void>;
    postpone(change: { urls: string[]; until: number }): Promise<void>;
    putStandings(part: StandingsPart): Promise<void>;
    counters(argument: undefined): Promise<ClusterCounters>;
    tidy(argument: undefined): Promise<void>;
  };

/** A cluster and its aliases. */
type EngineTarget = { cluster: Cluster; names: IndexNames };

type WriteOptions = { into?: WriteTarget; wait: boolean };

type ClusterEngine = {
  calls: EngineCalls;
  /** Ensures that the indices exist; must be called before the first call. */
  prepare(): Promise<void>;
  close(): Promise<void>;
};

/** Maximum pages of a put that waits for its own pages to be searchable; larger puts share one refresh afterwards. */
const FEW = 64;
/** Maximum small puts that share one request, and maximum such requests at a time. */
const GROUPS = { groupMax: 64, runningMax: 4 };
const MANY_AT_ONCE = { groupMax: 1, runningMax: 4 };
/** Time limit for a refresh, which is slow on a cluster under heavy writes. */
const REFRESH_TIMEOUT_MS = 30_000;
const FORGOTTEN_AT_ONCE = 500;
const MERGE_TIMEOUT_MS = 120_000;

/** Opens the index behind a cluster. Nothing is sent before the first call. */
export function openClusterEngine(settings: ClusterSettings): ClusterEngine {
  const cluster = openCluster(settings);
  const names = buildIndexNames(cluster.name);
  const target = { cluster, names };
  const links = createLinkWriter(cluster, names);
  const holdings = createClusterHoldings(cluster, names);
  const removePages = async (urls: readonly string[]): Promise<number> => {
    await links.drop(urls.map(buildPageId));
    return removeDocuments(target, urls, { wait: true });
  };
  const engine: EngineCalls = {
    ...createClusterSearch(cluster, names),
    ...holdings,
    ...createRankedHosts(cluster, names),
    ...createPutCalls(target, links),
    async remove(urls) {
      const count = await removePages(urls);
      if (count > 0) await countChanges(cluster, names, { changes: 1, removals: 1 });
      return count;
    },
    async forget(selector) {
      // Makes all pages searchable, whichever process wrote them and however recently.
      await refresh(target);
      let count = 0;
      for (;;) {
        const pages = await holdings.list({ selector, after: null, limit: FORGOTTEN_AT_ONCE });
        if (pages.length === 0) break;
        const urls = pages.map(({ url }) => url);
        await forgetStandings(cluster, names, urls);
        count += await removePages(urls);
      }
      await countChanges(cluster, names, { changes: 1, removals: 1, epoch: 1 });
      return count;
    },
    use: ({ urls, at }) => recordUse(target, urls, at),
    confirm: (pages) => confirmPages(target, pages),
    postpone: ({ urls, until }) => postponeVisits(target, urls, until),
    async putStandings(part) {
      await putStandings(cluster, names, part);
      // Invalidates cached answers, whose order has changed.
      if (part.ranking !== null) await countChanges(cluster, names, { changes: 1, removals: 1 });
    },
    counters: () => readCounters(cluster, names),
    tidy: () => purgeDeleted(cluster, names),
  };
  return { calls: engine, prepare: () => ensureLayout(cluster), close: cluster.close };
}

function createPutCalls(target: EngineTarget, links: LinkWriter): Pick<EngineCalls, 'put' | 'putInto'> {
  const { cluster, names } = target;
  const write = async (written: WrittenDocument[], { into = target, wait }: WriteOptions): Promise<void> =>
    links.put(collectLinks(written), await putDocuments(into, written, { wait }));
  const putFew = createGroups<WrittenDocument[]>(async (groups) => {
    const written = groups.flat();
    await write(written, { wait: true });
    await countChanges(cluster, names, { changes: written.length });
  }, GROUPS);
  const prepare = createPreparation();
  const putMany = createGroups<WrittenDocument[]>(
    ([written = []]) => write(written, { wait: false }),
    MANY_AT_ONCE,
  );
  const show = createRefreshRunner({
    everyMs: cluster.settings.refreshMs,
    async run(changes) {
      await refresh(target);
      await countChanges(cluster, names, { changes });
    },
  });
  return {
    async put({ pages, at }) {
      const written = await prepare(pages, at);
      if (written.length <= FEW) return putFew(written);
      await putMany(written);
      await show(written.length);
    },
    async putInto({ pages, at, names: into }) {
      await write(await prepare(pages, at), { into: { cluster, names: into }, wait: false });
    },
  };
}

async function refresh({ cluster, names }: WriteTarget): Promise<void> {
  await cluster.request({
    method: 'POST',
    path: `/${names.pages},${names.lives}/_refresh`,
    timeoutMs: REFRESH_TIMEOUT_MS,
  });
}

/** Removes deleted pages from the files, where they stay until their segments are merged. */
async function purgeDeleted(cluster: Cluster, names: IndexNames): Promise<void> {
  const indices = `/${names.pages},${names.lives},${names.links}`;
  await cluster.request({
    method: 'POST',
    path: `${indices}/_forcemerge`,
    timeoutMs: MERGE_TIMEOUT_MS,
    query: { only_expunge_deletes: true },
  });
  await cluster.request({ method: 'POST', path: `${indices}/_flush`, timeoutMs: MERGE_TIMEOUT_MS });
}

/** Runs items of many callers in groups: items that arrive while earlier groups are running share the next one. */
type Groups<Item> = (item: Item) => Promise<void>;

type QueuedItem<Item> = { item: Item; done: PromiseWithResolvers<void> };

/** `run` takes at most `groupMax` items; at most `runningMax` groups run at a time. A group fails as a whole. */
function createGroups<Item>(
  run: (items: Item[]) => Promise<void>,
  { groupMax, runningMax }: { groupMax: number; runningMax: number },
): Groups<Item> {
  const waiting: QueuedItem<Item>[] = [];
  let running = 0;
  const runNext = async (): Promise<void> => {
    if (running >= runningMax || waiting.length === 0) return;
    running += 1;
    const group = waiting.splice(0, groupMax);
    try {
      await run(group.map(({ item }) => item));
      for (const { done } of group) done.resolve();
    } catch (error) {
      for (const { done } of group) done.reject(error);
    }
    running -= 1;
    void runNext();
  };
  return (item) => {
    const done = Promise.withResolvers<void>();
    waiting.push({ item, done });
    // Items that arrive in the same turn of the event loop share a group.
    queueMicrotask(() => void runNext());
    return done.promise;
  };
}

/** Writes a part of a ranking of hosts; the last part removes hosts that are not in the ranking. */
async function putStandings(
  cluster: Cluster,
  { hosts: index }: IndexNames,
  { rankedAt, standings, ranking }: StandingsPart,
): Promise<void> {
  const rows = standings.map((put) => ({ index, id: buildHostId(put.host), put: { ...put, rankedAt } }));
  await sendBulk(cluster, rows, { wait: false });
  if (ranking === null) return;
  await removeBefore(cluster, index, rankedAt);
  await sendBulk(cluster, [{ index, id: RANKING_ID, put: { ranking } }], { wait: true });
}

async function removeBefore(cluster: Cluster, index: string, rankedAt: number): Promise<void> {
  await cluster.request({ method: 'POST', path: `/${index}/_refresh` });
  for (let isLast = false; !isLast; ) {
    const { hits } = await cluster.request<{ hits: { hits: { _id: string }[] } }>({
      method: 'POST',
      path: `/${index}/_search`,
      query: { allow_partial_search_results: false },
      body: { size: REMOVED_AT_ONCE, _source: false, query: { range: { rankedAt: { lt: rankedAt } } } },
    });
    const removals = hits.hits.map(({ _id: id }) => ({ index, id, remove: true }) as const);
    isLast = removals.length < REMOVED_AT_ONCE;
    await sendBulk(cluster, removals, { wait: true });
  }
}

/** Deletes the standings of the pages' hosts. */
async function forgetStandings(
  cluster: Cluster,
  { hosts: index }: IndexNames,
  urls: readonly string[],
): Promise<void> {
  const hosts = new Set(urls.map((url) => new URL(url).host));
  const removals = [...hosts].map((host) => ({ index, id: buildHostId(host), remove: true }) as const);
  await sendBulk(cluster, removals, { wait: true });
}

type RefreshOptions = {
  /** Minimum milliseconds between two refreshes. */
  everyMs: number;
  /** Makes earlier writes searchable; `changes`: the number of pages written. */
  run(changes: number): Promise<void>;
  pause?: (ms: number) => Promise<void>;
  now?: () => number;
};

/** Makes writes searchable: one refresh serves all waiting callers, and callers that arrive after it has begun get the next one. */
export function createRefreshRunner({
  everyMs,
  run,
  pause = sleep,
  now = Date.now,
}: RefreshOptions): (changes: number) => Promise<void> {
  let next: { changes: number; shown: Promise<void> } | null = null;
  let begun = Number.NEGATIVE_INFINITY;
  const begin = async (): Promise<void> => {
    const ms = begun + everyMs - now();
    await pause(Math.max(0, ms));
    begun = now();
    const changes = next?.changes ?? 0;
    next = null;
    await run(changes);
  };
  return (changes) => {
    if (next === null) next = { changes, shown: begin() };
    else next.changes += changes;
    return next.shown;
  };
}
