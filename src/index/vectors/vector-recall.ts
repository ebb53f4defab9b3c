import type { DatabaseSync } from 'node:sqlite';
import { encoderFor } from '../../text/embeddings/encoder-for.ts';
import { readModelName } from './page-vectors.ts';
import { createPartCodes, type PartCodes } from './part-codes.ts';

/** Rows read per database call, so that the first query of a large index does not load all rows at once. */
const ROWS_PER_READ = 20_000;
/** Replaced and removed pages stay among the codes; these are reloaded when they hold this many pages more than the index. */
const LEFT_BEHIND = { share: 0.25, least: 1_000 };

/**
 * Finds pages by meaning: compares the code of the query with those of all parts of all pages, which are kept in memory (one bit per
 * dimension); the closest pages are then scored by their stored vectors. New and changed pages are read before each query; changed
 * pages have a new id, and removed ones no row.
 */
export function createVectorRecall(
  database: DatabaseSync,
): (query: string, accept: { admits(id: number): boolean; limit: number }) => number[] {
  const after = database.prepare(
    'select seq, page_id as id, vectors from page_vector where seq > ? and model = ? order by seq limit ?',
  );
  const exists = database.prepare('select 1 from page_vector where page_id = ?');
  const held = database.prepare('select pages from total');
  let codes: PartCodes | null = null;
  let model = '';
  let last = 0;
  return (query, { admits, limit }) => {
    const encoder = encoderFor(null);
    const [asked] = encoder?.embed([query]) ?? [];
    if (encoder === null || asked === undefined || !asked.some((value) => value !== 0)) return [];
    const { pages } = held.get() ?? {};
    const mostPages = Number(pages) * (1 + LEFT_BEHIND.share) + LEFT_BEHIND.least;
    if (codes === null || model !== readModelName() || codes.pages() > mostPages) {
      [codes, model, last] = [createPartCodes(encoder.dimensions), readModelName(), 0];
    }
    for (let read = ROWS_PER_READ; read === ROWS_PER_READ; ) {
      const rows = after.all(last, model, ROWS_PER_READ) as {
        seq: number;
        id: number;
        vectors: Uint8Array;
      }[];
      for (const { id, vectors } of rows) codes.put(id, vectors);
      read = rows.length;
      last = rows.at(-1)?.seq ?? last;
    }
    return codes.closest(asked, { admits: (id) => admits(id) && exists.get(id) !== undefined, limit });
  };
}
