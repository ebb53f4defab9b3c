import { Kysely, type Migration, Migrator, PostgresDialect } from 'kysely';
import type { CrawlTables } from './crawl-tables.ts';
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
