import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { IndexedPage } from '../../src/index/local-index-types.ts';
import { plainText } from '../../src/text/words/plain-text.ts';

/** The baseline: a table of FTS5 (porter, unicode61) over title and text, without the text itself, asked for any of the words and ordered by its bm25(). */
export function openPlainFts(path: string) {
  const database = new DatabaseSync(path);
  database.exec(`pragma journal_mode = wal; pragma synchronous = normal;
    create table if not exists url (id integer primary key, url text not null);
    create virtual table if not exists page using fts5 (title, body, content = '', tokenize = 'porter unicode61')`);
  const insert = database.prepare('insert into page (rowid, title, body) values (?, ?, ?)');
  const insertUrl = database.prepare('insert into url values (?, ?)');
  const ask = database.prepare(
    'select url from (select rowid as found, bm25(page) as score from page where page match ? order by score limit ?) join url on id = found order by score',
  );
  let last = Number(database.prepare('select max(id) as last from url').get()?.last ?? 0);
  return {
    add(pages: IndexedPage[]): void {
      database.exec('begin');
      for (const { url, title, markdown } of pages) {
        last += 1;
        insert.run(last, title, plainText(markdown));
        insertUrl.run(last, url);
      }
      database.exec('commit');
    },
    find(query: string, limit: number): string[] {
      const match = (query.match(/[\p{L}\p{N}_]+/gu) ?? []).map((word) => `"${word}"`).join(' OR ');
      return match === '' ? [] : ask.all(match, limit).map(({ url }) => String(url));
    },
    pages: () => last,
    bytes: () => statSync(path).size,
    close: () => database.close(),
  };
}
