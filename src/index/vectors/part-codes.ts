import { unpackVectors } from './packed-vectors.ts';

/** Binary codes of the parts of pages: one bit per dimension, its sign. */
export type PartCodes = {
  /** Adds or replaces the parts of a page, given as packed vectors. Once `PARTS_MAX` parts are held, further pages are left out. */
  put(id: number, vectors: Uint8Array): void;
  /** Number of pages held, including those removed from the index since. */
  pages(): number;
  /** Finds pages that have a part close to a vector, the closest first. */
  closest(asked: Float32Array, accept: { admits(id: number): boolean; limit: number }): number[];
};

const BITS = 32;
/** Maximum parts held: 64 MB of codes with 256 dimensions. */
const PARTS_MAX = 2_000_000;
const GROWTH = 2;
const PARTS_AT_FIRST = 1_024;
const GONE = -1;

/** Codes of parts, those of one page contiguous; `live` of them belong to a page. */
type CodeTable = {
  words: number;
  codes: Uint32Array;
  owners: Int32Array;
  count: number;
  live: number;
  places: Map<number, { first: number; parts: number }>;
};

export function createPartCodes(dimensions: number): PartCodes {
  const words = Math.ceil(dimensions / BITS);
  const held: CodeTable = {
    words,
    codes: new Uint32Array(PARTS_AT_FIRST * words),
    owners: new Int32Array(PARTS_AT_FIRST),
    count: 0,
    live: 0,
    places: new Map(),
  };
  return {
    put(id, vectors) {
      drop(held, id);
      const values = unpackVectors(vectors);
      const parts = Math.floor(values.length / dimensions);
      if (parts === 0 || held.live + parts > PARTS_MAX) return;
      makeRoom(held, parts);
      for (let part = 0; part < parts; part += 1) {
        const code = computeCode(values.subarray(part * dimensions, (part + 1) * dimensions));
        held.codes.set(code, (held.count + part) * words);
        held.owners[held.count + part] = id;
      }
      held.places.set(id, { first: held.count, parts });
      held.count += parts;
      held.live += parts;
    },
    pages: () => held.places.size,
    closest(asked, { admits, limit }) {
      const found: number[] = [];
      for (const ids of groupByDistance(held, computeCode(asked))) {
        for (const id of ids.sort((left, right) => left - right)) {
          if (found.length >= limit) return found;
          if (admits(id)) found.push(id);
        }
      }
      return found;
    },
  };
}

function drop(held: CodeTable, id: number): void {
  const place = held.places.get(id);
  if (place === undefined) return;
  held.owners.fill(GONE, place.first, place.first + place.parts);
  held.live -= place.parts;
  held.places.delete(id);
}

/** Compacts the table if at least half of it is gaps, otherwise enlarges it. */
function makeRoom(held: CodeTable, parts: number): void {
  while (held.count + parts > held.owners.length) {
    if (held.live * 2 <= held.count) {
      compact(held);
      continue;
    }
    held.codes = copyInto(held.codes, new Uint32Array(held.codes.length * GROWTH));
    held.owners = copyInto(held.owners, new Int32Array(held.owners.length * GROWTH));
  }
}

function compact(held: CodeTable): void {
  const { words, codes, owners, places } = held;
  let count = 0;
  for (let part = 0; part < held.count; part += 1) {
    const id = owners[part] ?? GONE;
    const place = places.get(id);
    if (id === GONE || place === undefined) continue;
    if (place.first === part) place.first = count;
    codes.copyWithin(count * words, part * words, (part + 1) * words);
    owners[count] = id;
    count += 1;
  }
  held.count = count;
}

function copyInto<Values extends { set(values: Values): void }>(values: Values, larger: Values): Values {
  larger.set(values);
  return larger;
}

/** Groups pages by the distance of their closest part. */
function groupByDistance({ words, codes, owners, count }: CodeTable, asked: Uint32Array): number[][] {
  const bits = words * BITS;
  const pages = Array.from({ length: bits + 1 }, (): number[] => []);
  for (let part = 0; part < count; ) {
    const id = owners[part] ?? GONE;
    let nearest = bits;
    for (; part < count && owners[part] === id; part += 1)
      nearest = Math.min(nearest, measureDistance(codes, part * words, asked));
    if (id !== GONE) pages[nearest]?.push(id);
  }
  return pages;
}

function computeCode(vector: ArrayLike<number>): Uint32Array {
  const code = new Uint32Array(Math.ceil(vector.length / BITS));
  for (let at = 0; at < vector.length; at += 1) {
    const word = Math.floor(at / BITS);
    if ((vector[at] ?? 0) > 0) code[word] = (code[word] ?? 0) | (1 << (at % BITS));
  }
  return code;
}

function measureDistance(codes: Uint32Array, start: number, asked: Uint32Array): number {
  let distance = 0;
  for (let word = 0; word < asked.length; word += 1)
    distance += countBits((codes[start + word] ?? 0) ^ (asked[word] ?? 0));
  return distance;
}

/** Counts the set bits of a 32-bit integer (Hacker's Delight, 5-1). */
function countBits(value: number): number {
  const pairs = value - ((value >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
