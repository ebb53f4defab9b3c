import { type CrawlCaller, type WatchedCrawl, watchCrawl } from '../chaos/watched-crawl.ts';

/** A crawl job that runs while parts are lost. */
export type CrawlAcross = {
  /** Resolves once the job has ended and its events are delivered; to be called while servers live. */
  ended(): Promise<void>;
  /** What came of it; to be called when the servers have ended. `lostAt`: when processes and stores were lost. */
  judge(lostAt: readonly number[]): Promise<CrawlOutcome>;
};

/** `again`: pages that were asked for once more, because the process that was reading them was lost. */
export type CrawlOutcome = {
  crawl: { pages: number; credits: number; requests: number; again: number; seconds: number };
  faults: string[];
};

/** Apart from the pages that callers read, so that their requests do not count. */
const ADDRESSES = { site: '127.10.0.3', receiver: '127.10.0.2' };
/** So that the job runs about as long as the losses. */
const PAGES_PER_SECOND = 1;

/** A process that takes longer to answer has lost its claim to the page, as one that was killed has. */
const CLAIM_MS = 6_000;

/** Starts a crawl of a site of its own that lasts about so many seconds. */
export async function startCrawl(
  test: { after(close: () => Promise<void>): void },
  { caller, seconds }: { caller: CrawlCaller; seconds: number },
): Promise<CrawlAcross> {
  const pages = PAGES_PER_SECOND * seconds;
  const crawl = await watchCrawl(pages, ADDRESSES);
  test.after(crawl.close);
  const begunAt = performance.now();
  await crawl.start(caller);
  let ended: Awaited<ReturnType<WatchedCrawl['ended']>> | null = null;
  let took = 0;
  return {
    async ended() {
      ended = await crawl.ended();
      took = Math.round((performance.now() - begunAt) / 1_000);
    },
    async judge(lostAt) {
      if (ended === null) throw new Error('the crawl has not ended');
      const { pages: held, credits, requests, faults } = await crawl.judge(ended);
      const repeats = [...crawl.askedAt].flatMap(([path, times]) =>
        times.slice(1).map((at, place) => ({ path, from: times[place] ?? 0, at })),
      );
      const needless = repeats.filter(
        ({ from, at }) => at - from < CLAIM_MS && !lostAt.some((lost) => lost >= from && lost <= at),
      );
      return {
        crawl: { pages: held, credits, requests, again: repeats.length, seconds: took },
        faults: [
          ...faults,
          ...needless.map(({ path }) => `${path} was read twice, and nothing was lost between`),
        ],
      };
    },
  };
}
