import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { makePrivateFolder } from '../private-files.ts';
import type { LedgerTables } from './ledger-tables.ts';
import { openPostgresLedgerStore } from './postgres-ledger-store.ts';
import type { Dialect, Procedure } from './procedure.ts';
import { openSqliteLedgerStore } from './sqlite-ledger-store.ts';

/** The store of money: read by Kysely, written by procedures only. */
export type LedgerStore = {
  dialect: Dialect;
  /** For reading what is committed. Writing through it fails on SQLite and must not be done on PostgreSQL. */
  db: Kysely<LedgerTables>;
  /**
   * Runs a procedure as one transaction; resolves when it is as durable as it asks for. When it rejects, the procedure has
   * left nothing, unless the connection was lost on the way: then its outcome is unknown.
   */
  run<Args, Result>(procedure: Procedure<Args, Result>, args: Args): Promise<Result>;
  /** Reads that see one and the same state. */
  snapshot<Result>(read: (db: Kysely<LedgerTables>) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
};

/**
 * SQLite in `dataDir` (made when absent), or PostgreSQL when there is an address; the tables are brought up to date under a
 * lock. `statementMs` is for those who read much at once: PostgreSQL ends a statement that takes longer.
 */
export async function openLedgerStore(
  place: { dataDir: string; databaseUrl: string | null },
  how: { statementMs?: number } = {},
): Promise<LedgerStore> {
  if (place.databaseUrl !== null) return openPostgresLedgerStore(place.databaseUrl, how);
  makePrivateFolder(place.dataDir);
  return openSqliteLedgerStore(join(place.dataDir, 'books.db'));
}
