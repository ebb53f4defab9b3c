import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { CompiledQuery } from 'kysely';
import { openSqlite } from '../open-sqlite.ts';
import { createGroupCommit, type DueProcedure, type Outcome } from './group-commit.ts';
import { type Durability, defineProcedure, readRows } from './procedure.ts';

describe('a group of procedures', () => {
  let folder: string;
  let database: DatabaseSync;
  let commit: (group: DueProcedure[]) => Outcome[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sanderling-group-'));
    database = openSqlite(join(folder, 'books.db'));
    database.exec('create table parent (id integer primary key)');
    database.exec(
      'create table child (id integer primary key, parent integer references parent deferrable initially deferred, text text)',
    );
    commit = createGroupCommit(database);
  });
  afterEach(() => {
    database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A procedure of plain statements; throws at the end if `fails` is given. */
  function doing(statements: string[], how: { durability?: Durability; fails?: string } = {}): DueProcedure {
    return {
      procedure: defineProcedure('here', 'doing', { durability: how.durability ?? 'kept' }, function* () {
        for (const sql of statements) yield* readRows({ compile: () => CompiledQuery.raw(sql) });
        if (how.fails !== undefined) throw new Error(how.fails);
        return statements.length;
      }),
      args: null,
    };
  }

  const add = (id: number): string => `insert into parent values (${id})`;
  const ids = (): number[] =>
    database
      .prepare('select id from parent order by id')
      .all()
      .map(({ id }) => Number(id));
  const resultsOf = (outcomes: Outcome[]): unknown[] =>
    outcomes.map((outcome) => ('value' in outcome ? outcome.value : String(outcome.problem)));

  test('one that fails is rolled back without affecting the others', () => {
    const outcomes = commit([
      doing([add(1), add(2)]),
      doing([add(3), add(4)], { fails: 'changed its mind' }),
      doing([add(5), add(1)]),
      doing([add(6)]),
    ]);
    assert.deepEqual(resultsOf(outcomes), [
      2,
      'Error: changed its mind',
      'Error: UNIQUE constraint failed: parent.id',
      1,
    ]);
    assert.deepEqual(ids(), [1, 2, 6]);
  });

  test('if the commit fails, all have failed, and the next group succeeds', () => {
    const orphan = 'insert into child (parent) values (99)';
    assert.deepEqual(resultsOf(commit([doing([add(1)]), doing([orphan]), doing([add(2)])])), [
      'Error: FOREIGN KEY constraint failed',
      'Error: FOREIGN KEY constraint failed',
      'Error: FOREIGN KEY constraint failed',
    ]);
    assert.deepEqual(ids(), []);
    assert.deepEqual(resultsOf(commit([doing([add(3)])])), [1]);
    assert.deepEqual(ids(), [3]);
  });

  test('on a full disk, exactly those that report success are stored', () => {
    database.exec('pragma max_page_count = 6');
    const large = (id: number): string =>
      `insert into child (id, text) values (${id}, '${'x'.repeat(9_000)}')`;
    const outcomes = commit(Array.from({ length: 5 }, (_, id) => doing([add(id), large(id)])));
    const done = outcomes.flatMap((outcome, id) => ('value' in outcome ? [id] : []));
    assert.ok(done.length < 5, 'the disk was full');
    assert.deepEqual(ids(), done);
    assert.equal(database.isTransaction, false);
    database.exec('pragma max_page_count = 1000');
    assert.deepEqual(resultsOf(commit([doing([add(7), large(7)])])), [2]);
    assert.deepEqual(ids(), [...done, 7]);
  });

  test('all fail while another process holds the lock, none afterwards', () => {
    database.exec('pragma busy_timeout = 0');
    const other = openSqlite(join(folder, 'books.db'));
    other.exec('begin immediate');
    assert.deepEqual(resultsOf(commit([doing([add(1)]), doing([add(2)])])), [
      'Error: database is locked',
      'Error: database is locked',
    ]);
    other.exec('commit');
    other.close();
    assert.deepEqual(resultsOf(commit([doing([add(1)]), doing([add(2)])])), [1, 1]);
  });

  test('one that must be flushed flushes its whole group', () => {
    const synchronous = (): unknown => database.prepare('pragma synchronous').get()?.synchronous;
    commit([doing([add(1)]), doing([add(2)], { durability: 'flushed' })]);
    assert.equal(synchronous(), 2);
    commit([doing([add(3)])]);
    assert.equal(synchronous(), 1);
  });
});
