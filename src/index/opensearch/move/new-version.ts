import type { Log } from '../../../platform/log.ts';
import type { HeldPage, HoldingsQuery, IndexedPage } from '../../local-index-types.ts';
import { startEngines } from '../cluster-index.ts';
import { type ClusterSettings, openCluster } from '../connect/cluster.ts';
import { buildIndexNames, createNextVersion, endFilling, switchAliases } from '../layout/layout.ts';
import { createClusterHoldings } from '../read/holdings.ts';
import { removeDocuments, type WriteTarget } from '../write/changes.ts';
import { countChanges } from '../write/cluster-state.ts';

/** The names of a version's indices. */
export type VersionNames = WriteTarget['names'];

/** A new version of an index, filled while searches use the current one. */
type NewVersion = {
  names: VersionNames;
  put(pages: IndexedPage[], at: number): Promise<void>;
  remove(urls: string[]): Promise<void>;
  get(url: string): Promise<IndexedPage | null>;
  /** Pages in the order of their addresses, as of the last `refresh`. */
  list(query: HoldingsQuery): Promise<HeldPage[]>;
  refresh(): Promise<void>;
  /** Switches all searches and writes to this version in one step; resolves to the names of the indices that they used before. */
  take(): Promise<string[]>;
  close(): Promise<void>;
};

/** Creates a new version, or opens one that a move has begun. */
export async function openNewVersion(
  settings: ClusterSettings,
  { begun, log }: { begun: VersionNames | null; log: Log },
): Promise<NewVersion> {
  const cluster = openCluster(settings);
  const names = begun ?? (await createNextVersion(cluster));
  const target: WriteTarget = { cluster, names };
  const { state, links, hosts } = buildIndexNames(cluster.name);
  const holdings = createClusterHoldings(cluster, { ...names, state, links, hosts });
  const engines = startEngines(settings, log);
  return {
    names,
    put: (pages, at) => engines.ask('putInto', { pages, at, names }),
    async remove(urls) {
      await removeDocuments(target, urls, { wait: false });
    },
    get: holdings.get,
    list: holdings.list,
    async refresh() {
      await cluster.request({ method: 'POST', path: `/${names.pages},${names.lives}/_refresh` });
    },
    async take() {
      await endFilling(cluster, names);
      const old = await switchAliases(cluster, names);
      // Anything cached from the earlier version may differ.
      await countChanges(cluster, buildIndexNames(cluster.name), { changes: 1, removals: 1, epoch: 1 });
      return old;
    },
    async close() {
      await engines.close();
      await cluster.close();
    },
  };
}
