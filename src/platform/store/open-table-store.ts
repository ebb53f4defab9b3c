import { join } from 'node:path';
import { Kysely, type Migration, Migrator, PostgresDialect } from 'kysely';
import { createNodeSqliteDialect } from './node-sqlite-dialect.ts';
import { openSqlite } from './open-sqlite.ts';
import { openDataFolder } from './open-store.ts';

/** Tables in a file of SQLite for one machine, or in PostgreSQL for any number of processes. */
export type TableStore<Tables> = {
  dialect: 'sqlite' | 'postgres';
  db: Kysely<Tables>;
  /** Runs work as one transaction and retries it after a conflict; the work must await only its queries. */
  transaction<Result>(work: (tx: Kysely<Tables>) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
};

/** Where the tables are: PostgreSQL if there is a URL, else a file in `dataDir` (created if absent). */
export type StorePlace = { dataDir: string; databaseUrl: string | null };

type TableGroup = {
  /** Name of the SQLite file in the data folder. */
  file: string;
  /** Prefix of the tables in which migrations are recorded. */
  name: string;
  /** Migrations in order of application; a released migration is never changed. */
  migrations(dialect: TableStore<unknown>['dialect']): Record<string, Migration>;
  connectionsMax: number;
};

const STATEMENT_MS = 10_000;

/** Opens a group of tables and migrates them under a lock. */
export async function openTableStore<Tables>(
  { dataDir, databaseUrl }: StorePlace,
  group: TableGroup,
): Promise<TableStore<Tables>> {
  return databaseUrl === null ? openFile(dataDir, group) : openDatabase(databaseUrl, group);
}

async function openFile<Tables>(dataDir: string, group: TableGroup): Promise<TableStore<Tables>> {
  openDataFolder(dataDir);
  const database = openSqlite(join(dataDir, group.file), { leavesNoTraces: true });
  const db = new Kysely<Tables>({ dialect: createNodeSqliteDialect(database) });
  await migrate(db, group, 'sqlite');
  return {
    dialect: 'sqlite',
    db,
    transaction: (work) => db.transaction().execute(work),
    close: () => db.destroy(),
  };
}

async function openDatabase<Tables>(url: string, group: TableGroup): Promise<TableStore<Tables>> {
  // Imported on demand: its driver takes memory that SQLite does not need.
  const { openPool, wrapPool, retryOnConflict } = await import('./postgres-pool.ts');
  const pool = openPool(url, { max: group.connectionsMax, statementMs: STATEMENT_MS, flushes: false });
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: wrapPool(pool) }) });
  await migrate(db, group, 'postgres');
  return {
    dialect: 'postgres',
    db,
    transaction: (work) => retryOnConflict(() => db.transaction().execute(work)),
    close: () => db.destroy(),
  };
}

async function migrate<Tables>(
  db: Kysely<Tables>,
  { name, migrations }: TableGroup,
  dialect: TableStore<unknown>['dialect'],
): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations(dialect) },
    migrationTableName: `${name}_migration`,
    migrationLockTableName: `${name}_migration_lock`,
  });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  await db.destroy();
  throw error;
}
