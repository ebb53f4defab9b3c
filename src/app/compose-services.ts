import { Failure } from '../contract/errors.ts';
import { createBackgroundCrawl } from '../crawl/background/background-crawl.ts';
import type { BackgroundCrawl } from '../crawl/background/crawl-types.ts';
import type { Frontiers } from '../crawl/background/help-crawls.ts';
import type { ImportPages } from '../crawl/import/import-pages.ts';
import { createRefreshPages, type RefreshPages } from '../crawl/refresh/refresh-pages.ts';
import { createSitemapWorker, type ReadSitemapFile } from '../crawl/robots/read-sitemaps.ts';
import { createSiteCrawl, type SiteCrawl } from '../crawl/site/site-crawl.ts';
import { createSiteMap, type SiteMap } from '../crawl/site/site-map.ts';
import { indexReads } from '../index/index-reads.ts';
import type { LocalIndex } from '../index/local-index-types.ts';
import type { Forget, Forgettings } from '../index/upkeep/forget.ts';
import { createLibraryCatalog, type LibraryCatalog } from '../libraries/search/library-catalog.ts';
import { createSearchDocs, type SearchDocs } from '../libraries/search/search-docs.ts';
import { createExtractWorker, EXTRACT_TASK, type ExtractWorker } from '../pages/extract-worker.ts';
import type { OpenPage } from '../pages/open-page-types.ts';
import { deriveServerId } from '../platform/app-secret.ts';
import { createBackground } from '../platform/background.ts';
import { type Clock, steadyClock, systemClock } from '../platform/clock.ts';
import { createFairQueue, type FairQueue, type QueueLoad } from '../platform/fairness/fair-queue.ts';
import type { Stage } from '../platform/fairness/work-queue.ts';
import { createLog, type Log } from '../platform/log.ts';
import { EgressFileError } from '../platform/net/egress/egress.ts';
import { createGuardedFetch, type GuardedNetwork } from '../platform/net/guarded-fetch.ts';
import { openStore, type Store } from '../platform/store/open-store.ts';
import { POOL_LIMITS } from '../platform/threads/pool-limits.ts';
import { createTaskPool } from '../platform/threads/task-pool.ts';
import { type Tracing, traceCall } from '../platform/tracing/open-tracing.ts';
import { createLocalSource, queueSearches, recordCalls } from '../recall/local-source.ts';
import { createRecallAll, type RecallLimits } from '../recall/recall-all.ts';
import type { Reranker } from '../recall/rerank/reranker.ts';
import {
  createSourceSwitches,
  createUpstreams,
  type SourceSwitches,
} from '../recall/upstream/create-upstreams.ts';
import type { SourceReading } from '../recall/upstream/upstream-types.ts';
import type { Research } from '../research/research.ts';
import { type CheckClaims, createCheckClaims } from '../search/check-claims.ts';
import { type Contents, createContents } from '../search/contents.ts';
import { createMarkupWorker, type MarkupWorker } from '../search/markup-worker.ts';
import { createPruneWorker, PRUNE_TASK, type PruneWorker } from '../search/prune-worker.ts';
import { createQuoteWorker } from '../search/quote-worker.ts';
import { createRead, type ReadOperation } from '../search/read.ts';
import { reportRebuild } from '../search/rebuild-state.ts';
import { createRerank, type Rerank } from '../search/rerank.ts';
import { createSearch, type Search } from '../search/search.ts';
import { createSimilar, type Similar } from '../search/similar.ts';
import { createVerify, type Verify } from '../search/verify.ts';
import { createVerifyWorker } from '../search/verify-worker.ts';
import type { PrivateSites } from '../sites/private-sites.ts';
import { createReplayRecord, type ReplayRecord } from '../versions/replay-record.ts';
import type { Writer } from '../writing/writer.ts';
import {
  createIndexCare,
  createSearchQueue,
  createWatchedSearchCache,
  openFile,
  openIndex,
} from './compose-index.ts';
import { composeImport, composeOpenPage, composeResearch, createHeldOpener } from './compose-pages.ts';
import { resolveAppSecret } from './compose-payments.ts';
import { composePrivateSites, openPrivateTables } from './compose-private-sites.ts';
import { composeVersions, openVersions, type VersionParts } from './compose-versions.ts';
import { composeWriter } from './compose-writer.ts';
import { type Config, ConfigError } from './config.ts';
import { openModels } from './models/open-models.ts';
import { createStatementTracer, traceIndex, tracePool, traceUpstreams } from './observe/trace-parts.ts';
import { type OpenMonitorTables, openMonitorTables } from './open-tables.ts';
import { readOperatorRules } from './read-operator-rules.ts';
import { openFrontiers } from './sharing/compose-frontiers.ts';
import { openSharedCaches, type SharedCaches } from './sharing/compose-sharing.ts';
import { awaitBothStarted, createCloser, createTeardown, type Teardown } from './teardown.ts';

