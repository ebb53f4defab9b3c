/*
 * segment   the postings of some pages, in the order of their ids: `first_id` to `last_id` overlaps with no other segment.
 *           `pages` holds the id and the day of the page at each place, `chunks` the first hash of each chunk.
 *           `is_whole`: false while a merge writes it; `touched_at`: when the merge last wrote to it.
 * posting   the chunks of a segment; id: segment * CHUNKS_MAX + number of the chunk
 * gone      pages that were removed from the index and are still in a segment; `seq` grows with every row
 *
 * A transaction that puts pages writes one small segment, so its pages can be found at once. Upkeep merges neighbours into larger
 * segments, in steps.
 */

import { DAY_MS } from '../../platform/clock.ts';
export const SEGMENT_SCHEMA = `
create table segment (
  id integer primary key autoincrement,
  first_id integer not null,
  last_id integer not null,
  count integer not null,
  is_whole integer not null,
  touched_at integer not null,
  pages blob not null,
  chunks blob not null
) strict;
create table posting (id integer primary key, data blob not null) strict;
create table gone (seq integer primary key autoincrement, page_id integer not null unique) strict;
`;

/** Maximum chunks per segment: 32 GB. */
export const CHUNKS_MAX = 2 ** 20;
/** A chunk is closed when its lists reach this size; a longer list gets its own chunk. */
export const CHUNK_BYTES = 24_576;
/** Maximum pages per segment that a transaction writes; more pages make another segment. */
export const FRESH_PAGES_MAX = 4_096;

const DAY_ORIGIN = Date.UTC(1900, 0, 1);
const DAY_LAST = 65_534;

/** Converts YYYY-MM-DD to days since 1900, from 1 on, clamped to the first and the last representable day. 0: no day. */
export function toDayNumber(day: string | null): number {
  const at = day === null ? Number.NaN : Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(at)) return 0;
  return Math.min(DAY_LAST, Math.max(1, Math.round((at - DAY_ORIGIN) / DAY_MS) + 1));
}

/** The page at each place of a segment: the offset of its id from the first one, and its day. */
export type SegmentPages = { offsets: Uint32Array; days: Uint16Array };

export function packPages({ offsets, days }: SegmentPages): Uint8Array {
  const bytes = new Uint8Array(offsets.byteLength + days.byteLength);
  bytes.set(toBytes(offsets));
  bytes.set(toBytes(days), offsets.byteLength);
  return bytes;
}

export function unpackPages(bytes: Uint8Array, count: number): SegmentPages {
  const { buffer } = bytes.slice();
  return {
    offsets: new Uint32Array(buffer, 0, count),
    days: new Uint16Array(buffer, count * Uint32Array.BYTES_PER_ELEMENT, count),
  };
}

export const packFirsts = (firsts: number[]): Uint8Array => toBytes(Uint32Array.from(firsts));

export const unpackFirsts = (bytes: Uint8Array): Uint32Array => new Uint32Array(bytes.slice().buffer);

const toBytes = ({ buffer, byteOffset, byteLength }: Uint32Array | Uint16Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Finds the place of the last entry that is at most `value`; -1 if all are above it. */
export function findPlaceUpTo(ascending: Uint32Array, value: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) <= value) low = middle + 1;
    else high = middle - 1;
  }
  return high;
}
