import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { CompiledQuery } from 'kysely';
import { compileOnly } from './compile-only.ts';
import type { FlushMark } from './flush-mark.ts';
import type { Durability, Procedure } from './procedure.ts';

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
