import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { LedgerTables } from './ledger-tables.ts';
import type { Dialect, Durability, LedgerQueries, Procedure } from './procedure.ts';

const DIGITS = 10;
const OWNER_ONLY = 0o600;

const COMPILERS = {
  sqlite: {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
  postgres: {
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
};

export type DueProcedure = { procedure: Procedure<unknown, unknown>; args: unknown };
export type Outcome = { value: unknown } | { problem: unknown };

/**
 * Runs several procedures in one transaction. When one fails, all are rolled back and run again, each within its own savepoint, so
 * that it fails without affecting the others. If the commit fails, all have failed.
 */
export function createGroupCommit(
  database: DatabaseSync,
  mark: Pick<FlushMark, 'raise'> = { raise() {} },
): (group: DueProcedure[]) => Outcome[] {
  const queries = compileOnly('sqlite');
  const run = createRunner(database);
  const flushWith = createDurabilitySwitch(database);
  const runSteps = ({ procedure, args }: DueProcedure): unknown => {
    const steps = procedure.steps(queries, args);
    let step = steps.next();
    while (!step.done) step = steps.next(run.query(step.value.compile()));
    return step.value;
  };
  const runOne = ({ procedure, args }: DueProcedure): Outcome => {
    run.plain('savepoint one');
    try {
      const value = runSteps({ procedure, args });
      run.plain('release one');
      return { value };
    } catch (problem) {
      run.plain('rollback to one');
      run.plain('release one');
      return { problem };
    }
  };
  const runAll = (group: DueProcedure[]): Outcome[] => {
    try {
      return group.map((due) => ({ value: runSteps(due) }));
    } catch {
      // A procedure has no effect but its queries, so it may run twice.
      if (database.isTransaction) run.plain('rollback');
      run.plain('begin immediate');
      return group.map(runOne);
    }
  };
  return (group) => {
    try {
      const isFlushed = group.some(({ procedure }) => procedure.durability === 'flushed');
      flushWith(isFlushed ? 'flushed' : 'kept');
      run.plain('begin immediate');
      const outcomes = runAll(group);
      const commits = isFlushed ? countFlush(database) : 0;
      run.plain('commit');
      mark.raise(commits);
      return outcomes;
    } catch (problem) {
      if (database.isTransaction) run.plain('rollback');
      return group.map(() => ({ problem }));
    }
  };
}

/** Increments the number of flushed commits, as part of the commit. */
function countFlush(database: DatabaseSync): number {
  const commits = countFlushedCommits(database) + 1;
  database.exec(`pragma user_version = ${commits}`);
  return commits;
}

/** Returns the number of flushed commits in the ledger's history. */
export function countFlushedCommits(database: DatabaseSync): number {
  return Number(database.prepare('pragma user_version').get()?.user_version);
}

type Runner = { query(query: CompiledQuery): unknown[]; plain(sql: string): void };

/** Prepares each statement once; their number is bounded by the procedures' queries. */
function createRunner(database: DatabaseSync): Runner {
  const prepared = new Map<string, StatementSync>();
  const prepareStatement = (sql: string): StatementSync => {
    const known = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, known);
    return known;
  };
  return {
    query: ({ sql, parameters }) => prepareStatement(sql).all(...(parameters as SQLInputValue[])),
    plain: (sql) => void prepareStatement(sql).run(),
  };
}

/** In WAL mode, `full` flushes every commit and `normal` only checkpoints (https://sqlite.org/pragma.html#pragma_synchronous). */
function createDurabilitySwitch(database: DatabaseSync): (wanted: Durability) => void {
  let current: Durability = 'kept';
  return (wanted) => {
    if (wanted === current) return;
    database.exec(`pragma synchronous = ${wanted === 'flushed' ? 'full' : 'normal'}`);
    current = wanted;
  };
}

/** Builds the SQL of a dialect without a connection. */
export function compileOnly(dialect: Dialect): LedgerQueries {
  const db = new Kysely<LedgerTables>({
    dialect: { ...COMPILERS[dialect], createDriver: () => new DummyDriver() },
  });
  return { db, dialect };
}

/**
 * The number of flushed commits, kept in a file beside the ledger. A ledger with fewer has lost some, for example because its
 * write-ahead log was removed. Inside the ledger, the count is SQLite's `user_version`.
 */
type FlushMark = { raise(commits: number): void; close(): void };

function buildMarkPath(ledgerPath: string): string {
  return ledgerPath.replace(/\.db$/, '.mark');
}

/** Reads the mark; 0 if there is none yet. */
function readFlushMark(ledgerPath: string): number {
  try {
    return Number.parseInt(readFileSync(buildMarkPath(ledgerPath), 'utf8'), 10) || 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}

/** Opens the mark. It is overwritten in place, so that it needs no space on a full disk, and never lowered, so that a loss stays visible. */
export function openFlushMark(ledgerPath: string): FlushMark {
  let highest = readFlushMark(ledgerPath);
  closeSync(openSync(buildMarkPath(ledgerPath), 'a', OWNER_ONLY));
  const file = openSync(buildMarkPath(ledgerPath), 'r+');
  return {
    raise(commits) {
      if (commits <= highest) return;
      writeSync(file, String(commits).padStart(DIGITS, '0'), 0);
      highest = commits;
    },
    close: () => closeSync(file),
  };
}

/** Throws if the ledger has fewer flushed commits than its mark. */
export function assertNothingLost(ledgerPath: string, commits: () => number): void {
  // The mark is read first: the ledger can only advance in the meantime.
  const mark = readFlushMark(ledgerPath);
  const found = commits();
  if (found >= mark) return;
  throw new Error(
    `it has ${found} of ${mark} flushed commits: its write-ahead log (${ledgerPath}-wal) was removed, or it was replaced by an older copy. Restore the newest books.db and books.db-wal; to continue without the lost commits, remove ${buildMarkPath(ledgerPath)}`,
  );
}
