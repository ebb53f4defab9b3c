/**
 * The store: one SQLite database in the data folder for the page cache, frontiers, runs and imports. Losing it costs work, not money; keys
 * and credits are in the ledger store. Each table belongs to one folder of the code (tables.ts).
 */

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely, type LogEvent, type Migration, Migrator, sql } from 'kysely';
import { createNodeSqliteDialect } from './node-sqlite-dialect.ts';
import { openSqlite } from './open-sqlite.ts';
import { makePrivateFolder } from './private-files.ts';
import type { Tables } from './tables.ts';

/** Prefixes of folders in the data folder during a restore: with verified files, and with files that are being moved into place. */
export const RESTORE_READY = 'restore.ready-';
export const RESTORE_MOVING = 'restore.moving-';

export type Store = Kysely<Tables>;

/** Migrations in order of application; a released migration is never changed. */
const MIGRATIONS: Record<string, Migration> = {
  '0001-page-cache': { up: createPageCache },
  '0002-frontier': { up: addFrontier },
  '0003-console': { up: addConsole },
  '0004-import': { up: addImports },
  '0005-crawl-hosts': { up: dropSeedingTime },
  '0006-run-holder': { up: addRunHolder },
  '0007-crawl-hosts': { up: addCrawlHosts },
  '0008-libraries': { up: addLibraries },
  '0009-model-days': { up: addModelDays },
  '0010-library-readers': { up: addLibraryReaders },
};

