import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { openSqlite } from '../../platform/store/open-sqlite.ts';
import { NO_FILTERS } from '../../text/query/filters.ts';
import { readQuery } from '../../text/query/read-query.ts';
import { openIndexReader } from '../index-reader.ts';
import { openIndexWriter } from '../index-writer.ts';
import type { IndexedPage, IndexQuery } from '../local-index-types.ts';

const page = (name: string, markdown: string, language = 'en'): IndexedPage => ({
  url: `https://${name}.example.org/`,
  title: name,
  headings: [],
  markdown,
  publishedDay: null,
  language,
  site: null,
  author: null,
  rawChars: markdown.length,
  fetchedAt: 1,
});
const PEDIATRICS = page(
  'pediatrics',
  'The branch of medicine that treats children; a pediatrician works in a hospital or clinic.',
);
const CLOCKS = page('clocks', 'Returns the current time as a floating point number of seconds.');
/** No word of it is in any page. */
const QUESTION = 'doctor for kids';
const asking = (query: string, wanted: Partial<IndexQuery> = {}): IndexQuery => ({
  ...NO_FILTERS,
  query: readQuery(query),
  limit: 10,
  ...wanted,
});

function openBoth(t: TestContext, vectorRecall = true) {
  const folder = mkdtempSync(join(tmpdir(), 'sanderling-vectors-'));
  const path = join(folder, 'index.db');
  const writer = openIndexWriter(path);
  const reader = openIndexReader({ path, vectorRecall });
  t.after(() => {
    reader.close();
    writer.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const found = (query: IndexQuery): string[] => reader.search(query).map(({ title }) => title);
  return { path, writer, found };
}

function vectorBytes(path: string): Record<string, number> {
  const database = openSqlite(path);
  const rows = database
    .prepare('select title, length(vectors) as bytes from page_vector join page on id = page_id')
    .all();
  database.close();
  return Object.fromEntries(rows.map(({ title, bytes }) => [String(title), Number(bytes)]));
}

describe('the vectors of pages', () => {
  test('are kept for pages in a language of the model, more of them for longer pages', (t) => {
    const { path, writer } = openBoth(t);
    const long = page('long', 'The tide leaves small animals in the sand. '.repeat(1_000));
    writer.apply([
      { at: 1, put: [PEDIATRICS, long, page('deutsch', 'Die Flut lässt kleine Tiere im Sand.', 'de')] },
    ]);
    const { pediatrics = 0, ...others } = vectorBytes(path);
    assert.ok(pediatrics > 0);
    assert.deepEqual(others, { long: 8 * pediatrics, deutsch: 0 });
  });

  test('are made by upkeep where they are missing or of another model', (t) => {
    const { path, writer } = openBoth(t);
    const pages = Array.from({ length: 11 }, (_, at) => page(`p${at}`, `Text of page ${at}.`));
    writer.apply([{ at: 1, put: pages }]);
    const whole = vectorBytes(path);
    const other = openSqlite(path);
    other.exec(
      "delete from page_vector where page_id < 6; update page_vector set model = 'other', vectors = x''",
    );
    other.close();
    for (let steps = 0; writer.upkeep(null).more; steps += 1) assert.ok(steps < 20);
    assert.deepEqual(vectorBytes(path), whole);
    assert.deepEqual(writer.problems(), []);
  });

  test('leave with their page', (t) => {
    const { path, writer } = openBoth(t);
    writer.apply([{ at: 1, put: [PEDIATRICS] }]);
    writer.apply([{ at: 2, remove: [PEDIATRICS.url] }]);
    assert.deepEqual(vectorBytes(path), {});
  });
});

describe('recall by vectors', () => {
  test('finds a page that has no word of the query, and not one about something else', (t) => {
    const { writer, found } = openBoth(t);
    writer.apply([{ at: 1, put: [PEDIATRICS, CLOCKS] }]);
    assert.deepEqual(found(asking(QUESTION)), ['pediatrics']);
  });

  test('is off unless it is wanted', (t) => {
    const { writer, found } = openBoth(t, false);
    writer.apply([{ at: 1, put: [PEDIATRICS, CLOCKS] }]);
    assert.deepEqual(found(asking(QUESTION)), []);
  });

  test('sees new, changed and removed pages at once, and keeps to the filters', (t) => {
    const { writer, found } = openBoth(t);
    writer.apply([{ at: 1, put: [CLOCKS] }]);
    assert.deepEqual(found(asking(QUESTION)), []);
    writer.apply([{ at: 2, put: [PEDIATRICS] }]);
    assert.deepEqual(found(asking(QUESTION)), ['pediatrics']);
    assert.deepEqual(found(asking(QUESTION, { excludeDomains: ['pediatrics.example.org'] })), []);
    writer.apply([{ at: 3, put: [{ ...PEDIATRICS, markdown: CLOCKS.markdown, title: 'clock' }] }]);
    assert.deepEqual(found(asking(QUESTION)), []);
    writer.apply([{ at: 4, put: [PEDIATRICS] }]);
    writer.apply([{ at: 5, remove: [PEDIATRICS.url] }]);
    assert.deepEqual(found(asking(QUESTION)), []);
  });
});
