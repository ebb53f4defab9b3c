import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, type TestContext, test } from 'node:test';
import { URL_CHARS_MAX } from '../contract/limits.ts';
import { openSqlite } from '../platform/store/open-sqlite.ts';
import { readQuery } from '../text/query/read-query.ts';
import { openIndexReader } from './index-reader.ts';
import { openIndexWriter } from './index-writer.ts';
import type { FoundPage, IndexedPage, PageMetadata } from './local-index-types.ts';
import { extractMetadata } from './page-metadata.ts';
import { orderRebuild } from './rebuild/old-files.ts';

const URL_OF_PAGE = 'https://example.org/waders';
const DECLARED: PageMetadata = {
  modifiedDay: '2024-05-06',
  canonicalUrl: 'https://example.org/birds/waders',
  image: 'https://cdn.example.net/wader.jpg',
  favicon: 'https://example.org/icon.svg',
};

const pageOf = (parts: Partial<IndexedPage> = {}): IndexedPage => ({
  url: URL_OF_PAGE,
  title: 'Sanderlings',
  headings: [],
  markdown: 'Sanderlings run along the waves.',
  publishedDay: null,
  language: 'en',
  site: null,
  author: null,
  rawChars: 40,
  fetchedAt: 1,
  ...parts,
});

let path: string;
function write(...pages: IndexedPage[]): void {
  const writer = openIndexWriter(path);
  for (const outcome of writer.apply([{ at: 1, put: pages }])) assert.ok(outcome.ok);
  assert.deepEqual(writer.problems(), []);
  writer.close();
}

function read(): { page: IndexedPage | null; found: FoundPage[] } {
  const reader = openIndexReader({ path });
  const none = { includeDomains: [], excludeDomains: [], publishedFrom: null, publishedTo: null };
  const found = reader.search({ ...none, limit: 5, query: readQuery('sanderlings') });
  const page = reader.get(URL_OF_PAGE);
  reader.close();
  return { page, found };
}

/** Changes the file as a program that does not know the table. */
function change(sql: string): void {
  const database = openSqlite(path);
  database.exec(sql);
  database.close();
}

describe('what pages declare', () => {
  beforeEach((t) => {
    const folder = mkdtempSync(join(tmpdir(), 'sanderling-metadata-'));
    path = join(folder, 'index.db');
    (t as TestContext).after(() => rmSync(folder, { recursive: true, force: true }));
  });

  describe('the index', () => {
    test('gives back what a page declares, with the page and with its result', () => {
      write(pageOf({ declared: DECLARED }));
      const { page, found } = read();
      assert.deepEqual(page, pageOf({ declared: DECLARED }));
      assert.deepEqual(
        found.map(({ declared }) => declared),
        [DECLARED],
      );
    });

    test('a page that declares nothing any more keeps nothing', () => {
      write(pageOf({ declared: DECLARED }));
      write(pageOf());
      const { page, found } = read();
      assert.deepEqual(page, pageOf());
      assert.equal(found.length, 1);
      assert.ok(!('declared' in (found[0] ?? {})));
    });

    test('what is declared is no part of the text that is searched', () => {
      write(pageOf({ declared: { ...DECLARED, image: 'https://cdn.example.net/sandpiper.jpg' } }));
      const reader = openIndexReader({ path });
      const none = { includeDomains: [], excludeDomains: [], publishedFrom: null, publishedTo: null };
      assert.deepEqual(reader.search({ ...none, limit: 5, query: readQuery('sandpiper') }), []);
      reader.close();
    });

    test('a removed page leaves nothing behind', () => {
      write(pageOf({ declared: DECLARED }));
      const writer = openIndexWriter(path);
      writer.apply([{ at: 1, remove: [URL_OF_PAGE] }]);
      assert.deepEqual(writer.problems(), []);
      writer.close();
      const database = openSqlite(path);
      assert.equal(database.prepare('select count(*) as n from page_metadata').get()?.n, 0);
      database.close();
    });
  });

  describe('a file of an earlier version', () => {
    test('opens without a rebuild, and its rows are filled when pages are written again', () => {
      write(pageOf({ declared: DECLARED }));
      change('drop table page_metadata');
      const writer = openIndexWriter(path);
      assert.equal(writer.takeOver.report().rebuilding, null);
      writer.close();
      const { page, found } = read();
      assert.deepEqual(page, pageOf());
      assert.equal(found.length, 1);
      write(pageOf({ declared: DECLARED }));
      assert.deepEqual(read().page?.declared, DECLARED);
    });

    test('the earlier version may replace a page: what this one kept of it goes', () => {
      write(pageOf({ declared: DECLARED }));
      change(`create temp table held as select * from page;
      create temp table texts as select * from page_text;
      delete from page; insert into page select * from held;
      insert into page_text select * from texts`);
      assert.deepEqual(read().page, pageOf());
    });

    test('a rebuild takes over what the older file kept, and reads one without the table', () => {
      for (const hasTable of [true, false]) {
        write(pageOf({ declared: DECLARED }));
        if (!hasTable) change('drop table page_metadata');
        assert.ok(orderRebuild(path));
        const writer = openIndexWriter(path);
        const expected = pageOf(hasTable ? { declared: DECLARED } : {});
        assert.deepEqual(writer.takeOver.get(URL_OF_PAGE), expected);
        while (writer.takeOver.step().rebuilding !== null);
        assert.deepEqual(writer.problems(), []);
        writer.close();
        assert.deepEqual(read().page, expected);
      }
    });
  });

  describe('extractMetadata', () => {
    const article = { canonicalUrl: URL_OF_PAGE, modified: null, image: null, favicon: null };

    test('nothing declared is null', () => {
      assert.equal(extractMetadata(article, URL_OF_PAGE), null);
      assert.equal(extractMetadata({ canonicalUrl: URL_OF_PAGE }, URL_OF_PAGE), null);
    });

    test('the canonical address is kept where it is another', () => {
      const given = { ...article, canonicalUrl: 'https://example.org/other' };
      assert.equal(extractMetadata(given, URL_OF_PAGE)?.canonicalUrl, 'https://example.org/other');
    });

    const longest = `https://example.org/${'a'.repeat(URL_CHARS_MAX)}`.slice(0, URL_CHARS_MAX);
    for (const kept of ['https://example.org/i.png?v=2', 'http://example.org/i.png', longest])
      test(`${kept.slice(0, 40)} (${kept.length}) is kept`, () => {
        assert.equal(extractMetadata({ ...article, image: kept }, URL_OF_PAGE)?.image, kept);
      });

    const REFUSED = [
      'data:image/png;base64,iVBORw0KGgo=',
      'javascript:alert(1)',
      'file:///etc/passwd',
      'ftp://example.org/i.png',
      '/relative.png',
      'https://user:word@example.org/i.png',
      'https://example.org/i.png?token=1',
      `${longest}a`,
    ];
    for (const address of REFUSED)
      test(`${address.slice(0, 40)} (${address.length}) is left out`, () => {
        assert.equal(extractMetadata({ ...article, image: address, favicon: address }, URL_OF_PAGE), null);
      });
  });
});
