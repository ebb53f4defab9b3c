import type { DistributedCrawlOrder } from '../spread/spread-order.ts';

/** The order of a crawl, and how to stop and observe it. */
export type CrawlRequest = DistributedCrawlOrder & {
  /** True if another process started the crawl and this one helps for as long as it is wanted. */
  helps?: boolean;
  signal: AbortSignal;
  onProgress?: (progress: CrawlProgress) => void;
};

/** Addresses of the whole crawl, by outcome; `url` is the one settled last. */
export type CrawlProgress = {
  pages: number;
  failed: number;
  skipped: number;
  duplicates: number;
  queued: number;
  url: string | null;
};

type ReasonCount = { state: 'skipped' | 'failed'; reason: string; urls: number; example: string };

/** The result of a crawl, including earlier runs. */
export type CrawlSummary = Omit<CrawlProgress, 'url'> & {
  /** True if this run continued an unfinished crawl. */
  resumed: boolean;
  /** Pages that this run added. */
  newPages: number;
  ended: 'complete' | 'pages_max' | 'aborted' | 'host_gave_up';
  reasons: ReasonCount[];
  seconds: number;
};

/**
 * Crawls the sites of the start addresses into the index, breadth first. It may be aborted or killed at any point; the same
 * request then continues from there. Throws `Failure('url_not_allowed')` for a start address.
 */
export type BackgroundCrawl = (request: CrawlRequest) => Promise<CrawlSummary>;
