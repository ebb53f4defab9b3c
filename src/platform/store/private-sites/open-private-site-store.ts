import type { Kysely, Migration } from 'kysely';
import { openTableStore, type StorePlace, type TableStore } from '../open-table-store.ts';

/** The store of sign-in profiles and collections. */
export type PrivateSiteStore = TableStore<PrivateSiteTables>;

/** The tables of private sites, all of which belong to `private-sites`. Instants are milliseconds since the epoch. */
type PrivateSiteTables = {
  sign_in: SignInTable;
  collection: CollectionTable;
  collection_reader: CollectionReaderTable;
  collection_page: CollectionPageTable;
};

/** How the pages of some origins are read for one owner. */
export type SignInTable = {
  id: string;
  /** `operator`, or the tenant of a key. */
  owner: string;
  name: string;
  /** The origins that get the credentials, as a JSON list. */
  origins: string;
  method: string;
  /** The credentials, sealed. */
  sealed: string;
  /** Where pages that were read are filed. */
  collection_id: string;
  created_at: number;
};

export type CollectionTable = { id: string; owner: string; name: string; created_at: number };

/** The keys that may search a collection besides its owner. */
type CollectionReaderTable = { collection_id: string; key_id: string };

/** What a collection has in the index. `bytes` is the length of the text. */
type CollectionPageTable = { collection_id: string; url: string; bytes: number; fetched_at: number };

const MIGRATIONS: Record<string, Migration> = { '0001-private-sites': { up: createTables } };

/** Name of the SQLite file in the data folder. */
export const PRIVATE_SITES_FILE = 'private-sites.db';

export function openPrivateSiteStore(place: StorePlace): Promise<PrivateSiteStore> {
  return openTableStore(place, {
    file: PRIVATE_SITES_FILE,
    name: 'private_site',
    migrations: () => MIGRATIONS,
    connectionsMax: 4,
  });
}

async function createTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('collection')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('collection_name', ['owner', 'name'])
    .execute();
  await db.schema
    .createTable('sign_in')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('origins', 'text', (column) => column.notNull())
    .addColumn('method', 'text', (column) => column.notNull())
    .addColumn('sealed', 'text', (column) => column.notNull())
    .addColumn('collection_id', 'text', (column) => column.notNull().references('collection.id'))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('sign_in_name', ['owner', 'name'])
    .execute();
  await db.schema
    .createTable('collection_reader')
    .addColumn('collection_id', 'text', (column) =>
      column.notNull().references('collection.id').onDelete('cascade'),
    )
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('collection_reader_once', ['collection_id', 'key_id'])
    .execute();
  await db.schema
    .createTable('collection_page')
    .addColumn('collection_id', 'text', (column) =>
      column.notNull().references('collection.id').onDelete('cascade'),
    )
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addColumn('fetched_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('collection_page_once', ['collection_id', 'url'])
    .execute();
}
