import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { makePrivateFolder } from '../private-files.ts';
import type { BooksTables } from './books-tables.ts';
import { openPostgresBooks } from './postgres-books.ts';
import type { Dialect, Procedure } from './procedure.ts';
import { openSqliteBooks } from './sqlite-books.ts';

/** The store of money: read by Kysely, written by procedures only. */
export type Books = {
  dialect: Dialect;
  /** For reading what is committed. Writing through it fails on SQLite and must not be done on PostgreSQL. */
  db: Kysely<BooksTables>;
  /**
   * Runs a procedure as one transaction; resolves when it is as durable as it asks for. When it rejects, the procedure has
   * left nothing, unless the connection was lost on the way: then its outcome is unknown.
   */
  run<Args, Result>(procedure: Procedure<Args, Result>, args: Args): Promise<Result>;
  /** Reads that see one and the same state. */
  snapshot<Result>(read: (db: Kysely<BooksTables>) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
};

/**
 * SQLite in `dataDir` (made when absent), or PostgreSQL when there is an address; the tables are brought up to date under a
 * lock. `statementMs` is for those who read much at once: PostgreSQL ends a statement that takes longer.
 */
export async function openBooks(
  place: { dataDir: string; databaseUrl: string | null },
  how: { statementMs?: number } = {},
): Promise<Books> {
  if (place.databaseUrl !== null) return openPostgresBooks(place.databaseUrl, how);
  makePrivateFolder(place.dataDir);
  return openSqliteBooks(join(place.dataDir, 'books.db'));
}
