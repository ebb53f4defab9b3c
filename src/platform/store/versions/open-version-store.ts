import type { Generated, Kysely, Migration } from 'kysely';
import { openTableStore, type StorePlace, type TableStore } from '../open-table-store.ts';

/** The store of earlier versions of pages. */
export type VersionStore = TableStore<VersionTables>;
export type VersionQueries = VersionStore['db'];

/** The tables of the version store, all of which belong to `versions`. Instants are milliseconds since the epoch. */
type VersionTables = {
  page_version: PageVersionTable;
  page_mark: PageMarkTable;
  research_record: ResearchRecordTable;
};

export type PageVersionTable = {
  id: Generated<number>;
  /** Names the page: spellings of one address have the same key. */
  page_key: string;
  /** The tenant who alone may see it; empty for public pages. */
  owner: string;
  /** 1, 2, 3 ... for each page and owner. */
  number: number;
  /** The address that was asked for, the one that the page was read at, and the one that it declares. */
  url: string;
  read_from: string;
  declared: string;
  title: string;
  /** `gone`: the address answered that there is no page. */
  status: 'present' | 'gone';
  /** When the version was first and last seen, and at how many visits. */
  first_seen_at: number;
  last_seen_at: number;
  visits: number;
  /** Hash of the text. */
  hash: string;
  /** Length of the text in characters, and of what is stored of it in bytes. */
  chars: number;
  bytes: number;
  /** 1: a record of research needs it, with which it leaves; 0: it leaves first. */
  cited: number;
  /** The version against whose text this one's is compressed; null: it is compressed alone. */
  base_id: number | null;
  body: Uint8Array;
};

/** The version that somebody saw last, from which their next changes are told. */
type PageMarkTable = {
  page_key: string;
  owner: string;
  /** A name by which one owner tells several histories of a page apart. */
  tag: string;
  version_id: number;
  /** Hash of that version's text, which outlives it. */
  hash: string;
  seen_at: number;
};

/** Research that its owner keeps. The texts of its pages are versions that belong to the record. */
type ResearchRecordTable = {
  /** Owners may hold copies of one record. */
  owner: string;
  id: string;
  /** The last part of the route's path, such as `search`. */
  operation: string;
  made_at: number;
  /** What was asked, in one line. */
  title: string;
  /** How many pages it read, and how many pages that it read or named were forgotten since. */
  pages: number;
  forgotten: number;
  bytes: number;
  /** Request, answer and pages as JSON, compressed. */
  body: Uint8Array;
};

/** Name of the SQLite file in the data folder. */
export const VERSIONS_FILE = 'versions.db';

export function openVersionStore(place: StorePlace): Promise<VersionStore> {
  return openTableStore(place, {
    file: VERSIONS_FILE,
    name: 'version',
    migrations: listMigrations,
    connectionsMax: 3,
  });
}

function listMigrations(dialect: VersionStore['dialect']): Record<string, Migration> {
  return {
    '0001-versions': { up: (db) => createVersionTables(db, dialect) },
    '0002-records': { up: (db) => createRecordTable(db, dialect) },
  };
}

const TEXTS = ['url', 'read_from', 'declared', 'title', 'status', 'hash'];
const NUMBERS = ['first_seen_at', 'last_seen_at', 'visits', 'chars', 'bytes', 'cited'];

async function createVersionTables(db: Kysely<unknown>, dialect: VersionStore['dialect']): Promise<void> {
  const isPostgres = dialect === 'postgres';
  const named = db.schema
    .createTable('page_version')
    .addColumn('id', isPostgres ? 'bigserial' : 'integer', (column) =>
      isPostgres ? column.primaryKey() : column.primaryKey().autoIncrement(),
    )
    .addColumn('page_key', 'text', (column) => column.notNull())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('number', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('page_version_once', ['page_key', 'owner', 'number']);
  const described = TEXTS.reduce(
    (table, name) => table.addColumn(name, 'text', (column) => column.notNull()),
    named,
  );
  const counted = NUMBERS.reduce(
    (table, name) => table.addColumn(name, 'bigint', (column) => column.notNull()),
    described,
  );
  await counted
    .addColumn('base_id', 'bigint')
    // Last, so that a query of the other columns need not read past it.
    .addColumn('body', isPostgres ? 'bytea' : 'blob', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('page_version_base').on('page_version').column('base_id').execute();
  // Has all that eviction and the sum of bytes read.
  await db.schema
    .createIndex('page_version_eviction')
    .on('page_version')
    .columns(['cited', 'last_seen_at', 'bytes'])
    .execute();
  await db.schema
    .createTable('page_mark')
    .addColumn('page_key', 'text', (column) => column.notNull())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('tag', 'text', (column) => column.notNull())
    .addColumn('version_id', 'bigint', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('page_mark_once', ['page_key', 'owner', 'tag'])
    .execute();
  await db.schema.createIndex('page_mark_version').on('page_mark').column('version_id').execute();
}

async function createRecordTable(db: Kysely<unknown>, dialect: VersionStore['dialect']): Promise<void> {
  await db.schema
    .createTable('research_record')
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('operation', 'text', (column) => column.notNull())
    .addColumn('made_at', 'bigint', (column) => column.notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('pages', 'bigint', (column) => column.notNull())
    .addColumn('forgotten', 'bigint', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addColumn('body', dialect === 'postgres' ? 'bytea' : 'blob', (column) => column.notNull())
    .addPrimaryKeyConstraint('research_record_once', ['owner', 'id'])
    .execute();
  await db.schema
    .createIndex('research_record_age')
    .on('research_record')
    .columns(['made_at', 'bytes'])
    .execute();
}
