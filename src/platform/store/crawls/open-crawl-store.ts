/**
 * The store of crawls: SQLite in the data folder, or PostgreSQL, where processes on several machines share a crawl. Both have the same
 * tables; what differs between them in a statement is said here.
 */
import {
  type Generated,
  Kysely,
  type Migration,
  Migrator,
  PostgresDialect,
  type RawBuilder,
  sql,
} from 'kysely';
import type { Clock } from '../../clock.ts';
import type { Store } from '../open-store.ts';
import * as distributedCrawls from './migrations/0001-spread-crawls.ts';

export type CrawlStore = {
  dialect: 'sqlite' | 'postgres';
  db: CrawlQueries;
  /** The time by the clock that all processes of the store share, in milliseconds since the epoch. */
  now(): RawBuilder<number>;
  /** Runs work as one transaction and retries it after a conflict; the work must await only its queries. */
  transaction<Result>(work: (tx: CrawlQueries) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
};

export type CrawlQueries = Kysely<CrawlTables>;

/** Keeps crawls in the file store, by this machine's clock. Closing it does not close the file. */
export function useFileForCrawls(store: Store, clock: Clock): CrawlStore {
  // The file store has these tables beside its own; Kysely cannot narrow its type.
  const db = store as unknown as CrawlQueries;
  return {
    dialect: 'sqlite',
    db,
    now: () => sql<number>`cast(${clock.now()} as bigint)`,
    transaction: (work) => db.transaction().execute(work),
    close: async () => {},
  };
}

/** Migrations in order of application; a released migration is never changed. */
const MIGRATIONS: Record<string, Migration> = {
  '0001-spread-crawls': distributedCrawls,
  '0002-crawl-names': { up: renameTables },
};
const CONNECTIONS_MAX = 3;
const STATEMENT_MS = 10_000;

/** Opens the database and migrates the tables under a lock. */
export async function openCrawlStore(databaseUrl: string): Promise<CrawlStore> {
  // Imported on demand: its driver takes memory that SQLite does not need.
  const { openPool, wrapPool, retryOnConflict } = await import('../postgres-pool.ts');
  const pool = openPool(databaseUrl, { max: CONNECTIONS_MAX, statementMs: STATEMENT_MS, flushes: false });
  const db = new Kysely<CrawlTables>({ dialect: new PostgresDialect({ pool: wrapPool(pool) }) });
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
    dialect: 'postgres',
    db,
    now: () => sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
    transaction: (work) => retryOnConflict(() => db.transaction().execute(work)),
    close: () => db.destroy(),
  };
}

/** Names the tables as SQLite does, and stores what is true or false as 1 or 0, which both databases have. */
async function renameTables(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('spread_crawl').renameTo('crawl').execute();
  for (const part of ['host', 'url', 'worker'])
    await db.schema.alterTable(`spread_${part}`).renameTo(`crawl_${part}`).execute();
  for (const name of ['visited', 'given_up'])
    await sql`alter table crawl_host alter column ${sql.ref(name)} drop default,
      alter column ${sql.ref(name)} type bigint using ${sql.ref(name)}::int, alter column ${sql.ref(name)} set default 0`.execute(
      db,
    );
  await sql`drop sequence spread_token`.execute(db);
}

/**
 * A table expression named `o` with these rows; one parameter, however many they are. The columns are those of `types`.
 */
export function toRowSet(
  dialect: CrawlStore['dialect'],
  rows: readonly Record<string, string | number | null>[],
  types: Record<string, 'text' | 'bigint'>,
): RawBuilder<unknown> {
  const json = JSON.stringify(rows);
  const columns = Object.entries(types);
  if (dialect === 'postgres') {
    const typed = columns.map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`);
    return sql`jsonb_to_recordset(${json}::jsonb) as o(${sql.join(typed)})`;
  }
  const read = columns.map(([name]) => sql`value ->> ${sql.lit(name)} as ${sql.ref(name)}`);
  return sql`(select ${sql.join(read)} from json_each(${json})) as o`;
}

/**
 * The tables of crawls, all of which belong to `crawl`. Instants are milliseconds since the epoch, by the clock of the store. Only the
 * holder of a host's lease writes the outcomes of its addresses.
 */
type CrawlTables = {
  crawl: CrawlTable;
  crawl_host: CrawlHostTable;
  crawl_url: CrawlUrlTable;
  crawl_worker: CrawlWorkerTable;
};

type CrawlTable = {
  /** A digest of the start addresses, the scope and the index, so that repeating an order resumes its crawl. */
  id: string;
  /** Identifies the index that receives the pages; processes with another index cannot help. Empty in the file store. */
  place: string;
  /** The order of the crawl as JSON. */
  request: string;
  started_at: number;
  /** Time until which other processes help with the crawl. */
  wanted_until: number;
  /** Number of addresses by outcome. */
  done: number;
  duplicate: number;
  skipped: number;
  failed: number;
};

/** The hosts of a crawl: each is read by one process at a time. */
type CrawlHostTable = {
  crawl_id: string;
  host: string;
  /** Number of known addresses, and of waiting ones. */
  urls: number;
  pending: number;
  /** 1 if an address of the host has been settled. */
  visited: number;
  /** The process that reads the host; null: none. */
  holder: string | null;
  /** Changes whenever the lease changes hands; never reused. */
  lease_token: number;
  lease_until: number;
  /** Earliest start of the next request, and milliseconds between two requests. */
  ready_at: number;
  pace_ms: number;
  /** 1 if the host pushed back too often. */
  given_up: number;
};

/** Every address that a crawl knows, and its outcome. */
export type CrawlUrlTable = {
  id: Generated<number>;
  crawl_id: string;
  url: string;
  host: string;
  depth: number;
  state: 'pending' | 'done' | 'duplicate' | 'skipped' | 'failed';
  attempts: number;
  /** A retry waits until then. */
  not_before: number;
  /** Why it was skipped, failed, or will be retried. */
  reason: string | null;
  /** The page's address in the index, and its title; no title: the address that the page declares as its canonical one. */
  page_url: string | null;
  title: string | null;
};

/** A process that reads pages of a crawl, with the number of pages it has reserved. */
type CrawlWorkerTable = { crawl_id: string; id: string; seen_until: number; reserved: number };
