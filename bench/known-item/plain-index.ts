import { DatabaseSync } from 'node:sqlite';
import type { IndexedPage } from '../../src/index/local-index-types.ts';
import { toVisibleText } from '../../src/text/markup/visible-text.ts';

/** The baseline: an FTS5 table (unicode61, porter) of title and text, asked for any of the words, ordered by its bm25(). */
export function openPlainIndex(pages: Pick<IndexedPage, 'url' | 'title' | 'markdown'>[]): {
  find(query: string, limit: number): string[];
  close(): void;
} {
  const database = new DatabaseSync(':memory:');
  database.exec(
    "create virtual table page using fts5 (url unindexed, title, body, tokenize = 'porter unicode61')",
  );
  const insert = database.prepare('insert into page (url, title, body) values (?, ?, ?)');
  database.exec('begin');
  for (const page of pages) insert.run(page.url, page.title, toVisibleText(page.markdown));
  database.exec('commit');
  const ask = database.prepare('select url from page where page match ? order by bm25(page) limit ?');
  const anyOf = (query: string): string =>
    (query.match(/[\p{L}\p{N}_]+/gu) ?? []).map((word) => `"${word}"`).join(' OR ');
  return {
    find(query, limit) {
      const words = anyOf(query);
      return words === '' ? [] : ask.all(words, limit).map(({ url }) => String(url));
    },
    close: () => database.close(),
  };
}
