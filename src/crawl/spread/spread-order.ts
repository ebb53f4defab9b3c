/** What a crawl asks for, as the processes that help with it are told. */
export type SpreadOrder = {
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
};

/** An order as JSON. */
export function orderText(order: SpreadOrder): string {
  const { starts, pagesMax, depthMax, withinPath, hostsMax, hostUrlsMax, fresh, delayMs } = order;
  return JSON.stringify({ starts, pagesMax, depthMax, withinPath, hostsMax, hostUrlsMax, fresh, delayMs });
}

/** What `orderText` wrote. */
export const orderOf = (text: string): SpreadOrder => JSON.parse(text) as SpreadOrder;