type Network = Pick<GuardedNetwork, 'fetch' | 'checkUrl' | 'close'> &
  Partial<Pick<GuardedNetwork, 'addressOf'>>;

/** The operations that callers may ask for. */
type Operations = {
  search: Search;
  contents: Contents;
  similar: Similar;
  /** The libraries whose documentation is held. */
  libraries: LibraryCatalog;
  searchDocs: SearchDocs;
  research: Research;
  read: ReadOperation;
  rerank: Rerank;
  verify: Verify;
  checkClaims: CheckClaims;
  /** Renders Markdown as markup for the web pages. */
  markup: MarkupWorker;
  /** Null unless the operator has set a model. */
  writer: Writer | null;
  siteCrawl: SiteCrawl;
  siteMap: SiteMap;
  /** Deletes pages and every copy of them. */
  forget: Forget;
};

/** The parts that read pages. */
type PageParts = {
  openPage: OpenPage;
  /** Like `openPage`, but also indexes what may be kept. */
  openAndIndex: OpenPage;
  prune: PruneWorker;
  extract: ExtractWorker;
  readSitemapFile: ReadSitemapFile;
};

/** The parts that fill the index. */
type CrawlParts = {
  crawl: BackgroundCrawl;
  refresh: RefreshPages;
  importPages: ImportPages;
  frontiers: Frontiers;
};

/** The parts that find pages. */
type RecallParts = {
  /** Returns the state of every recall source, the local index first. */
  sourceReadings(): SourceReading[];
  switches: SourceSwitches;
  /** Null unless a model is configured. */
  reranker: Reranker | null;
};

/** The queues of this process. */
type Queues = {
  threadLoad(): QueueLoad;
  /** The queue before the readers of the local index. */
  searches: Pick<FairQueue, 'load'>;
  /** The queues through which calls pass. */
  stages: readonly Stage[];
};

/** Everything that finds, reads and stores pages, without billing. */
export type Services = {
  config: Config;
  log: Log;
  clock: Clock;
  /** Null: nothing is traced. */
  tracing: Tracing | null;
  store: Store;
  network: Network;
  index: LocalIndex;
  forgettings: Forgettings;
  /** Null if no shared cache is configured. */
  sharing: SharedCaches | null;
  /** Opens the store of monitors. */
  monitorTables: OpenMonitorTables;
  /** Earlier versions of pages. */
  versioning: VersionParts;
  replayRecord: ReplayRecord;
  /** Null unless the operator has switched them on. */
  privateSites: PrivateSites | null;
  operations: Operations;
  pages: PageParts;
  crawling: CrawlParts;
  recall: RecallParts;
  queues: Queues;
  /** Ends what was started, in reverse order; safe to call twice. */
  close(): Promise<void>;
};

/** Dependencies outside the process, which tests replace. */
export type Outside = {
  clock?: Clock;
  network?: Network;
  log?: Log;
  tracing?: Tracing | null;
  /** Limits on the time that searches wait for sources; absent: the usual ones. */
  waits?: Partial<RecallLimits>;
};

/** Maximum concurrent site crawls and maps, over all callers: each keeps its pages in memory and lasts up to two minutes. */
const SITES_AT_ONCE_MAX = 16;
const SITES_WAITING_MAX = 100;

