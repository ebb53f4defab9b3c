import type { Compilable, CompiledQuery, Kysely } from 'kysely';
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

/** Stands for a parameter while a query is built. */
class Slot {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
  [Symbol.toPrimitive](): never {
    throw new Error(`a template must not compute with its parameter ${this.name}`);
  }
}

/**
 * Creates a query that is built and compiled once per dialect, because building it costs more than running it.
 * `build` may only insert its parameters into the query, not compute with them or branch on them.
 */
export function createTemplate<Parameters extends object, Row>(
  build: (ledgerStore: LedgerQueries, parameters: Parameters) => Compilable<Row>,
): (ledgerStore: LedgerQueries, parameters: Parameters) => Compilable<Row> {
  const compiled = new WeakMap<LedgerQueries, CompiledQuery<Row>>();
  return (ledgerStore, parameters) => {
    const query = compiled.get(ledgerStore) ?? build(ledgerStore, createSlots<Parameters>()).compile();
    compiled.set(ledgerStore, query);
    return { compile: () => ({ ...query, parameters: query.parameters.map(fill(parameters)) }) };
  };
}

/** Creates an object whose every property is a slot of that name. */
function createSlots<Parameters extends object>(): Parameters {
  return new Proxy({} as Parameters, { get: (_, name) => new Slot(String(name)) });
}

function fill(parameters: object): (one: unknown) => unknown {
  return (one) => (one instanceof Slot ? parameters[one.name as keyof typeof parameters] : one);
}

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
  /**
   * Reads everything and compares it with its checksums; resolves to what is damaged, in words. PostgreSQL checks its own pages as it reads
   * them (data_checksums), so it has nothing to report. SQLite reads on the calling thread.
   */
  findDamage(): Promise<string[]>;
  close(): Promise<void>;
};
