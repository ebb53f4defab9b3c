/** The order of a crawl, as it is passed to the processes that help. */
export type BackgroundCrawlOrder = {
  /** Absolute http(s) addresses; their hosts are the sites that are crawled. */
  starts: string[];
  /** Maximum pages of the whole crawl, earlier runs included. */
  pagesMax: number;
  /** Maximum link distance from a start address; null: no bound. */
  depthMax: number | null;
  /** Stay at or below the folders of the start addresses. */
  withinPath: boolean;
  /** Maximum hosts, including those of the start addresses; links to other hosts are followed. Absent: only the start hosts. */
  hostsMax?: number | undefined;
  /** Maximum addresses of one host; absent: HOST_URLS_MAX if `hostsMax` is set, else no separate bound. */
  hostUrlsMax?: number | undefined;
  /** Start over instead of continuing an unfinished crawl, and fetch every page from its origin instead of the page cache. */
  fresh: boolean;
  /** Milliseconds between two requests to one host; null: DELAY_MS, none for hosts outside the public web. */
  delayMs: number | null;
};

/** The order of a crawl, and how to stop and observe it. */
export type CrawlRequest = BackgroundCrawlOrder & {
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
