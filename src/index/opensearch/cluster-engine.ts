import type { StandingsPart } from '../hosts/host-types.ts';
import type { IndexedPage, PageSelector } from '../local-index-types.ts';
import { type Cluster, type ClusterSettings, openCluster } from './connect/cluster.ts';
import { ensureLayout, type IndexNames, namesOf } from './layout/layout.ts';
import { type ClusterHoldings, createClusterHoldings } from './read/holdings.ts';
import { type ClusterSearch, createClusterSearch } from './read/search.ts';
import { type ClusterRankedHosts, createRankedHosts } from './read/standings.ts';
import {
  confirmPages,
  documentsOf,
  linksIn,
  noteUse,
  postponeVisits,
  putDocuments,
  removeDocuments,
  type WriteTarget,
} from './write/changes.ts';
import { type ClusterCounters, countChanges, readCounters } from './write/cluster-state.ts';
import { createGroups } from './write/groups.ts';
import { createLinkWriter } from './write/links.ts';
import { pageId } from './write/page-document.ts';
import { forgetStandings, putStandings } from './write/standings.ts';

/** What an engine answers; plain data, so that it may run in a thread. `at`: milliseconds since the epoch. */
export type EngineCalls = ClusterSearch &
  ClusterHoldings &
  ClusterRankedHosts & {
    put(change: { pages: IndexedPage[]; at: number }): Promise<void>;
    /** Writes into indices that no alias points to yet; nobody waits to find the pages. */
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

type ClusterEngine = {
  calls: EngineCalls;
  /** Makes sure that the indices stand; to be called before the first call. */
  prepare(): Promise<void>;
  close(): Promise<void>;
};

/** Puts that share one request, and such requests at a time. */
const GROUPS = { groupMax: 64, runningMax: 4 };
const FORGOTTEN_AT_ONCE = 500;
const MERGE_TIMEOUT_MS = 120_000;

/** Opens the index behind a cluster. Nothing is sent before the first call. */
export function openClusterEngine(settings: ClusterSettings): ClusterEngine {
  const cluster = openCluster(settings);
  const names = namesOf(cluster.name);
  const target: WriteTarget = { cluster, names };
  const links = createLinkWriter(cluster, names);
  const holdings = createClusterHoldings(cluster, names);
  const removePages = async (urls: readonly string[]): Promise<number> => {
    await links.drop(urls.map(pageId));
    return removeDocuments(target, urls, { wait: true });
  };
  const putGroup = createGroups<ReturnType<typeof documentsOf>>(async (groups) => {
    const written = groups.flat();
    const changed = await putDocuments(target, written, { wait: true });
    await links.put(linksIn(written), changed);
    await countChanges(cluster, names, { changes: written.length });
  }, GROUPS);
  const engine: EngineCalls = {
    ...createClusterSearch(cluster, names),
    ...holdings,
    ...createRankedHosts(cluster, names),
    put: ({ pages, at }) => putGroup(documentsOf(pages, at)),
    async putInto({ pages, at, names: into }) {
      const written = documentsOf(pages, at);
      await links.put(
        linksIn(written),
        await putDocuments({ cluster, names: into }, written, { wait: false }),
      );
    },
    async remove(urls) {
      const count = await removePages(urls);
      if (count > 0) await countChanges(cluster, names, { changes: 1, removals: 1 });
      return count;
    },
    async forget(selector) {
      // Whoever wrote it, and however lately: all that is there is found.
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
    use: ({ urls, at }) => noteUse(target, urls, at),
    confirm: (pages) => confirmPages(target, pages),
    postpone: ({ urls, until }) => postponeVisits(target, urls, until),
    async putStandings(part) {
      await putStandings(cluster, names, part);
      // Kept answers have another order.
      if (part.ranking !== null) await countChanges(cluster, names, { changes: 1, removals: 1 });
    },
    counters: () => readCounters(cluster, names),
    tidy: () => expunge(cluster, names),
  };
  return { calls: engine, prepare: () => ensureLayout(cluster), close: cluster.close };
}

async function refresh({ cluster, names }: WriteTarget): Promise<void> {
  await cluster.request({ method: 'POST', path: `/${names.pages},${names.lives}/_refresh` });
}

/** Deleted pages are in the files until their segments are merged. */
async function expunge(cluster: Cluster, names: IndexNames): Promise<void> {
  const indices = `/${names.pages},${names.lives},${names.links}`;
  await cluster.request({
    ...{ method: 'POST', path: `${indices}/_forcemerge`, timeoutMs: MERGE_TIMEOUT_MS },
    query: { only_expunge_deletes: true },
  });
  await cluster.request({ method: 'POST', path: `${indices}/_flush`, timeoutMs: MERGE_TIMEOUT_MS });
}
