import { DatabaseSync } from 'node:sqlite';
import type { IndexedPage } from '../../src/index/local-index-types.ts';
import { plainText } from '../../src/text/words/plain-text.ts';
import { isStopWord } from '../../src/text/words/stop-words.ts';
import { wordsOf } from '../../src/text/words/words.ts';

/**
 * The baseline: plain FTS5 over the same terms, searched for any word of a query (without stop words, which favours it) and
 * ordered by its bm25(). Ids count from 1 in the order of insertion.
 */
export function openFullBm25(path: string) {
  const database = new DatabaseSync(path);
  database.exec(`pragma journal_mode = wal; pragma synchronous = off;
    create virtual table if not exists page using fts5 (terms, content = '', tokenize = "ascii tokenchars '._-:+#$@^=/'")`);
  const insert = database.prepare('insert into page (rowid, terms) values (?, ?)');
  const ask = database.prepare('select rowid from page where page match ? order by bm25(page) limit ?');
  ask.setReturnArrays(true);
  let last = 0;
  return {
    add(pages: IndexedPage[]): void {
      database.exec('begin');
      for (const page of pages) {
        last += 1;
        insert.run(last, wordsOf(`${page.title}\n${plainText(page.markdown)}`, page.language).join(' '));
      }
      database.exec('commit');
    },
    top(query: string, limit: number): number[] {
      const terms = [...new Set(wordsOf(query, 'en'))].filter((term) => !isStopWord(term));
      const match = terms.map((term) => `"${term}"`).join(' OR ');
      return (ask.all(match, limit) as unknown as [number][]).map(([id]) => id);
    },
    close: () => database.close(),
  };
}
