import type { Compilable, Kysely } from 'kysely';
import type { LedgerTables } from './ledger-tables.ts';

/**
 * A write to the ledger store: a generator of queries that runs as one transaction. It can wait only for its queries, so that the network
 * never holds a transaction open and SQLite's thread runs it without a pause.
 */
export type Procedure<Args, Result> = {
  /** The module, and the export in it, by which the thread loads the procedure. */
  module: string;
  name: string;
  /** `flushed`: on disk when the promise resolves; `kept`: survives the end of the process, but not a power cut. */
  durability: Durability;
  /** True if the procedure is a single query on PostgreSQL, which needs no transaction. */
  oneStatement: boolean;
  steps(ledgerStore: LedgerQueries, args: Args): Steps<Result>;
};

export type Durability = 'flushed' | 'kept';

/** Builds queries without running them. */
export type LedgerQueries = { db: Kysely<LedgerTables>; dialect: Dialect };
export type Dialect = 'sqlite' | 'postgres';

/** Yields queries and receives the rows of each. */
export type Steps<Result> = Generator<Compilable, Result, unknown[]>;

/** A call of a procedure in SQLite's thread, and the thread's reply. */
export type ProcedureCall = { module: string; name: string; args: unknown };
export type ProcedureReply =
  | { value: unknown }
  | { problem: unknown }
  /** The message of a StoreUnavailable, which loses its class between threads. */
  | { unavailable: string; cause: unknown };

export function defineProcedure<Args, Result>(
  module: string,
  name: string,
  how: { durability: Durability; oneStatement?: boolean },
  steps: (ledgerStore: LedgerQueries, args: Args) => Steps<Result>,
): Procedure<Args, Result> {
  return { module, name, durability: how.durability, oneStatement: how.oneStatement ?? false, steps };
}

/** Runs a query within a procedure and returns its rows. */
export function* readRows<Row>(query: Compilable<Row>): Steps<Row[]> {
  // The runner replies with the rows of the query that was yielded.
  return (yield query) as Row[];
}

/** Runs a query within a procedure and returns its first row, or null. */
export function* readFirst<Row>(query: Compilable<Row>): Steps<Row | null> {
  return (yield* readRows(query))[0] ?? null;
}
