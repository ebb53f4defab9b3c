import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { openSqlite } from './open-sqlite.ts';
import { ensureRowSums, findDamage, forgetRowSums } from './row-sums.ts';

const folder = mkdtempSync(join(tmpdir(), 'sanderling-sums-'));
after(() => rmSync(folder, { recursive: true }));
let files = 0;

const SCHEMA = `
create table note (id integer primary key, text text, size integer not null, share real, data blob) strict;
create index note_size on note (size);
create table word (name text primary key, pages integer) strict, without rowid;`;

function openFile(path = join(folder, `${files++}.db`)): { path: string; database: DatabaseSync } {
  const database = openSqlite(path, { wal: false });
  database.exec(SCHEMA);
  ensureRowSums(database);
  return { path, database };
}

function fill(database: DatabaseSync): void {
  const insert = database.prepare('insert into note values (?, ?, ?, ?, ?)');
  for (let id = 1; id <= 60; id += 1)
    insert.run(
      id,
      `note ${id} `.repeat(id % 7),
      id * 2 ** (id % 45),
      id / 3,
      new Uint8Array(id * 40).fill(id),
    );
  database.exec(`insert into word values ('a', 1), ('b', null), ('c', ${2 ** 52})`);
}

test('sums follow every change of a row', () => {
  const { database } = openFile();
  fill(database);
  database.exec(`update note set size = size + 1, text = text || 'x' where id < 20`);
  database.exec(`update note set data = null, share = null where id between 10 and 30`);
  database.exec('delete from note where id % 3 = 0');
  database.exec(`insert or replace into note values (5, 'again', 0, null, null)`);
  database.exec(`insert into word values ('a', 4) on conflict do update set pages = pages + excluded.pages`);
  database.exec('begin; delete from word; rollback');
  assert.deepEqual(findDamage(database), []);
  database.exec('delete from note; delete from word');
  assert.deepEqual(
    database
      .prepare('select of_table from row_sum')
      .all()
      .map(({ of_table }) => of_table),
    ['sqlite_schema'],
  );
});

test('a change that goes around the sums is found, and its rows are named', () => {
  const { database } = openFile();
  fill(database);
  for (const change of [
    `update note set text = 'other' where id = 20`,
    'update note set share = -share where id = 20',
    `update note set data = x'00' where id = 20`,
    'delete from note where id = 20',
    `insert into note values (1000, '', 0, 0, x'')`,
  ]) {
    database.exec('begin; create temp table kept as select * from row_sum;');
    database.exec(change);
    database.exec('delete from row_sum; insert into row_sum select * from kept; drop table kept;');
    const found = findDamage(database, (table, first, last) => `${table} ${first}-${last}`);
    assert.match(
      found.at(-1) ?? '',
      /^table note: a row from (16 to 31|992 to 1007) is damaged \(note (16-31|992-1007)\)$/,
    );
    database.exec('rollback');
  }
  assert.deepEqual(findDamage(database), []);
});

test('a table that gains a column, and a file from before, are summed when they are opened', () => {
  const { path, database } = openFile();
  fill(database);
  database.exec('alter table word add column more text');
  ensureRowSums(database);
  database.exec(`update word set more = 'm'`);
  assert.deepEqual(findDamage(database), []);
  database.close();
  const again = openSqlite(path, { wal: false });
  ensureRowSums(again);
  assert.deepEqual(findDamage(again), []);
});

/** A source of the same numbers in every run (https://en.wikipedia.org/wiki/Linear_congruential_generator). */
function createNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe('a flipped bit', () => {
  test('is found wherever it changes what a file says', () => {
    const { path, database } = openFile();
    fill(database);
    const read = (one: DatabaseSync): string =>
      JSON.stringify(
        [one.prepare('select * from note').all(), one.prepare('select * from word').all()],
        (_, value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value),
      );
    const content = read(database);
    database.close();
    const sound = readFileSync(path);
    const choose = createNumbers(7);
    let changed = 0;
    for (let flip = 0; flip < 600; flip += 1) {
      const bytes = Buffer.from(sound);
      const at = choose(bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << choose(8));
      const damaged = join(folder, 'flipped.db');
      writeFileSync(damaged, bytes);
      const found = check(damaged, read);
      if (found.content === content) continue;
      changed += 1;
      assert.ok(found.problems.length > 0, `bit at ${at}`);
    }
    assert.ok(changed > 200, `${changed} flips changed the content`);
  });
});

/** Reads a file that may be damaged; `content` is null if it cannot be read. */
function check(
  path: string,
  read: (database: DatabaseSync) => string,
): { problems: string[]; content: string | null } {
  let database: DatabaseSync;
  try {
    database = openSqlite(path, { readOnly: true });
  } catch (error) {
    return { problems: [String(error)], content: null };
  }
  try {
    const problems = findDamage(database);
    let content: string | null = null;
    try {
      content = read(database);
    } catch {
      // The problems say so.
    }
    return { problems, content };
  } finally {
    database.close();
  }
}

test('a file whose sums were forgotten is summed again', () => {
  const { database } = openFile();
  fill(database);
  forgetRowSums(database);
  ensureRowSums(database);
  assert.deepEqual(findDamage(database), []);
});
