import type { DatabaseSync } from 'node:sqlite';
import {
  addPosting,
  createChunkBuilder,
  createPostings,
  openChunk,
  type PostingChunk,
  readHash,
  readPostings,
} from './posting-format.ts';
import {
  CHUNK_BYTES,
  CHUNKS_MAX,
  packFirsts,
  packPages,
  type SegmentPages,
  unpackFirsts,
  unpackPages,
} from './segment-schema.ts';

/** Merges segments in steps, each of which is a transaction of some milliseconds. */
type Merges = {
  /** Runs one step of merging; returns whether there is more to do. */
  step(): boolean;
  /** Makes further steps also rewrite the segments that contain removed pages. */
  scrub(): void;
  /** Does the same if the postings of removed pages take considerable room; returns whether segments are being rewritten. */
  reclaim(): boolean;
};

/** A running merge: the segment that it writes, and the last removal that it has taken into account. */
type Merge = {
  target: number;
  inputs: number[];
  lists: MergedLists;
  pages: SegmentPages;
  firstId: number;
  lastId: number;
  goneTo: number;
  firsts: number[];
};

/** Duration of a step, which writes at least one chunk. */
const STEP_MS = 10;
/** Steps are longer while more segments than this wait, because writing outpaces merging. */
const BEHIND = { segments: 64, stepMs: 60 };
/** A merge that a process left unfinished is dropped after this time. */
const ABANDONED_MS = 600_000;
const CHUNKS_DELETED_PER_STEP = 64;
const MANY_GONE = { least: 1_000, share: 0.1 };
/** The share of removed pages from which segments are rewritten when room is short. */
const RECLAIMED_SHARE = 0.03;

export function createMerges(database: DatabaseSync): Merges {
  const statements = prepare(database);
  let merge: Merge | null = null;
  let isScrubbing = false;

  const begin = (): boolean => {
    const segments = statements.segments.all() as { id: number; count: number }[];
    const withGone = isScrubbing || hasManyGone(statements) ? statements.mostGone.get()?.id : undefined;
    const chosen = chooseMerge(
      segments.map(({ id, count }) => ({ id, count })),
      withGone === undefined ? null : Number(withGone),
    );
    if (chosen.length === 0) return false;
    merge = beginMerge(statements, chosen);
    return true;
  };
  const proceed = (running: Merge): void => {
    const { count } = statements.counted.get() as { count: number };
    const until = performance.now() + (count > BEHIND.segments ? BEHIND.stepMs : STEP_MS);
    statements.touch.run(Date.now(), running.target);
    do {
      const chunk = running.lists.next();
      if (chunk === null) {
        finishMerge(statements, running);
        merge = null;
        return;
      }
      statements.insertChunk.run(running.target * CHUNKS_MAX + running.firsts.length, chunk.data);
      running.firsts.push(chunk.first);
    } while (performance.now() < until);
  };
  return {
    scrub() {
      isScrubbing = true;
    },
    reclaim() {
      const { pages, gone } = countGonePages(statements);
      isScrubbing ||= gone > pages * RECLAIMED_SHARE;
      return isScrubbing;
    },
    step() {
      database.exec('begin immediate');
      try {
        if (merge !== null && statements.isOurs.get(merge.target) === undefined) merge = null;
        const isMerging = merge !== null || begin();
        if (merge !== null) proceed(merge);
        const hasMore = isMerging || deleteLeftOver(statements);
        database.exec('commit');
        if (!hasMore) isScrubbing = false;
        return hasMore;
      } catch (error) {
        merge = null;
        database.exec('rollback');
        throw error;
      }
    },
  };
}

type Statements = ReturnType<typeof prepare>;

function countGonePages(statements: Statements): { pages: number; gone: number } {
  return statements.shares.get() as { pages: number; gone: number };
}

function hasManyGone(statements: Statements): boolean {
  const { pages, gone } = countGonePages(statements);
  return gone > MANY_GONE.least && gone > pages * MANY_GONE.share;
}

function prepare(database: DatabaseSync) {
  return {
    segments: database.prepare('select id, count from segment where is_whole = 1 order by first_id'),
    counted: database.prepare('select count(*) as count from segment where is_whole = 1'),
    shares: database.prepare('select pages, (select count(*) from gone) as gone from total'),
    mostGone: database.prepare(
      `select id, (select count(*) from gone where page_id between first_id and last_id) as gone from segment
       where is_whole = 1 and gone > 0 order by cast(gone as real) / count desc limit 1`,
    ),
    row: database.prepare(
      'select first_id, last_id, count, pages, chunks from segment where id = ? and is_whole = 1',
    ),
    goneWithin: database.prepare('select seq, page_id from gone where page_id between ? and ?'),
    chunk: database.prepare('select data from posting where id = ?'),
    insert: database.prepare(
      "insert into segment (first_id, last_id, count, is_whole, touched_at, pages, chunks) values (?, ?, ?, 0, ?, x'', x'')",
    ),
    isOurs: database.prepare('select 1 from segment where id = ? and is_whole = 0'),
    touch: database.prepare('update segment set touched_at = ? where id = ?'),
    insertChunk: database.prepare('insert into posting (id, data) values (?, ?)'),
    finish: database.prepare('update segment set is_whole = 1, pages = ?, chunks = ? where id = ?'),
    remove: database.prepare('delete from segment where id = ?'),
    forgetGone: database.prepare('delete from gone where page_id between ? and ? and seq <= ?'),
    abandoned: database.prepare('delete from segment where is_whole = 0 and touched_at < ?'),
    nextChunk: database.prepare('select id from posting where id >= ? order by id limit 1'),
    isSegment: database.prepare('select 1 from segment where id = ?'),
    deleteChunks: database.prepare(
      'delete from posting where id in (select id from posting where id >= ? and id < ? order by id limit ?)',
    ),
  };
}

