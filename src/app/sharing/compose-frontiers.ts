import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frontiers } from '../../crawl/background/help-crawls.ts';
import { readOpenSearchAddress } from '../../index/opensearch/connect/cluster.ts';
import type { Clock } from '../../platform/clock.ts';
import { openCrawlStore, useFileForCrawls } from '../../platform/store/crawls/open-crawl-store.ts';
import type { Store } from '../../platform/store/open-store.ts';
import { createUnusableStoreError } from '../compose-billing.ts';
import type { Config } from '../config.ts';
import type { Teardown } from '../teardown.ts';

/** Opens the place where crawls keep their frontiers: PostgreSQL, or the file store. Throws ConfigError if it cannot be used. */
export async function openFrontiers(
  config: Pick<Config, 'databaseUrl' | 'dataDir' | 'indexUrl'>,
  { file, clock, teardown }: { file: Store; clock: Clock; teardown: Teardown },
): Promise<Frontiers> {
  if (config.databaseUrl === null)
    return { store: useFileForCrawls(file, clock), place: '', atWork: new Set() };
  try {
    const store = await openCrawlStore(config.databaseUrl);
    teardown.add(() => store.close());
    return { store, place: identifyIndex(config), atWork: new Set() };
  } catch (cause) {
    throw createUnusableStoreError(config, cause);
  }
}

/** Name of the file that identifies a data folder, because two machines may have theirs at the same path. */
const FOLDER_ID = 'folder-id';

/** Identifies the index: that of the cluster, or of this data folder. */
function identifyIndex({ dataDir, indexUrl }: Pick<Config, 'dataDir' | 'indexUrl'>): string {
  if (indexUrl !== null) {
    const { nodes, name } = readOpenSearchAddress(indexUrl);
    return `${nodes.toSorted().join(',')}/${name}`;
  }
  const path = join(dataDir, FOLDER_ID);
  try {
    if (!existsSync(path)) writeFileSync(path, randomUUID(), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(path, 'utf8').trim();
}
