import type { Generated } from 'kysely';

/** The tables of the store. Each is read and written by one slice only (named above it). */
export type Tables = {
  page_cache: PageCacheTable;
};

/** retrieval/open: pages that were read, as extracted articles. */
export type PageCacheTable = {
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
