import { DatabaseSync } from 'node:sqlite';
import type { IndexedPage } from '../../src/corpus/own-index-types.ts';
import { plainText } from '../../src/retrieval/rank/plain-text.ts';

/** The baseline: an FTS5 table (unicode61, porter) of title and text, asked for any of the words, ordered by its bm25(). */
export function openPlainIndex(pages: IndexedPage[]): {
  find(query: string, limit: number): string[];
  close(): void;
} {
  const database = new DatabaseSync(':memory:');
  database.exec(
    "create virtual table page using fts5 (url unindexed, title, body, tokenize = 'porter unicode61')",
  );
  const insert = database.prepare('insert into page (url, title, body) values (?, ?, ?)');
  database.exec('begin');
  for (const page of pages) insert.run(page.url, page.title, plainText(page.markdown));
  database.exec('commit');
  const ask = database.prepare('select url from page where page match ? order by bm25(page) limit ?');
  return {
    find(query, limit) {
      const words = query.match(/[\p{L}\p{N}_]+/gu) ?? [];
      if (words.length === 0) return [];
      return ask.all(words.map((word) => `"${word}"`).join(' OR '), limit).map(({ url }) => String(url));
    },
    close: () => database.close(),
  };
}
