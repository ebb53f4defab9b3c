import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSqlite } from '../../platform/store/open-sqlite.ts';
import { NO_FILTERS } from '../../text/query/filters.ts';
import { readQuery } from '../../text/query/read-query.ts';
import { openIndexReader } from '../index-reader.ts';
import { openIndexWriter } from '../index-writer.ts';
import type { IndexedPage } from '../local-index-types.ts';
import { createReadingsMemory, openReadings } from './page-readings.ts';

const data = (key: number, length = 10): Uint32Array =>
  Uint32Array.from({ length }, (_, at) => (key * 31 + at) >>> 0);

test('what one thread has put another one gets, as its own copy', () => {
  const memory = createReadingsMemory(4_000);
  const [one, other] = [openReadings(memory), openReadings(memory)];
  one.put(7, data(7));
  const found = other.get(7);
  assert.deepEqual(found, data(7));
  assert.ok(!(found?.buffer instanceof SharedArrayBuffer));
  assert.equal(other.get(8), null);
});

test('the newest take the place of the oldest, and nothing else than what was put is ever found', () => {
  const memory = createReadingsMemory(4_000);
  const readings = openReadings(memory);
  for (let key = 1; key <= 1_000; key += 1) readings.put(key, data(key, key % 40));
  const found = Array.from({ length: 1_000 }, (_, at) => at + 1).filter((key) => {
    const read = readings.get(key);
    if (read !== null) assert.deepEqual(read, data(key, key % 40));
    return read !== null;
  });
  assert.ok(found.length >= 15 && found.length < 100, `${found.length} found`);
  assert.ok(found.includes(1_000) && !found.includes(500));
});

test('an entry that is written over in part is not found, and one that is too large is not put', () => {
  const memory = createReadingsMemory(4_000);
  const readings = openReadings(memory);
  readings.put(7, data(7));
  for (const [place, value] of memory.ring.subarray(0, 13).entries()) {
    memory.ring[place] = value ^ 4;
    assert.equal(readings.get(7), null, `word ${place} was changed`);
    memory.ring[place] = value;
  }
  readings.put(8, data(8, 1_000));
  assert.equal(readings.get(8), null);
  assert.deepEqual(readings.get(7), data(7));
});

test('keys that share a place in the table take it from each other', () => {
  const readings = openReadings(createReadingsMemory(4_000));
  const other = 7 + 65_536;
  readings.put(7, data(7));
  readings.put(other, data(other));
  assert.equal(readings.get(7), null);
  assert.deepEqual(readings.get(other), data(other));
});

test('with a new epoch everything is wiped once, and who still is in an earlier one neither reads nor writes', () => {
  const memory = createReadingsMemory(4_000);
  const [early, late] = [openReadings(memory), openReadings(memory)];
  for (let key = 1; key < 200; key += 1) early.put(key, data(key));
  late.enter(1);
  assert.ok(memory.ring.every((value) => value === 0));
  late.put(8, data(8));
  early.put(9, data(9));
  assert.deepEqual([early.get(8), late.get(9)], [null, null]);
  early.enter(1);
  assert.deepEqual(early.get(8), data(8));
});

const page: IndexedPage = {
  url: 'https://example.org/',
  title: 'Sanderlings',
  headings: ['At the shore'],
  publishedDay: null,
  markdown: 'Sanderlings run along the waves. '.repeat(9),
  language: 'en',
  site: null,
  author: null,
  rawChars: 40,
  fetchedAt: 1,
};

test('a reader ranks a page by the words that another one has read, until something is forgotten', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sanderling-readings-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'index.db');
  const writer = openIndexWriter(path);
  t.after(() => writer.close());
  writer.apply([{ put: [page], at: 0 }]);
  const readings = createReadingsMemory(100_000);
  const open = (options: { readings?: typeof readings }) => {
    const reader = openIndexReader({ path, ...options });
    t.after(() => reader.close());
    const query = readQuery('sanderlings waves');
    return () => reader.search({ ...NO_FILTERS, query, limit: 10 });
  };
  const [first, second, alone] = [open({ readings }), open({ readings }), open({})];
  const [expected] = first();
  const database = openSqlite(path);
  database.exec('delete from page_text');
  assert.deepEqual(second(), [{ ...expected, snippet: '' }]);
  assert.deepEqual(alone(), []);
  database.exec('update forgetting set epoch = epoch + 1');
  database.close();
  assert.deepEqual(second(), []);
  assert.ok(readings.ring.every((value) => value === 0));
});