function beginMerge(statements: Statements, ids: number[]): Merge {
  const inputs: MergeInput[] = [];
  const [offsets, days]: [number[], number[]] = [[], []];
  let [firstId, lastId, goneTo] = [-1, 0, 0];
  for (const id of ids) {
    const found = statements.row.get(id) ?? {};
    const count = Number(found.count);
    const first = Number(found.first_id);
    if (firstId < 0) firstId = first;
    lastId = Number(found.last_id);
    const gone = statements.goneWithin.all(first, lastId) as { seq: number; page_id: number }[];
    goneTo = gone.reduce((last, { seq }) => Math.max(last, seq), goneTo);
    const left = new Set(gone.map(({ page_id: pageId }) => pageId));
    const pages = unpackPages(found.pages as Uint8Array, count);
    const places = new Int32Array(count).fill(-1);
    for (let place = 0; place < count; place += 1) {
      const pageId = first + (pages.offsets[place] ?? 0);
      if (left.has(pageId)) continue;
      places[place] = offsets.length;
      offsets.push(pageId - firstId);
      days.push(pages.days[place] ?? 0);
    }
    const chunks = unpackFirsts(found.chunks as Uint8Array).length;
    inputs.push({
      places,
      chunks,
      chunk: (number) => statements.chunk.get(id * CHUNKS_MAX + number)?.data as Uint8Array,
    });
  }
  const { lastInsertRowid } = statements.insert.run(firstId, lastId, offsets.length, Date.now());
  return {
    target: Number(lastInsertRowid),
    inputs: ids,
    lists: createMergedLists(inputs),
    firsts: [],
    pages: { offsets: Uint32Array.from(offsets), days: Uint16Array.from(days) },
    firstId,
    lastId,
    goneTo,
  };
}

/** The new segment takes the place of its inputs, unless another process has merged one of them in the meantime. */
function finishMerge(
  statements: Statements,
  { target, inputs, pages, firsts, firstId, lastId, goneTo }: Merge,
): void {
  if (inputs.some((id) => statements.row.get(id) === undefined)) {
    statements.remove.run(target);
    return;
  }
  for (const id of inputs) statements.remove.run(id);
  if (pages.offsets.length === 0) statements.remove.run(target);
  else statements.finish.run(packPages(pages), packFirsts(firsts), target);
  statements.forgetGone.run(firstId, lastId, goneTo);
}

/** Deletes some chunks of segments that no longer exist; returns whether there were any. */
function deleteLeftOver(statements: Statements): boolean {
  statements.abandoned.run(Date.now() - ABANDONED_MS);
  for (let from = 0; ; ) {
    const found = statements.nextChunk.get(from)?.id;
    if (found === undefined) return false;
    const segment = Math.floor(Number(found) / CHUNKS_MAX);
    from = (segment + 1) * CHUNKS_MAX;
    if (statements.isSegment.get(segment) !== undefined) continue;
    statements.deleteChunks.run(segment * CHUNKS_MAX, from, CHUNKS_DELETED_PER_STEP);
    return true;
  }
}

type Mergeable = { id: number; count: number };

/** A segment is merged with those after it when together they are at least RUN_MIN, and those after it hold GROWTH times its pages. */
const RUN_MIN = 8;
const GROWTH = 3;

/**
 * Pure: chooses the neighbouring segments to merge, from all segments in the order of their pages; empty if none. A segment is
 * rewritten only by a merge that makes it `GROWTH` + 1 times as large, so the number of times that a page is written grows with the
 * logarithm of the number of pages, however large the oldest segment is. `withGone`: a segment to rewrite if there is nothing else to do.
 */
export function chooseMerge(segments: readonly Mergeable[], withGone: number | null): number[] {
  let later = segments.reduce((sum, { count }) => sum + count, 0);
  for (let at = 0; at + RUN_MIN <= segments.length; at += 1) {
    const { count = 0 } = segments[at] ?? {};
    later -= count;
    if (later >= GROWTH * count) return segments.slice(at).map(({ id }) => id);
  }
  return withGone === null ? [] : [withGone];
}

/** A segment to merge: its chunks in order, and the place of each of its pages in the new segment; -1: the page was removed. */
type MergeInput = { places: Int32Array; chunks: number; chunk(number: number): Uint8Array };

/** The chunks of the new segment, one at a time. */
type MergedLists = { next(): { first: number; data: Uint8Array } | null };

type Cursor = { input: MergeInput; number: number; chunk: PostingChunk | null; term: number };

/** Merges the posting lists of consecutive segments term by term. Holds one chunk of each. */
function createMergedLists(inputs: MergeInput[]): MergedLists {
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
