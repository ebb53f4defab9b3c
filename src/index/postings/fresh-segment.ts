import type { DatabaseSync } from 'node:sqlite';
import { addPosting, createChunkBuilder, createPostings } from './posting-format.ts';
import {
  CHUNK_BYTES,
  CHUNKS_MAX,
  FRESH_PAGES_MAX,
  packFirsts,
  packPages,
  toDayNumber,
} from './segment-schema.ts';

/** The hashes of a page's distinct terms, and the level of each. */
export type PostedTerms = { hashes: Uint32Array; levels: Uint8Array };

/** Writes the postings of the pages of a transaction as a segment. */
type FreshSegment = {
  /** Ids ascend. Must be followed by `flush` before the transaction ends. */
  put(id: number, page: PostedTerms & { publishedDay: string | null }): void;
  /** Records that a page was removed. */
  remove(id: number): void;
  /** Returns a mark of what has been put so far, for `undo`. */
  mark(): number;
  /** Drops what was put since a mark. */
  undo(mark: number): void;
  flush(): void;
};

/** A posting is packed into one number that sorts by hash, then by place. */
const PLACES = FRESH_PAGES_MAX;
const LEVELS = 16;

type PendingPage = { id: number; day: number; keys: Float64Array };

export function createFreshSegment(database: DatabaseSync): FreshSegment {
  const insertSegment = database.prepare(
    `insert into segment (first_id, last_id, count, is_whole, touched_at, pages, chunks) values (?, ?, ?, 1, 0, ?, ?)`,
  );
  const insertChunk = database.prepare('insert into posting (id, data) values (?, ?)');
  const setChunks = database.prepare('update segment set chunks = ? where id = ?');
  const insertGone = database.prepare('insert or ignore into gone (page_id) values (?)');
  let pending: PendingPage[] = [];

  const write = (pages: PendingPage[]): void => {
    const [first, last] = [pages[0]?.id ?? 0, pages.at(-1)?.id ?? 0];
    const packed = packPages({
      offsets: Uint32Array.from(pages, ({ id }) => id - first),
      days: Uint16Array.from(pages, ({ day }) => day),
    });
    const { lastInsertRowid } = insertSegment.run(first, last, pages.length, packed, new Uint8Array(0));
    const firsts: number[] = [];
    for (const { first: hash, data } of buildChunks(pages)) {
      insertChunk.run(Number(lastInsertRowid) * CHUNKS_MAX + firsts.length, data);
      firsts.push(hash);
    }
    setChunks.run(packFirsts(firsts), lastInsertRowid);
  };
  return {
    put(id, { hashes, levels, publishedDay }) {
      // The place is added when the segment is written.
      const keys = Float64Array.from(hashes, (hash, at) => hash * PLACES * LEVELS + (levels[at] ?? 0));
      pending.push({ id, day: toDayNumber(publishedDay), keys });
    },
    remove: (id) => void insertGone.run(id),
    mark: () => pending.length,
    undo(mark) {
      pending = pending.slice(0, mark);
    },
    flush() {
      const pages = pending;
      pending = [];
      for (let at = 0; at < pages.length; at += FRESH_PAGES_MAX) write(pages.slice(at, at + FRESH_PAGES_MAX));
    },
  };
}

function* buildChunks(pages: PendingPage[]): Generator<{ first: number; data: Uint8Array }> {
  const builder = createChunkBuilder();
  const postings = createPostings();
  const close = function* () {
    const chunk = builder.take();
    if (chunk !== null) yield chunk;
  };
  const keys = sortKeys(pages);
  let hash = -1;
  for (const key of keys) {
    const place = Math.floor(key / LEVELS) % PLACES;
    const next = Math.floor(key / (PLACES * LEVELS));
    if (next !== hash) {
      if (postings.count > 0) builder.add(hash, postings);
      if (builder.size() >= CHUNK_BYTES) yield* close();
      postings.count = 0;
      hash = next;
    }
    addPosting(postings, place, key % LEVELS);
  }
  if (postings.count > 0) builder.add(hash, postings);
  yield* close();
}

function sortKeys(pages: PendingPage[]): Float64Array {
  const keys = new Float64Array(pages.reduce((sum, page) => sum + page.keys.length, 0));
  let at = 0;
  for (const [place, page] of pages.entries()) {
    for (const key of page.keys) keys[at++] = key + place * LEVELS;
  }
  return keys.sort();
}
