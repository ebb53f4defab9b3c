import { StoreUnavailable } from '../../contract/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { CrawlStore } from '../../platform/store/crawls/open-crawl-store.ts';
import { listWantedCrawls } from '../frontier/crawl-rows.ts';
import type { BackgroundCrawlOrder } from './crawl-types.ts';

/** The store in which crawls keep their frontiers. */
export type Frontiers = {
  store: CrawlStore;
  /** Identifies the index that receives the pages: only processes with the same index share a crawl. Empty in the file store. */
  place: string;
  /** Ids of the crawls that this process takes part in. */
  atWork: Set<string>;
};

/** Helps with crawls that other processes started, one at a time. */
type CrawlHelper = {
  /** Looks for a crawl that needs help. Call periodically; resolves without waiting for the crawl. */
  tick(): Promise<void>;
  /** Stops helping; other processes continue. */
  end(): Promise<void>;
};

type HelperDeps = {
  frontiers: Frontiers;
  /** Reads pages of the crawl until nothing is left or nobody wants it. */
  help(order: BackgroundCrawlOrder, signal: AbortSignal): Promise<unknown>;
  log: Log;
};

export function createCrawlHelper({ frontiers, help, log }: HelperDeps): CrawlHelper {
  const { store, place, atWork } = frontiers;
  const ending = new AbortController();
  let helping: Promise<void> | null = null;
  const helpCrawl = async (order: BackgroundCrawlOrder): Promise<void> => {
    try {
      await help(order, ending.signal);
    } catch (err) {
      if (!ending.signal.aborted) log.warn({ err }, 'help with a crawl failed');
    } finally {
      helping = null;
    }
  };
  return {
    async tick() {
      if (helping !== null || ending.signal.aborted) return;
      const wanted = await listWantedCrawls(store, place).catch((error: unknown) => {
        if (error instanceof StoreUnavailable) return [];
        throw error;
      });
      const next = wanted.find(({ id }) => !atWork.has(id));
      if (next === undefined || helping !== null || ending.signal.aborted) return;
      // Written by the background crawl, from its own order.
      helping = helpCrawl(JSON.parse(next.request) as BackgroundCrawlOrder);
    },
    async end() {
      ending.abort();
      await helping;
    },
  };
}
