import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { Failure, StoreUnavailable } from '../contract/errors.ts';
import type { Frontiers } from '../crawl/background/help-crawls.ts';
import { removeAddresses } from '../crawl/frontier/url-rows.ts';
import { createRefresher, type RefreshPages } from '../crawl/refresh/refresh-pages.ts';
import { createHostUpkeep } from '../index/hosts/host-upkeep.ts';
import { createLocalIndex } from '../index/local-index.ts';
import type { LocalIndex } from '../index/local-index-types.ts';
import { createClusterIndex } from '../index/opensearch/cluster-index.ts';
import { resolveOwnAddress } from '../index/own-address.ts';
import { createForget, createForgettings, type Forget, type Forgettings } from '../index/upkeep/forget.ts';
import { createUseLog } from '../index/upkeep/use-log.ts';
import { forgetMonitors } from '../monitors/rows/monitor-rows.ts';
import type { OpenPage } from '../pages/open-page-types.ts';
import { removeCopies } from '../pages/page-cache.ts';
import { type Background, runPeriodically } from '../platform/background.ts';
import type { Clock } from '../platform/clock.ts';
import { createFairQueue, type FairQueue } from '../platform/fairness/fair-queue.ts';
import type { Log } from '../platform/log.ts';
import { useFileForCrawls } from '../platform/store/crawls/open-crawl-store.ts';
import { openOrSetAside } from '../platform/store/open-sqlite.ts';
import type { Store } from '../platform/store/open-store.ts';
import type { LocalSource, RecallAll } from '../recall/recall.ts';
import type { SourceSwitches } from '../recall/upstream/create-upstreams.ts';
import { createSearchCache, type SearchCache, type SharedAnswers } from '../search/search-cache.ts';
import type { SearchAnswer } from '../search/search-types.ts';
import type { VersionTables } from './compose-versions.ts';
import { type Config, ConfigError } from './config.ts';
import type { IndexConfig } from './index-settings.ts';
import type { OpenMonitorTables } from './open-tables.ts';
import type { SharedCaches } from './sharing/compose-sharing.ts';
import type { Teardown } from './teardown.ts';

type KeepOption = { keep?: boolean | undefined };
type AnswerResults = Pick<SearchAnswer, 'results'>;

/** Upkeep of the index: forgetting pages, and recording their use. */
type IndexCare = {
  forget: Forget;
  forgettings: Forgettings;
  /** Wrap a function so that the pages it returns are recorded as used, except for callers of whom nothing is kept. */
  notingReads(openPage: OpenPage): OpenPage;
  notingResults<Request extends KeepOption, Answer extends AnswerResults>(
    search: (request: Request) => Promise<Answer>,
  ): (request: Request) => Promise<Answer>;
  noteResults(request: KeepOption, answer: AnswerResults): void;
  /** Wraps recall so that it first checks whether cached answers of sources must be dropped. */
  withoutForgotten(recall: RecallAll): RecallAll;
};

/** Maximum searches waiting for a reader of the index, over all callers. */
const SEARCHES_WAITING_MAX = 400;
/** Searches are short, so a lone caller may have nearly all readers. */
const SEARCHES_PER_FREE = 4;
/** Maximum concurrent searches at a cluster. It has its own queues, but an aborted call leaves only this one. */
const CLUSTER_SEARCHES_MAX = 32;

/** Creates the queue before the readers of the index: one search each, plus one so that no reader idles while its answer is taken. */
export function createSearchQueue({ indexUrl }: Pick<IndexConfig, 'indexUrl'>): FairQueue {
  return createFairQueue({
    slots: indexUrl === null ? availableParallelism() + 1 : CLUSTER_SEARCHES_MAX,
    perFreeSlot: SEARCHES_PER_FREE,
    waitingMax: SEARCHES_WAITING_MAX,
    overloaded: () => new Failure('overloaded', 'Too many searches are under way; try again in a moment.'),
  });
}

/** Interval at which the use of pages is written. */
const USE_WRITTEN_EVERY_MS = 60_000;

