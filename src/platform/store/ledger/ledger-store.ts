import type { Kysely } from 'kysely';
import type { LedgerTables } from './ledger-tables.ts';
import type { Dialect, Procedure } from './procedure.ts';

/** Keys, credits and payments: read through Kysely, written by procedures only. */
export type LedgerStore = {
  dialect: Dialect;
  /** Reads what is committed. Never write through it: SQLite refuses, PostgreSQL would not. */
  db: Kysely<LedgerTables>;
  /**
   * Runs a procedure as one transaction; resolves once it is as durable as the procedure asks for. A rejection means that
   * nothing was written, unless the connection was lost meanwhile: then the outcome is unknown.
   */
  run<Args, Result>(procedure: Procedure<Args, Result>, args: Args): Promise<Result>;
  /** Runs reads that all see the same state. */
  snapshot<Result>(read: (db: Kysely<LedgerTables>) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
};
