import { DatabaseSync } from 'node:sqlite';
import type { PagesFor } from './known-items.ts';

/** The baseline: the same titles and texts in a plain FTS5 table (porter), an OR of the query's words, ordered by bm25(). */
export function plainFts(indexFile: string): PagesFor {
  const database = new DatabaseSync(':memory:');
  database.exec(
    "create virtual table plain using fts5 (url unindexed, title, body, tokenize = 'porter unicode61')",
  );
  const index = new DatabaseSync(indexFile, { readOnly: true });
  const insert = database.prepare('insert into plain values (?, ?, ?)');
  for (const { url, title, markdown } of index.prepare('select url, title, markdown from page').iterate()) {
    insert.run(url ?? null, title ?? null, markdown ?? null);
  }
  index.close();
  const find = database.prepare('select url from plain where plain match ? order by bm25(plain) limit 10');
  return async (query) => {
    const words = query.match(/[\p{L}\p{N}_]+/gu) ?? [];
    if (words.length === 0) return [];
    return find.all(words.map((word) => `"${word}"`).join(' OR ')).map(({ url }) => String(url));
  };
}
