import { resolve } from 'node:path';
import { Failure, StoreUnavailable } from '../contract/errors.ts';
import { type BackgroundCrawl, createBackgroundCrawl } from '../crawl/background/background-crawl.ts';
import { createImportPages, type ImportPages } from '../crawl/import/import-pages.ts';
import { createSitemapWorker } from '../crawl/robots/sitemap-worker.ts';
import { createSiteCrawl, type SiteCrawl } from '../crawl/site/site-crawl.ts';
import { createSiteMap, type SiteMap } from '../crawl/site/site-map.ts';
import { indexReads } from '../index/index-reads.ts';
import { articleOf } from '../index/indexed-page.ts';
import { createLocalIndex } from '../index/local-index.ts';
import type { LocalIndex } from '../index/local-index-types.ts';
import { createExtractWorker } from '../pages/extract-worker.ts';
import { createOpenPage } from '../pages/open-page.ts';
import type { OpenPage } from '../pages/open-page-types.ts';
import { createBackground } from '../platform/background.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { createLog, type Log } from '../platform/log.ts';
import type { CheckUrl, GuardedFetch } from '../platform/net/fetch-types.ts';
import { createGuardedFetch } from '../platform/net/guarded-fetch.ts';
import { createFairQueue, type FairQueue } from '../platform/sharing/fair-queue.ts';
import { openStore, type Store } from '../platform/store/open-store.ts';
import { openOrSetAside } from '../platform/store/set-aside.ts';
import { createLocalSource, recordCalls } from '../recall/local-source.ts';
import { createRecallAll } from '../recall/recall-all.ts';
import { createReranker, type Reranker } from '../recall/rerank/reranker.ts';
import { createUpstreams } from '../recall/upstream/create-upstreams.ts';
import type { SourceReading } from '../recall/upstream/upstream-types.ts';
import { createResearch, type Research } from '../research/research.ts';
import { createResearchWorker } from '../research/research-worker.ts';
import { type Contents, createContents } from '../search/contents.ts';
import { createPruneWorker } from '../search/prune-worker.ts';
import { createQuoteWorker } from '../search/quote-worker.ts';
import { createRead, type Read } from '../search/read.ts';
import { createSearch, type Search } from '../search/search.ts';
import { createSearchCache } from '../search/search-cache.ts';
import { createSimilar, type Similar } from '../search/similar.ts';
import { createVerify, type Verify } from '../search/verify.ts';
import { createVerifyWorker } from '../search/verify-worker.ts';
import { type Config, ConfigError } from './config.ts';

type Network = { fetch: GuardedFetch; checkUrl: CheckUrl; close(): Promise<void> };

/** Every part of the running service, made once and in order. */
export type Services = {
  config: Config;
  log: Log;
  clock: Clock;
  store: Store;
  network: Network;
  openPage: OpenPage;
  index: LocalIndex;
  crawl: BackgroundCrawl;
  siteCrawl: SiteCrawl;
  siteMap: SiteMap;
  importPages: ImportPages;
  search: Search;
  contents: Contents;
  similar: Similar;
  research: Research;
  /** Null unless a model is configured. */
  reranker: Reranker | null;
  read: Read;
  verify: Verify;
  /** The state of every source of recall, the local index first. */
  sourceReadings(): SourceReading[];
  /** Starts the threads that serving needs, which would otherwise start with their first task. Rejects when one cannot start. */
  startThreads(): Promise<void>;
  /** Ends what was started, in reverse order; safe to call twice. */
  close(): Promise<void>;
};

/** What lies outside the process, for tests that play it. */
export type Outside = { clock?: Clock; network?: Network; log?: Log };

/** Crawls and maps that callers wait for, together: each keeps its pages in memory and lasts up to two minutes. */
const SITES_AT_ONCE_MAX = 16;
const SITES_WAITING_MAX = 100;

