import { join } from 'node:path';
import { Kysely, type Migration, Migrator, PostgresDialect } from 'kysely';
import { createNodeSqliteDialect } from '../node-sqlite-dialect.ts';
import { openSqlite } from '../open-sqlite.ts';
import { openDataFolder } from '../open-store.ts';
import type { JobTables } from './job-tables.ts';
import * as jobs from './migrations/0001-jobs.ts';
import * as reads from './migrations/0002-reads.ts';

/** The store of asynchronous jobs and their results: SQLite for one machine, PostgreSQL for any number of processes. */
export type JobStore = {
  dialect: 'sqlite' | 'postgres';
  db: JobQueries;
  /** Runs work as one transaction and retries it after a conflict; the work must await only its queries. */
  transaction<Result>(work: (tx: JobQueries) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
};

export type JobQueries = Kysely<JobTables>;

/** Migrations in order of application; a released migration is never changed. */
const MIGRATIONS: Record<string, Migration> = { '0001-jobs': jobs, '0002-reads': reads };
const CONNECTIONS_MAX = 4;
const STATEMENT_MS = 10_000;

/** Name of the SQLite file in the data folder. */
export const JOBS_FILE = 'jobs.db';

/** Opens PostgreSQL if there is a URL, else SQLite in `dataDir` (created if absent), and migrates the tables under a lock. */
export async function openJobStore(place: {
  dataDir: string;
  databaseUrl: string | null;
}): Promise<JobStore> {
  return place.databaseUrl === null ? openFile(place.dataDir) : openDatabase(place.databaseUrl);
}

async function openFile(dataDir: string): Promise<JobStore> {
  openDataFolder(dataDir);
  const database = openSqlite(join(dataDir, JOBS_FILE), { leavesNoTraces: true });
  const db = new Kysely<JobTables>({ dialect: createNodeSqliteDialect(database) });
  await migrate(db);
  return {
    dialect: 'sqlite',
    db,
    transaction: (work) => db.transaction().execute(work),
    close: () => db.destroy(),
  };
}

async function openDatabase(url: string): Promise<JobStore> {
  // Imported on demand: its driver takes memory that SQLite does not need.
  const {
    openPool,
    wrapPool: reachedPool,
    retryOnConflict: withRetries,
  } = await import('../postgres-pool.ts');
  const pool = openPool(url, { max: CONNECTIONS_MAX, statementMs: STATEMENT_MS, flushes: false });
  const db = new Kysely<JobTables>({ dialect: new PostgresDialect({ pool: reachedPool(pool) }) });
  await migrate(db);
  return {
    dialect: 'postgres',
    db,
    transaction: (work) => withRetries(() => db.transaction().execute(work)),
    close: () => db.destroy(),
  };
}

async function migrate(db: JobQueries): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => MIGRATIONS },
    migrationTableName: 'job_migration',
    migrationLockTableName: 'job_migration_lock',
  });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  await db.destroy();
  throw error;
}
