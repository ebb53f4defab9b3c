import type { StandingsPart } from '../hosts/host-types.ts';
import type { IndexedPage, PageSelector } from '../local-index-types.ts';
import { type Cluster, type ClusterSettings, openCluster } from './connect/cluster.ts';
import { buildIndexNames, ensureLayout, type IndexNames } from './layout/layout.ts';
import { type ClusterHoldings, createClusterHoldings } from './read/holdings.ts';
import { type ClusterSearch, createClusterSearch } from './read/search.ts';
import { type ClusterRankedHosts, createRankedHosts } from './read/standings.ts';
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
import { createGroups } from './write/groups.ts';
import { createLinkWriter, type LinkWriter } from './write/links.ts';
import { buildPageId } from './write/page-document.ts';
import { createRefreshRunner } from './write/showing.ts';
import { forgetStandings, putStandings } from './write/standings.ts';

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
