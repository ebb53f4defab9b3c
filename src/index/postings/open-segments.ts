import type { DatabaseSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import {
  createPostings,
  findTerm,
  openChunk,
  type PostingChunk,
  type Postings,
  readCount,
  readPostings,
} from './posting-format.ts';
import { CHUNKS_MAX, findPlaceUpTo, type SegmentPages, unpackFirsts, unpackPages } from './segment-schema.ts';

/** A segment as a reader holds it in memory. */
export type OpenSegment = SegmentPages & {
  id: number;
  firstId: number;
  lastId: number;
  count: number;
  firsts: Uint32Array;
  /** 1 for each place whose page is still in the index. */
  alive: Uint8Array;
  /** Number of its pages that were removed from the index. */
  gone: number;
};

/** The segments of an index file as of the current transaction. */
export type OpenSegments = {
  /** All segments, the oldest pages first. */
  current(): OpenSegment[];
  /** Reads the postings of a term; false: the segment has none. */
  read(segment: OpenSegment, hash: number, into: Postings): boolean;
  /** Document frequency of a term: exact if small, else approximate. */
  frequency(hash: number): number;
};

/** Maximum bytes of cached chunks in each reader. */
const CHUNK_BYTES_KEPT = 16_000_000;
/** Longest list whose postings are checked one by one for removed pages. */
const COUNTED_EXACTLY_MAX = 256;

export function openSegments(database: DatabaseSync): OpenSegments {
  const whole = database.prepare('select id from segment where is_whole = 1 order by first_id');
  const goneSince = database.prepare('select seq, page_id from gone where seq > ? order by seq');
  for (const statement of [whole, goneSince]) statement.setReturnArrays(true);
  const load = createSegmentLoader(database);
  const { read, count } = createListReader(database);
  let open: OpenSegment[] = [];
  let lastGone = 0;

  const dropGone = (): void => {
    for (const [seq, pageId] of goneSince.all(lastGone) as unknown as [number, number][]) {
      lastGone = seq;
      const segment = open.find(({ firstId, lastId }) => firstId <= pageId && pageId <= lastId);
      if (segment !== undefined) drop(segment, pageId);
    }
  };
  return {
    current() {
      dropGone();
      const ids = (whole.all() as unknown as [number][]).map(([id]) => id);
      if (ids.length !== open.length || ids.some((id, at) => open[at]?.id !== id)) {
        const known = new Map(open.map((segment) => [segment.id, segment]));
        open = ids.map((id) => known.get(id) ?? load(id));
      }
      return open;
    },
    read,
    frequency: (hash) => open.reduce((sum, segment) => sum + count(segment, hash), 0),
  };
}

/** Loads a segment and marks its removed pages. */
function createSegmentLoader(database: DatabaseSync): (id: number) => OpenSegment {
  const row = database.prepare('select first_id, last_id, count, pages, chunks from segment where id = ?');
  const goneWithin = database.prepare('select page_id from gone where page_id between ? and ?');
  goneWithin.setReturnArrays(true);
  return (id) => {
    const found = row.get(id) ?? {};
    const count = Number(found.count);
    const segment: OpenSegment = {
      id,
      count,
      firstId: Number(found.first_id),
      lastId: Number(found.last_id),
      ...unpackPages(found.pages as Uint8Array, count),
      firsts: unpackFirsts(found.chunks as Uint8Array),
      alive: new Uint8Array(count).fill(1),
      gone: 0,
    };
    for (const [pageId] of goneWithin.all(segment.firstId, segment.lastId) as unknown as [number][])
      drop(segment, pageId);
    return segment;
  };
}

type Lists = { read: OpenSegments['read']; count(segment: OpenSegment, hash: number): number };

/** Reads posting lists, caching recently read chunks. */
function createListReader(database: DatabaseSync): Lists {
  const chunkData = database.prepare('select data from posting where id = ?');
  chunkData.setReturnArrays(true);
  const chunks = new LRUCache<number, PostingChunk>({
    maxSize: CHUNK_BYTES_KEPT,
    sizeCalculation: ({ data }) => data.length,
  });
  const postings = createPostings();
  const findChunk = (segment: OpenSegment, hash: number): PostingChunk | null => {
    const number = findPlaceUpTo(segment.firsts, hash);
    if (number < 0) return null;
    const id = segment.id * CHUNKS_MAX + number;
    const known = chunks.get(id);
    if (known !== undefined) return known;
    const [data] = chunkData.get(id) as unknown as [Uint8Array];
    const chunk = openChunk(data);
    chunks.set(id, chunk);
    return chunk;
  };
  return {
    read(segment, hash, into) {
      const chunk = findChunk(segment, hash);
      const term = chunk === null ? -1 : findTerm(chunk, hash);
      if (chunk === null || term < 0) return false;
      readPostings(chunk, term, into);
      return true;
    },
    count(segment, hash) {
      const chunk = findChunk(segment, hash);
      const term = chunk === null ? -1 : findTerm(chunk, hash);
      if (chunk === null || term < 0) return 0;
      const held = readCount(chunk, term);
      if (segment.gone === 0 || held > COUNTED_EXACTLY_MAX) return held;
      readPostings(chunk, term, postings);
      return postings.places.subarray(0, held).reduce((sum, place) => sum + (segment.alive[place] ?? 0), 0);
    },
  };
}

/** Finds the place of a page in a segment; -1 if it is not there. */
export function findPlace({ offsets, firstId }: OpenSegment, pageId: number): number {
  const place = findPlaceUpTo(offsets, pageId - firstId);
  return place >= 0 && offsets[place] === pageId - firstId ? place : -1;
}

function drop(segment: OpenSegment, pageId: number): void {
  const place = findPlace(segment, pageId);
  if (place < 0 || segment.alive[place] === 0) return;
  segment.alive[place] = 0;
  segment.gone += 1;
}