/** The composition root. Rejects when the data folder cannot be used; what was started by then is ended. */
export async function createServices(config: Config, outside: Outside = {}): Promise<Services> {
  const clock = outside.clock ?? systemClock;
  const log = outside.log ?? createLog(config.logLevel);
  const started: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (let end = started.pop(); end !== undefined; end = started.pop()) await end();
  };
  try {
    const store = await openFile(config, 'store.db', log, () => openStore(config.dataDir));
    started.push(() => store.destroy());
    const index = await openFile(config, 'index.db', log, (path) => createLocalIndex({ path, log }));
    started.push(() => index.close());
    const network = outside.network ?? openNetwork(config);
    started.push(() => network.close());
    const { extract, prune, quote, find, research, sitemaps, startThreads } = createPools(started);
    const reranker = await openReranker(config, log);
    started.push(async () => reranker?.close());
    const background = createBackground(log);
    started.push(() => background.drain());
    // Ended before the background is: late answers need not be waited for.
    const upstreams = createUpstreams(config, clock);
    started.push(() => upstreams.close());
    const { fetch, checkUrl } = network;
    const fallback = async (url: string): Promise<ReturnType<typeof articleOf> | null> => {
      const kept = await index.get(url);
      return kept === null ? null : articleOf(kept);
    };
    const openPage = createOpenPage({ fetch, checkUrl, store, extract, clock, log, fallback });
    const openAndIndex = indexReads(openPage, { index, background });
    const crawling = { fetch, checkUrl, clock, ...sitemaps };
    const siteDeps = { ...crawling, openPage: openAndIndex, slots: createSiteSlots() };
    const local = recordCalls(createLocalSource(index), { isAsked: config.localIndex, clock });
    const recall = createRecallAll({ local: local.source, upstreams: upstreams.running, clock, background });
    const cache = createSearchCache({ sources: local.source === null ? [] : [local.source], clock });
    const search = createSearch({ recall, openPage: openAndIndex, prune, quote, cache, clock, reranker });
    return {
      ...{ config, log, clock, store, network, openPage, index, reranker, startThreads, close },
      crawl: createBackgroundCrawl({ ...crawling, openPage, index, store, log }),
      siteCrawl: createSiteCrawl({ ...siteDeps, prune }),
      siteMap: createSiteMap(siteDeps),
      importPages: createImportPages({ extract, index, clock }),
      search,
      research: createResearch({ search, openPage: openAndIndex, threads: research }),
      sourceReadings: () => [local.reading(), ...upstreams.readings()],
      contents: createContents({ checkUrl, openPage: openAndIndex, prune }),
      similar: createSimilar({
        openPage: openAndIndex,
        prune,
        recall,
        clock,
        frequencies: (terms) => index.frequencies(terms),
      }),
      read: createRead({ openPage: openAndIndex, prune }),
      verify: createVerify({ openPage: openAndIndex, find }),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Throws ConfigError that names the file. */
async function openFile<Opened>(
  { dataDir }: Config,
  name: string,
  log: Log,
  open: (path: string) => Promise<Opened>,
): Promise<Opened> {
  const path = resolve(dataDir, name);
  try {
    return await openOrSetAside(path, { open: () => open(path), log });
  } catch (error) {
    const { cause } = error as Error;
    const reason = error instanceof StoreUnavailable && cause instanceof Error ? cause : (error as Error);
    throw new ConfigError(`DATA_DIR: ${path} cannot be used: ${reason.message}`, { cause: error });
  }
}

function createSiteSlots(): FairQueue {
  return createFairQueue({
    slots: SITES_AT_ONCE_MAX,
    waitingMax: SITES_WAITING_MAX,
    overloaded: () => new Failure('overloaded', 'Too many sites are being crawled; try again in a moment.'),
  });
}

/** Pools whose threads start with their first task, or when they are told to. */
function createPools(started: (() => Promise<unknown>)[]) {
  const extract = createExtractWorker();
  const pruning = createPruneWorker();
  const quoting = createQuoteWorker();
  const verifying = createVerifyWorker();
  const research = createResearchWorker();
  const { readSitemapFile, close } = createSitemapWorker();
  const pools = [extract, pruning, quoting, verifying, research, { close }];
  for (const pool of pools) started.push(() => pool.close());
  // Reading and cutting pages is what most calls need; the others start with their first task, which keeps the start light.
  const startThreads = async (): Promise<void> => {
    await Promise.all([extract.start(), pruning.start()]);
  };
  const [{ prune }, { quote }, { find }] = [pruning, quoting, verifying];
  return { extract, prune, quote, find, research, sitemaps: { readSitemapFile }, startThreads };
}

function openNetwork({ fetchAllowPrivate, dnsServers }: Config): Network {
  return createGuardedFetch({ allowPrivate: fetchAllowPrivate, dnsServers });
}

/** Throws ConfigError when a model is named that cannot be used. */
async function openReranker({ rerankModel }: Config, log: Log): Promise<Reranker | null> {
  if (rerankModel === null) return null;
  try {
    return await createReranker({ folder: rerankModel, log });
  } catch (error) {
    throw new ConfigError(`RERANK_MODEL: ${error instanceof Error ? error.message : String(error)}`);
  }
}
