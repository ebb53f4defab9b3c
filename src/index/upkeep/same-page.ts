import type { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { readIndexedPage } from '../index-schema.ts';
import type { IndexedPage } from '../local-index-types.ts';
import { JOIN_METADATA } from '../page-metadata.ts';
import { createTextReader } from '../texts/page-texts.ts';
import type { PageLives } from './page-life.ts';
import { ORIGIN_COLUMNS } from './page-origin.ts';

/**
 * Returns whether the index has a page in exactly the same form, and if so records that it was read again. False if the page is new or
 * has changed, so that it must be written.
 */
export function createSamePage(
  database: DatabaseSync,
  lives: Pick<PageLives, 'seenAgain'>,
): (page: IndexedPage) => boolean {
  // Inner joins, because a page that lacks a part must be written again.
  const find = database.prepare(
    `select page.*, page_metadata.*, ${ORIGIN_COLUMNS}, page_text.dictionary, page_text.text
     from page join page_text on page_text.page_id = page.id
     join page_life on page_life.page_id = page.id ${JOIN_METADATA} where url = ?`,
  );
  const texts = createTextReader(database);
  return (page) => {
    const row = find.get(page.url);
    // The title and the length of the source reveal most changed pages before their text is decompressed.
    if (row === undefined || row.title !== page.title || row.raw_chars !== page.rawChars) return false;
    const kept = readIndexedPage({ ...row, fetched_at: page.fetchedAt }, texts.textOf(row));
    if (!isDeepStrictEqual(kept, page)) return false;
    lives.seenAgain(Number(row.id), page);
    return true;
  };
}
