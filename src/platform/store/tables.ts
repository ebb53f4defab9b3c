import type { Generated } from 'kysely';

/** The tables of the store; each is read and written only by the folder named above it. Those of crawls are in crawls/. */
export type Tables = {
  page_cache: PageCacheTable;
  crawl_run: CrawlRunTable;
  source_switch: SourceSwitchTable;
  operator_action: OperatorActionTable;
  import_state: ImportStateTable;
  library: LibraryTable;
  library_page: LibraryPageTable;
  library_project: LibraryProjectTable;
  library_use: LibraryUseTable;
  library_reader: LibraryReaderTable;
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

/** libraries: versions of libraries whose documentation is held, wanted or about to go. */
export type LibraryTable = {
  id: Generated<number>;
  ecosystem: string;
  name: string;
  version: string;
  /** `wanted` and `removing` are work that a later run finishes if this one is killed. */
  state: 'wanted' | 'held' | 'failed' | 'removing';
  /** What was asked for by name, as JSON; null: only projects use it. */
  spec: string | null;
  licence: string | null;
  homepage: string | null;
  repository: string | null;
  is_private: number;
  pages: number;
  /** Characters of its pages, and bytes that were downloaded for them. */
  chars: number;
  bytes: number;
  /** What was tried and gave nothing, as a JSON list; why it failed. */
  notes: string;
  problem: string | null;
  added_at: number;
  /** When it was fetched or failed, and the milliseconds that this took. */
  fetched_at: number | null;
  took_ms: number;
};

/** libraries: the pages of a library. Identical pages of two versions have one address in the index. */
type LibraryPageTable = {
  library_id: number;
  /** The source address at this version, and the address under which the index holds the text. */
  url: string;
  page_url: string;
  kind: string;
  source: string;
  title: string;
  /** Of the Markdown. */
  digest: string;
};

/** libraries: projects whose dependencies are held. */
type LibraryProjectTable = {
  id: Generated<number>;
  path: string;
  /** Which dependencies count, as JSON; a digest of the files that state them. */
  choice: string;
  stamp: string;
  synced_at: number;
};

/** libraries: which projects use which libraries; 1 or 0. */
type LibraryUseTable = { project_id: number; library_id: number; is_direct: number; is_dev: number };

/** libraries: the keys for which a library or a project was added, one of which is set. */
type LibraryReaderTable = { key_id: string; library_id: number | null; project_id: number | null };

/** writing: what the operator's model was asked on each UTC day (`YYYY-MM-DD`). */
type ModelDayTable = { day: string; calls: number; tokens: number };
