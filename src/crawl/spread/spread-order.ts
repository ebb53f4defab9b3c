/** The order of a crawl, as it is passed to the processes that help. */
export type DistributedCrawlOrder = {
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

/** Formats an order as JSON. */
export function formatCrawlOrder(order: DistributedCrawlOrder): string {
  const { starts, pagesMax, depthMax, withinPath, hostsMax, hostUrlsMax, fresh, delayMs } = order;
  return JSON.stringify({ starts, pagesMax, depthMax, withinPath, hostsMax, hostUrlsMax, fresh, delayMs });
}

/** Parses the result of `formatCrawlOrder`. */
export const parseCrawlOrder = (text: string): DistributedCrawlOrder =>
  JSON.parse(text) as DistributedCrawlOrder;
