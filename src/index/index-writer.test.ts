import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
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

test('a page that lost its words is neither replaced nor removed', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sanderling-index-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'index.db');
  const writer = openIndexWriter(path);
  t.after(() => writer.close());
  assert.deepEqual(writer.apply([{ at: 1, put: [page] }]), [{ ok: true, count: 1 }]);
  const other = new DatabaseSync(path);
  other.exec('delete from page_words');
  other.close();
  const refused = { ok: false, error: 'an indexed page has its words' };
  assert.deepEqual(
    writer.apply([
      { at: 1, put: [page] },
      { at: 1, remove: [page.url] },
    ]),
    [refused, refused],
  );
  assert.deepEqual(writer.problems(), ['pages without words: 1']);
});
