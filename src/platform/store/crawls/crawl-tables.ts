/**
 * The tables of crawls that several processes read together, all of which belong to `crawl`. Instants are milliseconds since the epoch, of
 * the database's clock. Only the holder of a host's lease writes what became of its addresses.
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
  /** The index that its pages enter; processes with another one cannot help. */
  place: string;
  /** What is to be crawled and how, as JSON. */
  request: string;
  started_at: number;
  /** Processes that were not asked to crawl it help until then. */
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
  /** Addresses known, and those that wait. */
  urls: number;
  pending: number;
  /** Whether an address of it has been settled. */
  visited: boolean;
  /** The process that reads it; null: none. */
  holder: string | null;
  /** New whenever the lease changes hands, and never used again. */
  lease_token: number;
  lease_until: number;
  /** When the next request may start, and the milliseconds between two. */
  ready_at: number;
  pace_ms: number;
  /** Whether it pushed back too often. */
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

/** A process that reads pages of a crawl, and how many it may still read. */
type SpreadWorkerTable = { crawl_id: string; id: string; seen_until: number; reserved: number };
