import type { Kysely } from 'kysely';
import type { LedgerTables } from './ledger-tables.ts';
import type { Dialect, Procedure } from './procedure.ts';

/** Keys, credits and payments: read through Kysely, written only by procedures. */
export type LedgerStore = {
  dialect: Dialect;
  /** Reads what is committed. Never write through it: SQLite would refuse, but PostgreSQL would not. */
  db: Kysely<LedgerTables>;
  /**
   * Runs a procedure as one transaction; resolves once it is as durable as the procedure requires. A rejection means that
   * nothing was written, unless the connection was lost: then the outcome is unknown.
   */
  run<Args, Result>(procedure: Procedure<Args, Result>, args: Args): Promise<Result>;
  /** Runs reads that all see the same state. */
  snapshot<Result>(read: (db: Kysely<LedgerTables>) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
};
