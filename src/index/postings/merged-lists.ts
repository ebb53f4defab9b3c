import {
  addPosting,
  createChunkBuilder,
  createPostings,
  openChunk,
  type PostingChunk,
  readHash,
  readPostings,
} from './posting-format.ts';
import { CHUNK_BYTES } from './segment-schema.ts';

/** A segment to merge: its chunks in order, and the place of each of its pages in the new segment; -1: the page was removed. */
export type MergeInput = { places: Int32Array; chunks: number; chunk(number: number): Uint8Array };

/** The chunks of the new segment, one at a time. */
export type MergedLists = { next(): { first: number; data: Uint8Array } | null };

type Cursor = { input: MergeInput; number: number; chunk: PostingChunk | null; term: number };

/** Merges the posting lists of consecutive segments term by term. Holds one chunk of each. */
export function createMergedLists(inputs: MergeInput[]): MergedLists {
  const cursors = inputs.map((input): Cursor => ({ input, number: -1, chunk: null, term: 0 }));
  for (const cursor of cursors) advance(cursor);
  const builder = createChunkBuilder();
  const [read, merged] = [createPostings(), createPostings()];
  const addTerm = (hash: number): void => {
    merged.count = 0;
    for (const cursor of cursors) {
      if (cursor.chunk === null || readHash(cursor.chunk, cursor.term) !== hash) continue;
      readPostings(cursor.chunk, cursor.term, read);
      for (let at = 0; at < read.count; at += 1) {
        const place = cursor.input.places[read.places[at] ?? 0] ?? -1;
        if (place >= 0) addPosting(merged, place, read.levels[at] ?? 0);
      }
      advance(cursor);
    }
    if (merged.count > 0) builder.add(hash, merged);
  };
  return {
    next() {
      while (builder.size() < CHUNK_BYTES) {
        const hash = cursors.reduce(
          (least, { chunk, term }) => (chunk === null ? least : Math.min(least, readHash(chunk, term))),
          Number.POSITIVE_INFINITY,
        );
        if (hash === Number.POSITIVE_INFINITY) break;
        addTerm(hash);
      }
      return builder.take();
    },
  };
}

/** Moves to the next term, loading the next chunk if necessary. */
function advance(cursor: Cursor): void {
  if (cursor.chunk !== null && cursor.term + 1 < cursor.chunk.terms) {
    cursor.term += 1;
    return;
  }
  cursor.number += 1;
  cursor.term = 0;
  cursor.chunk = cursor.number < cursor.input.chunks ? openChunk(cursor.input.chunk(cursor.number)) : null;
}
