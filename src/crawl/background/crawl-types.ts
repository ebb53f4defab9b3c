/** What to crawl, and how. */
export type CrawlRequest = {
  /** Absolute http(s) addresses; their hosts are the sites that are crawled. */
  starts: string[];
  /** Maximum pages of the whole crawl, earlier runs included. */
  pagesMax: number;
  /** Maximum link distance from a start address; null: no bound. */
  depthMax: number | null;
  /** Stay at or below the folders of the start addresses. */
  withinPath: boolean;
  /** Hosts of the crawl at most, those of the start addresses included: links to others are followed. Absent: only those. */
  hostsMax?: number | undefined;
  /** Addresses of one host that the crawl knows at most; absent: HOST_URLS_MAX in a crawl of other hosts, else no bound of its own. */
  hostUrlsMax?: number | undefined;
  /** Start over instead of continuing an unfinished crawl, and fetch every page from its origin instead of the page cache. */
  fresh: boolean;
  /** Milliseconds between two requests to one host; null: DELAY_MS, none for hosts outside the public web. */
  delayMs: number | null;
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
