import { Kysely, type Migration, Migrator, PostgresDialect } from 'kysely';
import * as spreadCrawls from './migrations/0001-spread-crawls.ts';

/** The store of distributed crawls, whose frontiers several processes share, in PostgreSQL. */
export type CrawlStore = {
  db: CrawlQueries;
  /** Runs work as one transaction and retries it after a conflict; the work must await only its queries. */
  transaction<Result>(work: (tx: CrawlQueries) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
};

export type CrawlQueries = Kysely<CrawlTables>;

/** Migrations in order of application; a released migration is never changed. */
const MIGRATIONS: Record<string, Migration> = { '0001-spread-crawls': spreadCrawls };
const CONNECTIONS_MAX = 3;
const STATEMENT_MS = 10_000;

/** Opens the database and migrates the tables under a lock. */
export async function openCrawlStore(databaseUrl: string): Promise<CrawlStore> {
  // Imported on demand: its driver takes memory that SQLite does not need.
  const {
    openPool,
    wrapPool: reachedPool,
    retryOnConflict: withRetries,
  } = await import('../postgres-pool.ts');
  const pool = openPool(databaseUrl, { max: CONNECTIONS_MAX, statementMs: STATEMENT_MS, flushes: false });
  const db = new Kysely<CrawlTables>({ dialect: new PostgresDialect({ pool: reachedPool(pool) }) });
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => MIGRATIONS },
    migrationTableName: 'crawl_migration',
    migrationLockTableName: 'crawl_migration_lock',
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) {
    await db.destroy();
    throw error;
  }
  return {
    db,
    transaction: (work) => withRetries(() => db.transaction().execute(work)),
    close: () => db.destroy(),
  };
}

/**
 * The tables of distributed crawls, all of which belong to `crawl`. Instants are milliseconds since the epoch, by the database's clock.
 * Only the holder of a host's lease writes the outcomes of its addresses.
 */
type CrawlTables = {
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
