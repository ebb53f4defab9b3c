import type { OpenPage } from '../pages/open-page-types.ts';
import type { Background } from '../platform/background.ts';
import type { Clock } from '../platform/clock.ts';
import { createLazyLoader } from '../platform/lazy.ts';
import type { Log } from '../platform/log.ts';
import { openVersionStore, VERSIONS_FILE } from '../platform/store/versions/open-version-store.ts';
import type { TaskPool } from '../platform/threads/task-pool.ts';
import { type CollectReads, createCollectReads } from '../versions/collect-reads.ts';
import { type CompareVersions, createCompareVersions } from '../versions/compare-versions.ts';
import { keepVersions, type OpenVersions } from '../versions/keep-versions.ts';
import { createRecords, type Records } from '../versions/records.ts';
import { openAsOf, serveVersions } from '../versions/serve-versions.ts';
import { createTrackChanges, type TrackChanges } from '../versions/track-changes.ts';
import { createVersions, type Versions } from '../versions/versions.ts';
import type { Config } from './config.ts';
import { openTables } from './open-tables.ts';
import type { Teardown } from './teardown.ts';

/** The store of versions, and of the records that share its space. Each opens it on its first use. */
export type VersionTables = { versions: OpenVersions; records(): Promise<Records> };

/** Everything about earlier versions of pages, and about records of research. */
export type VersionParts = VersionTables & {
  collectReads: CollectReads;
  compareVersions: CompareVersions;
  trackChanges: TrackChanges;
  /** Wraps an `OpenPage` so that it serves kept versions of pages too. */
  servingVersions(openPage: OpenPage): OpenPage;
  /** Wraps an `OpenPage` so that each change of a page is kept, if the operator wants that. */
  keepingVersions(openPage: OpenPage): OpenPage;
  /** Opens pages as they were known at an instant, by their versions and the pages that the index holds. */
  openAsOf(openHeld: OpenPage): OpenPage;
};

type VersionConfig = Pick<Config, 'dataDir' | 'databaseUrl' | 'keepsVersions' | 'versionsBytesMax'>;

/** Opens the store of versions: now if every page has some, else on its first use. Throws ConfigError if it cannot be used. */
export async function openVersions(
  config: VersionConfig,
  { log, clock, teardown }: { log: Log; clock: Clock; teardown: Teardown },
): Promise<VersionTables> {
  let isOpened = false;
  const open = createLazyLoader(async (): Promise<{ versions: Versions; records: Records }> => {
    isOpened = true;
    const tables = { what: 'versions', file: VERSIONS_FILE, open: openVersionStore };
    const store = await openTables(config, tables, log);
    const bytesMax = config.versionsBytesMax;
    const versions = createVersions({ store, bytesMax });
    return { versions, records: createRecords({ store, versions, bytesMax, clock }) };
  });
  teardown.add(async () => {
    if (isOpened) await (await open()).versions.close();
  });
  if (config.keepsVersions) await open();
  return {
    versions: async () => (await open()).versions,
    records: async () => (await open()).records,
  };
}

/** Composes what is done with versions. */
export function composeVersions(
  { keepsVersions }: VersionConfig,
  {
    tables: { versions, records },
    clock,
    background,
    pool,
  }: { tables: VersionTables; clock: Clock; background: Background; pool: TaskPool },
): VersionParts {
  const compareVersions = createCompareVersions(versions, pool);
  return {
    versions,
    records,
    collectReads: createCollectReads(),
    compareVersions,
    trackChanges: createTrackChanges(versions, compareVersions),
    servingVersions: (openPage) => serveVersions(openPage, versions),
    openAsOf: (openHeld) => openAsOf(openHeld, versions),
    keepingVersions: (openPage) =>
      keepsVersions ? keepVersions(openPage, { versions, background, clock }) : openPage,
  };
}
