import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DistributedCrawlContext } from '../../crawl/spread/help-crawls.ts';
import { readOpenSearchAddress } from '../../index/opensearch/connect/cluster.ts';
import { openCrawlStore } from '../../platform/store/crawls/open-crawl-store.ts';
import { createUnusableStoreError } from '../compose-billing.ts';
import type { Config } from '../config.ts';
import type { Teardown } from '../teardown.ts';

/** Opens what processes need to work on one crawl together; null without PostgreSQL. Throws ConfigError if it cannot be used. */
export async function openDistributedCrawl(
  config: Pick<Config, 'databaseUrl' | 'dataDir' | 'indexUrl'>,
  teardown: Teardown,
): Promise<DistributedCrawlContext | null> {
  if (config.databaseUrl === null) return null;
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
