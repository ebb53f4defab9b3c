import type { Generated } from 'kysely';

/** The tables of the store; each is read and written only by the folder named above it. Those of crawls are in crawls/. */
export type Tables = {
  page_cache: PageCacheTable;
  crawl_run: CrawlRunTable;
  source_switch: SourceSwitchTable;
  operator_action: OperatorActionTable;
  import_state: ImportStateTable;
  model_day: ModelDayTable;
};

/** pages: fetched pages as extracted articles. */
type PageCacheTable = {
  /** The requested address, normalised and after rewriting. */
  url: string;
  /** The article as JSON. */
  article: string;
  etag: string | null;
  last_modified: string | null;
  /** Milliseconds since the epoch: when the origin last confirmed the content. */
  fetched_at: number;
  /** Milliseconds since the epoch, for eviction. */
  used_at: number;
  /** Length of `article`, for the limit on the whole cache. */
  bytes: Generated<number>;
};

/** crawl: crawls, imports and refreshes that a server runs for its operator. */
export type CrawlRunTable = {
  id: string;
  /** The order as JSON. */
  run_order: string;
  state: 'waiting' | 'running' | 'paused' | 'stopped' | 'done' | 'failed';
  /** The counts so far, as JSON. */
  counts: string;
  /** How the run ended, or why it failed. */
  note: string | null;
  created_at: number;
  started_at: number | null;
  ended_at: number | null;
  /** Time of the holder's last write; a holder that is silent for long counts as dead. */
  touched_at: number;
  /** The process that performs the run; null: none. It releases a run that is paused or stopped elsewhere before another takes it. */
  holder: string | null;
};

/** recall: sources that the operator has switched off. */
type SourceSwitchTable = { name: string; off_at: number };

/** http: the most recent actions of the operator in the console and over the API. */
type OperatorActionTable = {
  id: Generated<number>;
  at: number;
  action: string;
  subject: string | null;
  outcome: string;
};

/** crawl: imports that are not complete, identified by their source and options, so that repeating a command resumes its import. */
type ImportStateTable = {
  id: string;
  /** The progress as JSON. */
  state: string;
  updated_at: number;
};

/** writing: what the operator's model was asked on each UTC day (`YYYY-MM-DD`). */
type ModelDayTable = { day: string; calls: number; tokens: number };
