import type { Generated } from 'kysely';

/** The tables of the store. Each is read and written by one slice only (named above it). */
export type Tables = {
  page_cache: PageCacheTable;
  crawl: CrawlTable;
  crawl_url: CrawlUrlTable;
};

/** retrieval/open: pages that were read, as extracted articles. */
type PageCacheTable = {
  /** The address as asked for (normalised, after rewriting). */
  url: string;
  /** The article as JSON. */
  article: string;
  etag: string | null;
  last_modified: string | null;
  /** Milliseconds since the epoch: when the origin last confirmed the content. */
  fetched_at: number;
  /** Milliseconds since the epoch, for eviction. */
  used_at: number;
  /** Length of `article`, for the bound on the whole cache. */
  bytes: Generated<number>;
};

/** corpus: crawls, each known by what it starts from, so that the same command finds its own again. */
type CrawlTable = {
  id: string;
  /** Start addresses as a JSON list. */
  starts: string;
  /** Milliseconds since the epoch. */
  started_at: number;
  /** When the sitemaps had been read into the frontier. */
  seeded_at: number | null;
};

/** corpus: the frontier, that is every address a crawl knows and what became of it. */
export type CrawlUrlTable = {
  id: Generated<number>;
  crawl_id: string;
  url: string;
  host: string;
  depth: number;
  state: 'pending' | 'done' | 'duplicate' | 'skipped' | 'failed';
  attempts: number;
  /** Milliseconds since the epoch; a retry waits until then. */
  not_before: number;
  /** Why it was skipped, failed, or is tried again. */
  reason: string | null;
  /** The address under which the page stands in the index, and its title. */
  page_url: string | null;
  title: string | null;
};
