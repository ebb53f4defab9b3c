/**
 * The tables of distributed crawls, all of which belong to `crawl`. Instants are milliseconds since the epoch, by the database's clock.
 * Only the holder of a host's lease writes the outcomes of its addresses.
 */
export type CrawlTables = {
  spread_crawl: SpreadCrawlTable;
  spread_host: SpreadHostTable;
  spread_url: SpreadUrlTable;
  spread_worker: SpreadWorkerTable;
};

type SpreadCrawlTable = {
  /** A digest of the start addresses, the scope and the index. */
  id: string;
  /** Identifies the index that receives the pages; processes with another index cannot help. */
  place: string;
  /** The order of the crawl as JSON. */
  request: string;
  started_at: number;
  /** Time until which other processes help with the crawl. */
  wanted_until: number;
  done: number;
  duplicate: number;
  skipped: number;
  failed: number;
};

/** The hosts of a crawl: each is read by one process at a time. */
type SpreadHostTable = {
  crawl_id: string;
  host: string;
  /** Number of known addresses, and of waiting ones. */
  urls: number;
  pending: number;
  /** True if an address of the host has been settled. */
  visited: boolean;
  /** The process that reads the host; null: none. */
  holder: string | null;
  /** Changes whenever the lease changes hands; never reused. */
  lease_token: number;
  lease_until: number;
  /** Earliest start of the next request, and milliseconds between two requests. */
  ready_at: number;
  pace_ms: number;
  /** True if the host pushed back too often. */
  given_up: boolean;
};

type SpreadUrlTable = {
  id: number;
  crawl_id: string;
  url: string;
  host: string;
  depth: number;
  state: 'pending' | 'done' | 'duplicate' | 'skipped' | 'failed';
  attempts: number;
  not_before: number;
  reason: string | null;
  page_url: string | null;
  title: string | null;
};

/** A process that reads pages of a crawl, with the number of pages it has reserved. */
type SpreadWorkerTable = { crawl_id: string; id: string; seen_until: number; reserved: number };
