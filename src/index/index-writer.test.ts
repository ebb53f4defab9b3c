import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { openSqlite } from '../platform/store/open-sqlite.ts';
import { NO_FILTERS } from '../text/query/filters.ts';
import { readQuery } from '../text/query/read-query.ts';
import { openIndexReader } from './index-reader.ts';
import { openIndexWriter } from './index-writer.ts';
import type { IndexedPage } from './local-index-types.ts';

const page: IndexedPage = {
  url: 'https://example.org/',
  title: 'Sanderlings',
  headings: [],
  markdown: 'Sanderlings run along the waves.',
  publishedDay: null,
  language: 'en',
  site: null,
  author: null,
  rawChars: 40,
  fetchedAt: 1,
};

function openFolder(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'sanderling-index-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'index.db');
  const writer = openIndexWriter(path);
  t.after(() => writer.close());
  return { path, writer };
}

/** Whether a page was written, and when it was last fetched. */
function lifeOf(path: string): Record<string, unknown> | undefined {
  const database = new DatabaseSync(path, { readOnly: true });
  const life = database
    .prepare(
      'select id, page_life.fetched_at, visits, page_life.changes as changed from page join page_life on page_id = id',
    )
    .get();
  database.close();
  return { ...life };
}

const LATER = 90_000_000;

test('a page that is read again as it was is not written anew, but was fetched and watched', (t) => {
  const { path, writer } = openFolder(t);
  const declared = {
    modifiedDay: null,
    canonicalUrl: null,
    image: 'https://example.org/a.png',
    favicon: null,
  };
  for (const put of [page, { ...page, declared }]) {
    writer.apply([{ at: 1, put: [put] }]);
    const { id } = lifeOf(path) ?? {};
    assert.deepEqual(writer.apply([{ at: LATER, put: [{ ...put, fetchedAt: LATER }] }]), [
      { ok: true, count: 1 },
    ]);
    assert.deepEqual(lifeOf(path), { id, fetched_at: LATER, visits: 1, changed: 0 });
    writer.apply([{ at: LATER, remove: [page.url] }]);
  }
  assert.deepEqual(writer.problems(), []);
});

test('a page of which anything changed is written anew', (t) => {
  const { path, writer } = openFolder(t);
  const changes: Partial<IndexedPage>[] = [
    { title: 'Knots' },
    { headings: ['Waves'] },
    { markdown: 'Sanderlings run along the wave.' },
    ...[{ publishedDay: '2024-05-01' }, { language: 'de' }, { site: 'Birds' }, { author: 'A. Writer' }],
    { rawChars: 41 },
    { declared: { modifiedDay: '2024-05-01', canonicalUrl: null, image: null, favicon: null } },
    { origin: { source: 'corpus', licence: null } },
  ];
  for (const change of changes) {
    writer.apply([
      { at: 1, remove: [page.url] },
      { at: 1, put: [page] },
    ]);
    const { id } = lifeOf(path) ?? {};
    writer.apply([{ at: 2, put: [{ ...page, ...change }] }]);
    assert.notEqual(lifeOf(path)?.id, id, JSON.stringify(change));
  }
});

test('a page that lost its text is reported, and whole again once it is replaced', (t) => {
  const { path, writer } = openFolder(t);
  const written = { ok: true, count: 1 };
  assert.deepEqual(writer.apply([{ at: 1, put: [page] }]), [written]);
  const other = openSqlite(path);
  other.exec('delete from page_text');
  other.close();
  assert.deepEqual(writer.problems(), ['pages without a text: 1']);
  const reader = openIndexReader({ path });
  t.after(() => reader.close());
  assert.deepEqual(reader.search({ ...NO_FILTERS, query: readQuery('sanderlings'), limit: 10 }), []);
  assert.deepEqual(writer.apply([{ at: 1, put: [page] }]), [written]);
  assert.deepEqual(writer.problems(), []);
});

test('a page of a library is replaced by the library only', (t) => {
  const { path, writer } = openFolder(t);
  const library = { versions: ['npm:wader@1.0.0'], kind: 'guide', isPrivate: false };
  writer.apply([{ at: 1, put: [{ ...page, library }] }]);
  writer.apply([{ at: 2, put: [{ ...page, markdown: 'Read by somebody later.', fetchedAt: 2 }] }]);
  const reader = openIndexReader({ path });
  t.after(() => reader.close());
  assert.equal(reader.get(page.url)?.markdown, page.markdown);
  writer.apply([{ at: 3, put: [{ ...page, markdown: 'Another version.', fetchedAt: 3, library }] }]);
  assert.equal(reader.get(page.url)?.markdown, 'Another version.');
});