/** Composes the services. Throws ConfigError when the data folder or the model cannot be used; what was already started is ended. */
export function createServices(config: Config, outside: Outside = {}): Promise<Services> {
  const { clock = systemClock, log = createLog(config.logLevel), tracing = null, waits = {} } = outside;
  const teardown = createTeardown();
  return teardown.onFailure(async () => {
    const foundation = await openFoundation(config, { outside, log, clock, tracing, teardown });
    const { store, index, versionTables, network, background, workers, reranker, sharing, frontiers } =
      foundation;
    const { checkUrl, addressOf } = network;
    const fetch = traceCall(tracing, 'fetch', network.fetch);
    const sourceDeps = { store, clock, tracing, sharing, teardown };
    const { switches, upstreams, ownId } = await startUpstreams(config, sourceDeps);
    const { extract, prune, quote, find, readSitemapFile } = workers;
    const versioning = composeVersions(config, {
      tables: versionTables,
      clock,
      background,
      pool: workers.pool,
    });
    const monitorTables = openMonitorTables(config, { log, teardown });
    const care = createIndexCare({
      index,
      store,
      versionTables,
      monitorTables,
      background,
      teardown,
      sharing,
      frontiers,
      clock,
    });
    const { forget, forgettings } = care;
    const visitPage = composeOpenPage(config, teardown, {
      fetch,
      checkUrl,
      store,
      extract,
      clock,
      log,
      tracing,
      index,
      forgettings,
      pool: workers.pool,
      shared: sharing && { pages: sharing.pages, background },
    });
    const { privateTables } = foundation;
    const privateSites =
      privateTables === null
        ? null
        : composePrivateSites(config, { store: privateTables, index, fetch, clock, background });
    const openPublic = versioning.keepingVersions(visitPage);
    const openPage = privateSites?.addSignIns(openPublic, visitPage) ?? openPublic;
    const { noting, isCollecting } = versioning.collectReads;
    const openAndIndex = noting(
      versioning.servingVersions(
        care.notingReads(indexReads(openPage, { index, background, files: config.indexReads })),
      ),
    );
    const writer = await composeWriter(config, { store, pool: workers.pool, clock, teardown, forgettings });
    const searches = createSearchQueue(config);
    const queued = queueSearches(createLocalSource(index), searches);
    const local = recordCalls(queued, { isAsked: config.localIndex, clock });
    const recall = care.withoutForgotten(
      createRecallAll({
        local: local.source,
        upstreams: upstreams.running,
        background,
        outsideBelow: config.outsideBelow,
        limits: waits,
        ...ownId,
      }),
    );
    const shared = sharing?.answersOver(index.place(), config) ?? null;
    const cacheDeps = { clock, forgettings, switches, shared, isBypassed: isCollecting };
    const cache = createWatchedSearchCache(local.source, cacheDeps);
    forgettings.onForgotten(upstreams.forgetAnswers);

    const pages = { openPage: openAndIndex, prune };
    const openHeld = noting(care.notingReads(createHeldOpener(index)));
    const openAsOf = noting(versioning.openAsOf(createHeldOpener(index)));
    const found = createSearch({ ...pages, openHeld, openAsOf, recall, quote, cache, clock, reranker });
    const search = care.notingResults(reportRebuild(found, index));
    const libraries = createLibraryCatalog(store);
    const read = createRead({ ...pages, extract, clock });
    const contents = createContents({ ...pages, checkUrl, reranker });
    const crawlDeps = { fetch, checkUrl, clock, readSitemapFile };
    const siteDeps = { ...crawlDeps, steady: steadyClock, openPage: openAndIndex, slots: createSiteSlots() };
    const similar = createSimilar({
      ...pages,
      recall,
      clock,
      frequencies: (terms) => index.frequencies(terms),
    });
    return {
      config,
      log,
      clock,
      tracing,
      store,
      network,
      index,
      forgettings,
      sharing,
      versioning,
      replayRecord: createReplayRecord({ ...versioning, openPage: openAndIndex, clock }),
      privateSites,
      monitorTables,
      operations: {
        search,
        libraries,
        searchDocs: createSearchDocs({ search, catalog: libraries, index, pool: workers.pool }),
        contents,
        read,
        forget,
        similar: reportRebuild(similar, index),
        research: composeResearch({ search, openPage: openAndIndex }, workers.pool),
        rerank: createRerank({ pool: workers.pool, reranker }),
        verify: createVerify({ openPage: openAndIndex, find }),
        checkClaims: createCheckClaims({ openPage: openAndIndex, pool: workers.pool }),
        markup: workers.markup,
        writer,
        siteCrawl: createSiteCrawl({ ...siteDeps, prune }),
        siteMap: createSiteMap(siteDeps),
      },
      pages: { openPage, openAndIndex, prune, extract, readSitemapFile },
      crawling: {
        crawl: createBackgroundCrawl({ ...crawlDeps, openPage, index, frontiers, log, addressOf }),
        refresh: createRefreshPages({ ...crawlDeps, openPage, index }),
        importPages: composeImport({ extract, index, clock, store, fetch }, config),
        frontiers,
      },
      recall: {
        sourceReadings: () => [local.reading(), ...upstreams.readings()],
        switches,
        reranker,
      },
      queues: {
        searches,
        threadLoad: workers.pool.load,
        stages: [searches, ...workers.pool.stages],
      },
      close: createCloser(index, teardown),
    };
  });
}