/** Opens the store in `dataDir` (created if absent) and migrates its tables. `log` is called for each statement. */
export async function openStore(dataDir: string, log?: (event: LogEvent) => void): Promise<Store> {
  openDataFolder(dataDir);
  const database = openSqlite(join(dataDir, 'store.db'), { leavesNoTraces: true });
  const store = new Kysely<Tables>({ dialect: createNodeSqliteDialect(database), ...(log && { log }) });
  const migrator = new Migrator({ db: store, provider: { getMigrations: async () => MIGRATIONS } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) {
    await store.destroy();
    throw error;
  }
  return store;
}

/** Creates the data folder if absent. Throws if a restore into it was interrupted, because its files may be of two different states. */
export function openDataFolder(path: string): void {
  makePrivateFolder(path);
  if (findInterruptedRestore(path) === null) return;
  throw new Error(
    'a restore into its folder was interrupted; to finish it, run the same sanderling restore command again',
  );
}

/** Finds the folder of an interrupted restore that had begun to replace files; null if there is none. */
export function findInterruptedRestore(dataDir: string): string | null {
  if (!existsSync(dataDir)) return null;
  const isLeft = (name: string): boolean => name.startsWith(RESTORE_READY) || name.startsWith(RESTORE_MOVING);
  return readdirSync(dataDir).find(isLeft) ?? null;
}

async function createPageCache(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('page_cache')
    .addColumn('url', 'text', (column) => column.primaryKey())
    .addColumn('article', 'text', (column) => column.notNull())
    .addColumn('etag', 'text')
    .addColumn('last_modified', 'text')
    .addColumn('fetched_at', 'bigint', (column) => column.notNull())
    .addColumn('used_at', 'bigint', (column) => column.notNull())
    .addColumn('bytes', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.createIndex('page_cache_used_at').on('page_cache').column('used_at').execute();
}

async function addFrontier(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('crawl')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('starts', 'text', (column) => column.notNull())
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('seeded_at', 'bigint')
    .execute();
  await db.schema
    .createTable('crawl_url')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('crawl_id', 'text', (column) => column.notNull().references('crawl.id').onDelete('cascade'))
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('depth', 'integer', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('not_before', 'bigint', (column) => column.notNull())
    .addColumn('reason', 'text')
    .addColumn('page_url', 'text')
    .addColumn('title', 'text')
    .addUniqueConstraint('crawl_url_once', ['crawl_id', 'url'])
    .execute();
  await db.schema
    .createIndex('crawl_url_next')
    .on('crawl_url')
    .columns(['crawl_id', 'state', 'host', 'attempts', 'depth', 'id'])
    .execute();
}

/** Adds the tables of the console: runs of the server, sources that are switched off, and the operator's actions. */
async function addConsole(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('crawl_run')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('run_order', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('counts', 'text', (column) => column.notNull())
    .addColumn('note', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('ended_at', 'bigint')
    .addColumn('touched_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('source_switch')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('off_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('operator_action')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('subject', 'text')
    .addColumn('outcome', 'text', (column) => column.notNull())
    .execute();
}

/** Adds the progress of imports, so that they resume. */
async function addImports(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('import_state')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute();
}

/** Drops `seeded_at`: sitemaps are read per host, before its first page, so there is no single time for a whole crawl. */
async function dropSeedingTime(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('crawl').dropColumn('seeded_at').execute();
}

/** Adds the process that holds a run, so that any process may pause or stop it and the holder then releases it. */
async function addRunHolder(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('crawl_run').addColumn('holder', 'text').execute();
}

/** Adds the hosts of crawls with their leases, the processes that hold them, and the counts, as PostgreSQL has them. */
async function addCrawlHosts(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('crawl').dropColumn('starts').execute();
  for (const name of ['place', 'request'])
    await db.schema
      .alterTable('crawl')
      .addColumn(name, 'text', (column) => column.notNull().defaultTo(''))
      .execute();
  for (const name of ['wanted_until', ...ENDINGS])
    await db.schema
      .alterTable('crawl')
      .addColumn(name, 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
  for (const state of ENDINGS)
    await sql`update crawl set ${sql.ref(state)} =
      (select count(*) from crawl_url where crawl_id = crawl.id and state = ${sql.lit(state)})`.execute(db);
  const host = db.schema
    .createTable('crawl_host')
    .addColumn('crawl_id', 'text', (column) => column.notNull().references('crawl.id').onDelete('cascade'))
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('holder', 'text');
  await HOST_NUMBERS.reduce(
    (table, name) => table.addColumn(name, 'bigint', (column) => column.notNull().defaultTo(0)),
    host.addPrimaryKeyConstraint('crawl_host_of_crawl', ['crawl_id', 'host']),
  ).execute();
  await sql`insert into crawl_host (crawl_id, host, urls, pending, visited) select crawl_id, host, count(*),
    count(*) filter (where state = 'pending'), max(state <> 'pending') from crawl_url group by crawl_id, host`.execute(
    db,
  );
  await sql`create index crawl_host_next on crawl_host (crawl_id, lease_until) where pending > 0`.execute(db);
  // By host first: whoever claims a host reads all its addresses.
  await db.schema.dropIndex('crawl_url_next').execute();
  await db.schema
    .createIndex('crawl_url_next')
    .on('crawl_url')
    .columns(['crawl_id', 'host', 'state', 'attempts', 'depth', 'id'])
    .execute();
  await sql`create index crawl_url_page on crawl_url (crawl_id, page_url) where page_url is not null`.execute(
    db,
  );
  await db.schema
    .createTable('crawl_worker')
    .addColumn('crawl_id', 'text', (column) => column.notNull().references('crawl.id').onDelete('cascade'))
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('seen_until', 'bigint', (column) => column.notNull())
    .addColumn('reserved', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('crawl_worker_of_crawl', ['crawl_id', 'id'])
    .execute();
}

async function addModelDays(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('model_day')
    .addColumn('day', 'text', (column) => column.primaryKey())
    .addColumn('calls', 'bigint', (column) => column.notNull())
    .addColumn('tokens', 'bigint', (column) => column.notNull())
    .execute();
}

const ENDINGS = ['done', 'duplicate', 'skipped', 'failed'];
const HOST_NUMBERS = [
  'urls',
  'pending',
  'visited',
  'lease_token',
  'lease_until',
  'ready_at',
  'pace_ms',
  'given_up',
];

/** Adds the libraries whose documentation is held, their pages, and the projects that use them. */
async function addLibraries(db: Kysely<unknown>): Promise<void> {
  const library = db.schema
    .createTable('library')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('ecosystem', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('version', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('notes', 'text', (column) => column.notNull().defaultTo('[]'))
    .addColumn('fetched_at', 'bigint')
    .addUniqueConstraint('library_once', ['ecosystem', 'name', 'version']);
  const stated = LIBRARY_TEXTS.reduce((table, name) => table.addColumn(name, 'text'), library);
  await LIBRARY_NUMBERS.reduce(
    (table, name) => table.addColumn(name, 'bigint', (column) => column.notNull().defaultTo(0)),
    stated,
  ).execute();
  const page = db.schema
    .createTable('library_page')
    .addColumn('library_id', 'integer', (column) =>
      column.notNull().references('library.id').onDelete('cascade'),
    )
    .addColumn('url', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('library_page_once', ['library_id', 'url']);
  await ['page_url', 'kind', 'source', 'title', 'digest']
    .reduce((table, name) => table.addColumn(name, 'text', (column) => column.notNull()), page)
    .execute();
  await db.schema.createIndex('library_page_address').on('library_page').column('page_url').execute();
  await db.schema.createIndex('library_page_digest').on('library_page').column('digest').execute();
  const project = db.schema
    .createTable('library_project')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('path', 'text', (column) => column.notNull().unique())
    .addColumn('choice', 'text', (column) => column.notNull())
    .addColumn('stamp', 'text', (column) => column.notNull())
    .addColumn('synced_at', 'bigint', (column) => column.notNull());
  await project.execute();
  await db.schema
    .createTable('library_use')
    .addColumn('project_id', 'integer', (column) =>
      column.notNull().references('library_project.id').onDelete('cascade'),
    )
    .addColumn('library_id', 'integer', (column) =>
      column.notNull().references('library.id').onDelete('cascade'),
    )
    .addColumn('is_direct', 'integer', (column) => column.notNull())
    .addColumn('is_dev', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('library_use_once', ['project_id', 'library_id'])
    .execute();
}

/** Adds the keys that may see private libraries and projects. */
async function addLibraryReaders(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('library_reader')
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('library_id', 'integer', (column) => column.references('library.id').onDelete('cascade'))
    .addColumn('project_id', 'integer', (column) =>
      column.references('library_project.id').onDelete('cascade'),
    )
    .execute();
}
const LIBRARY_TEXTS = ['spec', 'licence', 'homepage', 'repository', 'problem'];
const LIBRARY_NUMBERS = ['is_private', 'pages', 'chars', 'bytes', 'added_at', 'took_ms'];