/** Creates the upkeep. Call it before starting anything that must end before the last write to the index. */
export function createIndexCare(parts: {
  index: LocalIndex;
  store: Store;
  versionTables: VersionTables;
  monitorTables: OpenMonitorTables;
  background: Background;
  teardown: Teardown;
  sharing: Pick<SharedCaches, 'removeAll'> | null;
  frontiers: Pick<Frontiers, 'store'>;
  clock: Clock;
}): IndexCare {
  const { index, store, versionTables, monitorTables, background, teardown, sharing, frontiers, clock } =
    parts;
  const forgettings = createForgettings(index);
  const useLog = createUseLog({ index, background });
  const stop = runPeriodically(background, [
    { name: 'note the use of pages', ms: USE_WRITTEN_EVERY_MS, work: useLog.flush },
  ]);
  teardown.add(async () => {
    stop();
    background.run('note the use of pages', useLog.flush);
  });
  const recordUse: IndexCare['noteResults'] = ({ keep }, { results }) => {
    if (keep !== false) useLog.note(results.map(({ url }) => url));
  };
  return {
    forgettings,
    forget: createForget({
      index,
      forgettings,
      async removeCopies(isMeant) {
        // Shared copies do not tell which page they are of.
        const [copies, earlier, recorded, seen] = await Promise.all([
          removeCopies(store, isMeant),
          versionTables.versions().then((kept) => kept.forget(isMeant)),
          versionTables.records().then((kept) => kept.forget(isMeant)),
          monitorTables().then(({ db }) => forgetMonitors(db, isMeant)),
          sharing?.removeAll(),
        ]);
        return copies + earlier + recorded + seen;
      },
      async removeAddresses(isMeant) {
        const removed = await removeAddresses(frontiers.store, isMeant);
        if (frontiers.store.dialect === 'sqlite') return removed;
        // The file may have crawls from before there was a database.
        return removed + (await removeAddresses(useFileForCrawls(store, clock), isMeant));
      },
    }),
    notingReads: (openPage) => async (url, options) => {
      const page = await openPage(url, options);
      if (page.privacy === null && options.keep !== false) useLog.note([resolveOwnAddress(page.article)]);
      return page;
    },
    noteResults: recordUse,
    notingResults: (search) => async (request) => {
      const answer = await search(request);
      recordUse(request, answer);
      return answer;
    },
    withoutForgotten:
      (recall) =>
      async (...asked) => {
        await forgettings.notice();
        return recall(...asked);
      },
  };
}

/** Interval at which the refresher checks for due pages. */
const REFRESH_EVERY_MS = 60_000;

/** Keeps the index fresh while a server runs, if a rate is set. The returned function stops it. */
export function startRefresher(
  { config, crawling, clock }: { config: IndexConfig; crawling: { refresh: RefreshPages }; clock: Clock },
  background: Background,
): () => void {
  const perHour = config.refreshPerHour;
  if (perHour === 0) return () => {};
  const refresher = createRefresher({ refresh: crawling.refresh, perHour, clock });
  const stop = runPeriodically(background, [
    { name: 'refresh the index', ms: REFRESH_EVERY_MS, work: refresher.tick },
  ]);
  return () => {
    stop();
    refresher.stop();
  };
}

/** Interval at which host upkeep checks whether to rank hosts again. */
const RANKED_EVERY_MS = 600_000;

/** Ranks hosts while a server runs, when many pages were added or removed. The returned function stops it. */
export function startHostUpkeep(
  parts: Parameters<typeof createHostUpkeep>[0],
  background: Background,
): () => void {
  const upkeep = createHostUpkeep(parts);
  const stop = runPeriodically(background, [{ name: 'rank hosts', ms: RANKED_EVERY_MS, work: upkeep.tick }]);
  return () => {
    stop();
    upkeep.stop();
  };
}

type SearchCacheDeps = {
  clock: Clock;
  forgettings: Forgettings;
  switches: Pick<SourceSwitches, 'onChange'>;
  shared: (SharedAnswers & { removeAll(): void }) | null;
  /** Returns true if the current search must ask again, and leaves no answer. */
  isBypassed(): boolean;
};

/** Creates the search cache, cleared when the local source changes, a source is switched, or any process forgets pages. */
export function createWatchedSearchCache(
  local: LocalSource | null,
  { clock, forgettings, switches, shared, isBypassed }: SearchCacheDeps,
): SearchCache {
  const epoch = {
    version() {
      const state = forgettings.notice();
      return typeof state === 'number' ? String(state) : state.then(String);
    },
  };
  const cache = createSearchCache({ sources: local === null ? [epoch] : [epoch, local], clock, shared });
  forgettings.onForgotten(cache.clear);
  switches.onChange(() => {
    cache.clear();
    shared?.removeAll();
  });
  return {
    look: async (request) => (isBypassed() ? { answer: null, keep() {} } : cache.look(request)),
    clear: cache.clear,
  };
}

/** Opens the index: in a file of the data folder, or behind a cluster. */
export async function openIndex(
  config: Config,
  { log, clock }: { log: Log; clock: Clock },
): Promise<LocalIndex> {
  const { indexUrl, indexBytesMax: bytesMax, vectorRecall, clusterAccess } = config;
  if (indexUrl !== null)
    return createClusterIndex({ settings: { url: indexUrl, ...clusterAccess }, log, clock });
  return openFile(config, 'index.db', log, (path) =>
    createLocalIndex({ path, log, bytesMax, vectorRecall, clock }),
  );
}

/** Opens a file of the data folder. Throws a ConfigError that names it. */
export async function openFile<Opened>(
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