/** Starts the upstream sources. They end before the background drains, so that it does not wait for late responses. */
async function startUpstreams(
  config: Config,
  {
    store,
    clock,
    tracing,
    sharing,
    teardown,
  }: Pick<Services, 'store' | 'clock' | 'tracing' | 'sharing'> & { teardown: Teardown },
) {
  const switches = await createSourceSwitches(store, clock.now);
  const ownId = config.peers.length === 0 ? {} : { serverId: deriveServerId(resolveAppSecret(config)) };
  const untraced = createUpstreams({ ...config, ...ownId }, clock, switches, sharing?.sources);
  const upstreams = { ...untraced, running: traceUpstreams(tracing, untraced.running) };
  teardown.add(() => upstreams.close());
  return { switches, upstreams, ownId };
}

/** Opens what all services share, in start order. */
async function openFoundation(
  config: Config,
  {
    outside,
    log,
    clock,
    tracing,
    teardown,
  }: Pick<Services, 'log' | 'clock' | 'tracing'> & {
    outside: Outside;
    teardown: Teardown;
  },
) {
  // First: the threads that start later use the static model.
  const { reranker } = await openModels(config, log);
  teardown.add(() => reranker?.close());
  // The index first: its thread starts while the store is opened.
  const [index, store] = await awaitBothStarted(
    teardown,
    { starting: openIndex(config, { log, clock }), end: (opened) => opened.close() },
    {
      starting: openFile(config, 'store.db', log, () =>
        openStore(config.dataDir, createStatementTracer(tracing)),
      ),
      end: (opened) => opened.destroy(),
    },
  );
  const network = outside.network ?? openNetwork(config);
  teardown.add(() => network.close());
  const workers = createWorkers(teardown, { ...config, tracing, clock });
  const sharing = await openSharedCaches(config, { clock, log, teardown });
  const frontiers = await openFrontiers(config, { file: store, clock, teardown });
  // Before the background, which may add versions to the end.
  const versionTables = await openVersions(config, { log, clock, teardown });
  const privateTables = await openPrivateTables(config, { log, teardown });
  const background = createBackground(log);
  teardown.add(() => background.drain());
  return {
    store,
    versionTables,
    privateTables,
    index: traceIndex(tracing, index),
    network,
    workers,
    reranker,
    background,
    sharing,
    frontiers,
  };
}

function createSiteSlots(): FairQueue {
  return createFairQueue({
    slots: SITES_AT_ONCE_MAX,
    waitingMax: SITES_WAITING_MAX,
    overloaded: () => new Failure('overloaded', 'Too many sites are being crawled; try again in a moment.'),
  });
}

/** Creates the workers that run on threads. */
function createWorkers(
  teardown: Teardown,
  {
    answerConfidence,
    extractRules,
    tracing,
    clock,
  }: Pick<Config, 'answerConfidence' | 'extractRules'> & Pick<Services, 'tracing' | 'clock'>,
) {
  // Most calls extract and prune.
  const pool = tracePool(tracing, createTaskPool(POOL_LIMITS, [EXTRACT_TASK, PRUNE_TASK]));
  teardown.add(() => pool.close());
  return {
    pool,
    extract: createExtractWorker(pool, clock, readOperatorRules({ extractRules })),
    prune: createPruneWorker(pool),
    quote: createQuoteWorker(pool, answerConfidence),
    find: createVerifyWorker(pool),
    markup: createMarkupWorker(pool),
    readSitemapFile: createSitemapWorker(pool),
  };
}

/** Throws ConfigError where a file of the egress settings cannot be used. */
function openNetwork({ fetchAllowPrivate, dnsServers, egress }: Config): Network {
  try {
    return createGuardedFetch({ allowPrivate: fetchAllowPrivate, dnsServers, egress });
  } catch (error) {
    if (error instanceof EgressFileError) throw new ConfigError(error.message, { cause: error });
    throw error;
  }
}
