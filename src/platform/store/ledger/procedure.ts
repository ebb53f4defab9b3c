import type { Compilable, Kysely } from 'kysely';
import type { LedgerTables } from './ledger-tables.ts';

/**
 * A write to the books: a generator of queries that each runner carries out as one transaction. It cannot wait for anything
 * but its queries, so a transaction is never held open by the network, and SQLite's thread runs it without a pause.
 */
export type Procedure<Args, Result> = {
  /** Where the thread finds it: the module's address and its export there. */
  module: string;
  name: string;
  /** `flushed` stands on the disk when the promise resolves; `kept` survives the end of the process, not a power cut. */
  durability: Durability;
  /** On PostgreSQL it is a single query, which needs no transaction around it. */
  oneStatement: boolean;
  steps(ledgerStore: LedgerQueries, args: Args): Steps<Result>;
};

export type Durability = 'flushed' | 'kept';

/** Makes queries; does not run them. */
export type LedgerQueries = { db: Kysely<LedgerTables>; dialect: Dialect };
export type Dialect = 'sqlite' | 'postgres';

/** Yields queries and is handed the rows of each. */
export type Steps<Result> = Generator<Compilable, Result, unknown[]>;

/** A call of a procedure in SQLite's thread, and the thread's reply. */
export type ProcedureCall = { module: string; name: string; args: unknown };
export type ProcedureReply =
  | { value: unknown }
  | { problem: unknown }
  /** The message of a StoreUnavailable, whose class is lost between threads. */
  | { unavailable: string; cause: unknown };

export function procedure<Args, Result>(
  module: string,
  name: string,
  how: { durability: Durability; oneStatement?: boolean },
  steps: (ledgerStore: LedgerQueries, args: Args) => Steps<Result>,
): Procedure<Args, Result> {
  return { module, name, durability: how.durability, oneStatement: how.oneStatement ?? false, steps };
}

/** Runs a query within a procedure and gives its rows. */
export function* rowsOf<Row>(query: Compilable<Row>): Steps<Row[]> {
  // The runner hands back the rows of the very query that was yielded.
  return (yield query) as Row[];
}

/** Runs a query within a procedure and gives its first row, or null. */
export function* firstOf<Row>(query: Compilable<Row>): Steps<Row | null> {
  return (yield* rowsOf(query))[0] ?? null;
}
