import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBackgroundCrawl } from '../../crawl/background/background-crawl.ts';
import type { BackgroundCrawl } from '../../crawl/background/crawl-types.ts';
import { createCrawlHelper, type Spread } from '../../crawl/spread/help-crawls.ts';
import { readOpenSearchAddress } from '../../index/opensearch/connect/address.ts';
import type { OpenPage } from '../../pages/open-page-types.ts';
import { type Background, runPeriodically } from '../../platform/background.ts';
import { openCrawlStore } from '../../platform/store/crawls/open-crawl-store.ts';
import type { Services } from '../compose-services.ts';
import { type Config, ConfigError } from '../config.ts';
import type { Teardown } from '../teardown.ts';

/** Opens what processes need to read one crawl together; null without PostgreSQL. Throws ConfigError if it cannot be used. */
export async function openSpread(
  config: Pick<Config, 'databaseUrl' | 'dataDir' | 'indexUrl'>,
  teardown: Teardown,
): Promise<Spread | null> {
  if (config.databaseUrl === null) return null;
  try {
    const store = await openCrawlStore(config.databaseUrl);
    teardown.add(() => store.close());
    return { store, place: placeOf(config), atWork: new Set() };
  } catch (cause) {
    const { message } = cause as Error;
    throw new ConfigError(`DATABASE_URL: the store of crawls cannot be used: ${message}`, { cause });
  }
}

/** The name of the file that tells data folders apart: two machines may have theirs at the same path. */
const FOLDER_ID = 'folder-id';

/** Names the index: that of the cluster, or of this data folder. */
function placeOf({ dataDir, indexUrl }: Pick<Config, 'dataDir' | 'indexUrl'>): string {
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

/** A crawl of the operator's has one fair share of pages and threads, like one caller. */
const OPERATOR = 'operator';

/** The crawl of the operator's console, and of processes that help with a crawl. */
export function operatorCrawl(services: Services): BackgroundCrawl {
  const { store, log, clock, network, index, readSitemapFile, spread } = services;
  const { fetch, checkUrl, addressOf } = network;
  return createBackgroundCrawl({
    ...{ fetch, checkUrl, clock, readSitemapFile, index, store, log, addressOf, spread },
    openPage: sharingFairly(services.openPage),
  });
}

function sharingFairly(openPage: OpenPage): OpenPage {
  return (url, options) => openPage(url, { ...options, tenant: OPERATOR });
}

/** How often a process looks for a crawl that wants help. */
const LOOK_EVERY_MS = 2_000;

/** Helps with crawls that other processes began, where there may be any; the returned function ends that. */
export function startCrawlHelp(services: Services, background: Background): () => Promise<void> {
  const { spread, log } = services;
  if (spread === null) return async () => {};
  const crawl = operatorCrawl(services);
  const helper = createCrawlHelper({
    ...{ spread, log },
    help: (order, signal) => crawl({ ...order, helps: true, signal }),
  });
  const stop = runPeriodically(background, [
    { name: 'look for crawls to help with', ms: LOOK_EVERY_MS, work: helper.tick },
  ]);
  return async () => {
    stop();
    await helper.end();
  };
}
