import type { OpenPage } from '../pages/open-page-types.ts';
import type { Background } from '../platform/background.ts';
import type { Clock } from '../platform/clock.ts';
import { createLazyLoader } from '../platform/lazy.ts';
import type { Log } from '../platform/log.ts';
import { openVersionStore, VERSIONS_FILE } from '../platform/store/versions/open-version-store.ts';
import type { TaskPool } from '../platform/threads/task-pool.ts';
import { type CompareVersions, createCompareVersions } from '../versions/compare-versions.ts';
import { keepVersions, type OpenVersions } from '../versions/keep-versions.ts';
import { serveVersions } from '../versions/serve-versions.ts';
import { createTrackChanges, type TrackChanges } from '../versions/track-changes.ts';
import { createVersions } from '../versions/versions.ts';
import type { Config } from './config.ts';
import { openTables } from './open-tables.ts';
import type { Teardown } from './teardown.ts';

/** Everything about earlier versions of pages. */
export type VersionParts = {
  versions: OpenVersions;
  compareVersions: CompareVersions;
  trackChanges: TrackChanges;
  /** Wraps an `OpenPage` so that it serves kept versions of pages too. */
  servingVersions(openPage: OpenPage): OpenPage;
  /** Wraps an `OpenPage` so that each change of a page is kept, if the operator wants that. */
  keepingVersions(openPage: OpenPage): OpenPage;
};

type VersionConfig = Pick<Config, 'dataDir' | 'databaseUrl' | 'keepsVersions' | 'versionsBytesMax'>;

/** Opens the store of versions: now if every page has some, else on its first use. Throws ConfigError if it cannot be used. */
export async function openVersions(
  config: VersionConfig,
  { log, teardown }: { log: Log; teardown: Teardown },
): Promise<OpenVersions> {
  let isOpened = false;
  const versions = createLazyLoader(async () => {
    isOpened = true;
    const tables = { what: 'versions', file: VERSIONS_FILE, open: openVersionStore };
    const store = await openTables(config, tables, log);
    return createVersions({ store, bytesMax: config.versionsBytesMax });
  });
  teardown.add(async () => {
    if (isOpened) await (await versions()).close();
  });
  if (config.keepsVersions) await versions();
  return versions;
}

/** Composes what is done with versions. */
export function composeVersions(
  { keepsVersions }: VersionConfig,
  {
    versions,
    clock,
    background,
    pool,
  }: { versions: OpenVersions; clock: Clock; background: Background; pool: TaskPool },
): VersionParts {
  const compareVersions = createCompareVersions(versions, pool);
  return {
    versions,
    compareVersions,
    trackChanges: createTrackChanges(versions, compareVersions),
    servingVersions: (openPage) => serveVersions(openPage, versions),
    keepingVersions: (openPage) =>
      keepsVersions ? keepVersions(openPage, { versions, background, clock }) : openPage,
  };
}
