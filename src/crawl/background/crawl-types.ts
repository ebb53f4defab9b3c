import type { SpreadOrder } from '../spread/spread-order.ts';

/** What to crawl, and how. */
export type CrawlRequest = SpreadOrder & {
  /** Another process began the crawl: this one reads pages of it for as long as it is wanted. */
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

/** What became of a crawl, earlier runs included. */
export type CrawlSummary = Omit<CrawlProgress, 'url'> & {
  /** Whether this run continued an unfinished crawl. */
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
