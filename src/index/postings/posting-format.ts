/*
 * The format of posting lists. A list holds the pages of one segment that contain a term, by their places in the segment:
 *
 *   list    varint count | count x varint (step to the next place << LEVEL_BITS | level)
 *   chunk   u32 terms | terms x (u32 hash, u32 end of its list) by hash | lists
 *
 * Little endian. Terms are stored only as hashes (`hashOf`), so a file does not contain the words. Two terms whose hashes collide
 * share a list; pages are scored by their own words afterwards.
 */
const LEVEL_BITS = 4;
/** The highest level: how much a term tells about a page, as far as the page alone decides. */
export const LEVEL_MAX = (1 << LEVEL_BITS) - 1;
const ENTRY_BYTES = 8;
const HEAD_BYTES = 4;

/** The postings of one term, places ascending. Reused for every list: only the first `count` entries are valid. */
export type Postings = { count: number; places: Uint32Array; levels: Uint8Array };

const POSTINGS_AT_FIRST = 1_024;

export const createPostings = (): Postings => ({
  count: 0,
  places: new Uint32Array(POSTINGS_AT_FIRST),
  levels: new Uint8Array(POSTINGS_AT_FIRST),
});

export function addPosting(postings: Postings, place: number, level: number): void {
  const { count } = postings;
  if (count === postings.places.length) makeRoom(postings, count * 2);
  postings.places[count] = place;
  postings.levels[count] = level;
  postings.count = count + 1;
}

function makeRoom(postings: Postings, length: number): void {
  const [places, levels] = [new Uint32Array(length), new Uint8Array(length)];
  places.set(postings.places.subarray(0, postings.count));
  levels.set(postings.levels.subarray(0, postings.count));
  Object.assign(postings, { places, levels });
}

/** Bytes that grow as they are written. */
class Bytes {
  bytes = new Uint8Array(1 << 16);
  length = 0;

  varint(value: number): void {
    if (this.length + 8 > this.bytes.length) this.#grow(this.bytes.length * 2);
    let rest = value;
    while (rest > 0x7f) {
      this.bytes[this.length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.bytes[this.length++] = rest;
  }

  #grow(length: number): void {
    const larger = new Uint8Array(length);
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }
}

/** A chunk under construction, its terms in the order of their hashes. */
type ChunkBuilder = {
  /** Bytes of its lists so far. */
  size(): number;
  add(hash: number, postings: Postings): void;
  /** Returns the first hash and the chunk, and empties the builder; null if it has no term. */
  take(): { first: number; data: Uint8Array } | null;
};

export function createChunkBuilder(): ChunkBuilder {
  const lists = new Bytes();
  let entries: number[] = [];
  return {
    size: () => lists.length,
    add(hash, { count, places, levels }) {
      lists.varint(count);
      let last = 0;
      for (let at = 0; at < count; at += 1) {
        const place = places[at] ?? 0;
        lists.varint((((place - last) << LEVEL_BITS) | (levels[at] ?? 0)) >>> 0);
        last = place;
      }
      entries.push(hash, lists.length);
    },
    take() {
      const [first] = entries;
      if (first === undefined) return null;
      const head = HEAD_BYTES + entries.length * (ENTRY_BYTES / 2);
      const data = new Uint8Array(head + lists.length);
      const view = new DataView(data.buffer);
      view.setUint32(0, entries.length / 2, true);
      for (const [at, value] of entries.entries()) view.setUint32(HEAD_BYTES + at * 4, value, true);
      data.set(lists.bytes.subarray(0, lists.length), head);
      lists.length = 0;
      entries = [];
      return { first, data };
    },
  };
}

/** A chunk opened for reading. */
export type PostingChunk = { data: Uint8Array; view: DataView; terms: number };

export function openChunk(data: Uint8Array): PostingChunk {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return { data, view, terms: view.getUint32(0, true) };
}

export const readHash = ({ view }: PostingChunk, term: number): number =>
  view.getUint32(HEAD_BYTES + term * ENTRY_BYTES, true);

/** Finds the index of the term with a hash; -1 if the chunk has none. */
export function findTerm(chunk: PostingChunk, hash: number): number {
  let low = 0;
  let high = chunk.terms - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = readHash(chunk, middle);
    if (found === hash) return middle;
    if (found < hash) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

function findListStart({ view, terms }: PostingChunk, term: number): number {
  const before = term === 0 ? 0 : view.getUint32(HEAD_BYTES + term * ENTRY_BYTES - 4, true);
  return HEAD_BYTES + terms * ENTRY_BYTES + before;
}

/** Reads the number of pages of a term. */
export function readCount(chunk: PostingChunk, term: number): number {
  let offset = findListStart(chunk, term);
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = chunk.data[offset++] ?? 0;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
}

/** Reads the list of a term into `into`. */
export function readPostings(chunk: PostingChunk, term: number, into: Postings): void {
  const { data } = chunk;
  const count = readCount(chunk, term);
  into.count = 0;
  if (count > into.places.length) makeRoom(into, count * 2);
  const { places, levels } = into;
  let offset = findListStart(chunk, term);
  while ((data[offset++] ?? 0) >= 0x80);
  let place = 0;
  for (let at = 0; at < count; at += 1) {
    let byte = data[offset++] ?? 0;
    let value = byte & 0x7f;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = data[offset++] ?? 0;
      value |= (byte & 0x7f) << shift;
    }
    place += value >>> LEVEL_BITS;
    places[at] = place;
    levels[at] = value & LEVEL_MAX;
  }
  into.count = count;
}
