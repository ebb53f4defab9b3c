/** The codes of the parts of pages: of each dimension only its sign, one bit. */
export type PartCodes = {
  /** Adds or replaces the parts of a page. Once `PARTS_MAX` are held, further pages are left out. */
  put(id: number, vectors: Uint8Array): void;
  /** Pages that have a part close to a vector, the closest first. */
  closest(asked: Float32Array, accept: { admits(id: number): boolean; limit: number }): number[];
};

const BITS = 32;
/** 64 MB of codes with 256 dimensions. */
const PARTS_MAX = 2_000_000;
const GROWTH = 2;
const PARTS_AT_FIRST = 1_024;
const GONE = -1;

export function createPartCodes(dimensions: number): PartCodes {
  const words = Math.ceil(dimensions / BITS);
  let codes = new Uint32Array(PARTS_AT_FIRST * words);
  let owners = new Int32Array(PARTS_AT_FIRST);
  let count = 0;
  const places = new Map<number, { first: number; parts: number }>();

  const drop = (id: number): void => {
    const place = places.get(id);
    if (place !== undefined) owners.fill(GONE, place.first, place.first + place.parts);
    places.delete(id);
  };
  const distances = (asked: Uint32Array): Map<number, number> => {
    const nearest = new Map<number, number>();
    for (let part = 0; part < count; part += 1) {
      const id = owners[part] ?? GONE;
      if (id === GONE) continue;
      let distance = 0;
      for (let word = 0; word < words; word += 1)
        distance += bitsSet((codes[part * words + word] ?? 0) ^ (asked[word] ?? 0));
      if (distance < (nearest.get(id) ?? Number.POSITIVE_INFINITY)) nearest.set(id, distance);
    }
    return nearest;
  };
  return {
    put(id, vectors) {
      drop(id);
      const parts = Math.floor(vectors.length / dimensions);
      if (parts === 0 || count + parts > PARTS_MAX) return;
      while (count + parts > owners.length) {
        codes = grown(codes, new Uint32Array(codes.length * GROWTH));
        owners = grown(owners, new Int32Array(owners.length * GROWTH));
      }
      const values = new Int8Array(vectors.buffer, vectors.byteOffset, vectors.length);
      for (let part = 0; part < parts; part += 1) {
        codes.set(
          codeOf(values.subarray(part * dimensions, (part + 1) * dimensions)),
          (count + part) * words,
        );
        owners[count + part] = id;
      }
      places.set(id, { first: count, parts });
      count += parts;
    },
    closest(asked, { admits, limit }) {
      const ranked = [...distances(codeOf(asked))].sort(
        ([leftId, left], [rightId, right]) => left - right || leftId - rightId,
      );
      const found: number[] = [];
      for (const [id] of ranked) {
        if (found.length >= limit) break;
        if (admits(id)) found.push(id);
      }
      return found;
    },
  };
}

function grown<Values extends { set(values: Values): void }>(values: Values, larger: Values): Values {
  larger.set(values);
  return larger;
}

function codeOf(vector: ArrayLike<number>): Uint32Array {
  const code = new Uint32Array(Math.ceil(vector.length / BITS));
  for (let at = 0; at < vector.length; at += 1) {
    const word = Math.floor(at / BITS);
    if ((vector[at] ?? 0) > 0) code[word] = (code[word] ?? 0) | (1 << (at % BITS));
  }
  return code;
}

/** How many bits of 32 are set (Hacker's Delight, 5-1). */
function bitsSet(value: number): number {
  const pairs = value - ((value >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
