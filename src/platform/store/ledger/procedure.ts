import { type Compilable, CompiledQuery, type Kysely } from 'kysely';
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

/** The type of an input, which PostgreSQL has to know. */
type InputType = 'text' | 'bigint';

/** One statement of a chain. It returns one row or none. */
export type ChainPart = {
  name: string;
  /** Reads `:input.name`, what the chain is given, and `:part.column`, the row of an earlier part, which `:from` joins. */
  sql: string;
  /** The table whose row PostgreSQL locks. The part reads that row as other transactions leave it, not as it was before. */
  locks?: string;
};

/**
 * Creates the statements of a movement of credits, written once for both stores. PostgreSQL runs them as one statement, in one round trip;
 * SQLite, where a common table expression cannot write, runs them in turn, up to the first that returns no row. So each part joins the
 * one before it. Returns the rows of the parts that `results` names, where they returned one.
 */
export function createChain<Input extends object, Rows extends object>(chain: {
  types: Record<keyof Input & string, InputType>;
  parts: readonly ChainPart[];
  results: readonly (keyof Rows & string)[];
}): (ledgerStore: Pick<LedgerQueries, 'dialect'>, input: Input) => Steps<Partial<Rows>> {
  const { parts } = chain;
  const joined = joinParts(chain);
  const separate = parts.map(separatePart);
  return function* ({ dialect }, input) {
    const rows: Record<string, object> = {};
    if (dialect === 'postgres') {
      const found = yield* readFirst<Record<string, object | null>>(joined({ input }));
      for (const [name, row] of Object.entries(found ?? {})) if (row !== null) rows[name] = row;
    } else {
      const known: Record<string, object> = { input };
      for (const { name, query } of separate) {
        const row = yield* readFirst<object>(query(known));
        if (row === null) break;
        rows[name] = row;
        known[name] = row;
      }
    }
    // The type of each row is declared beside the SQL that returns it.
    return rows as Partial<Rows>;
  };
}

/** Creates the queries of a text from the rows that its parameters are read from. */
type QueryBuilder<Row> = (known: Record<string, object>) => Compilable<Row>;

const REFERENCE = /:(\w+)\.(\w+)/g;
const FROM = ':from';

/** PostgreSQL: each part is a common table expression, and the row of each becomes a column of the result. */
function joinParts({
  types,
  parts,
  results,
}: {
  types: Record<string, InputType>;
  parts: readonly ChainPart[];
  results: readonly string[];
}): QueryBuilder<Record<string, object | null>> {
  // PostgreSQL does not know the type of a parameter that no part reads.
  const names = Object.keys(types).filter((name) => parts.some(({ sql }) => sql.includes(`:input.${name}`)));
  const expressions = parts.map(({ name, sql, locks }) => {
    const joined = new Set([...sql.matchAll(REFERENCE)].map(([, row = '']) => row));
    joined.delete('input');
    const text = sql
      .replace(FROM, `from ${[...joined].join(', ')}`)
      .replaceAll(REFERENCE, (_, row, column) =>
        row === 'input' ? `cast($${names.indexOf(column) + 1} as ${types[column]})` : `${row}.${column}`,
      );
    return `${name} as (${text}${locks === undefined ? '' : ` for update of ${locks}`})`;
  });
  const rows = results.map((name) => `(select to_jsonb(${name}) from ${name}) as ${name}`);
  return createQueryBuilder(
    `with ${expressions.join(', ')} select ${rows.join(', ')}`,
    names.map((name) => ['input', name]),
  );
}

/** SQLite: what a part reads becomes its parameters. */
function separatePart({ name, sql }: ChainPart): { name: string; query: QueryBuilder<object> } {
  const references = [...sql.matchAll(REFERENCE)].map(([, row = '', column = '']) => [row, column] as const);
  return { name, query: createQueryBuilder(sql.replace(FROM, '').replaceAll(REFERENCE, '?'), references) };
}

function createQueryBuilder<Row>(
  text: string,
  references: readonly (readonly [row: string, column: string])[],
): QueryBuilder<Row> {
  const query = CompiledQuery.raw(text);
  return (known) => {
    const parameters = references.map(([row, column]) => Object(known[row])[column]);
    return { compile: () => ({ ...query, parameters }) };
  };
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
