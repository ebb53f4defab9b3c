import { LRUCache } from 'lru-cache';
import type { TokenTable } from './token-table.ts';

/** Converts texts to vectors of length 1, so that their dot product is their cosine; all 0 for a text without a known token. */
export type Encoder = {
  /** Identifies the model; vectors of different models cannot be compared. */
  name: string;
  dimensions: number;
  /** Throws a RangeError for more than `TEXTS_MAX` texts. The vectors are shared: do not change them. */
  embed(texts: readonly string[]): Float32Array[];
};

const TEXTS_MAX = 20_000;
/** Maximum tokens read of a text: about 16,000 characters. */
const TOKENS_MAX = 4_096;
/** Longer texts are not cached: they are parts of pages, which rarely recur. */
const KEPT_CHARS_MAX = 200;
const KEPT_TEXTS_MAX = 2_000;

/**
 * Creates an encoder with a static model: the vector of a text is the mean of the vectors of its tokens. Vectors of short texts
 * (queries, headings) are cached.
 */
export function createStaticEncoder({ tokenize, dimensions, rows, scales }: TokenTable): Encoder {
  const kept = new LRUCache<string, Float32Array>({ max: KEPT_TEXTS_MAX });
  /** Occurrences of each token in the current text. */
  const counts = new Uint16Array(scales.length);
  return {
    name: `${dimensions}-${computeFingerprint(scales)}`,
    dimensions,
    embed(texts) {
      if (texts.length > TEXTS_MAX) throw new RangeError(`more than ${TEXTS_MAX} texts to embed`);
      return texts.map((text) => (text.length > KEPT_CHARS_MAX ? computeVector(text) : ensureVector(text)));
    },
  };

  function ensureVector(text: string): Float32Array {
    const before = kept.get(text);
    if (before !== undefined) return before;
    const vector = computeVector(text);
    kept.set(text, vector);
    return vector;
  }

  function computeVector(text: string): Float32Array {
    const sum = new Float64Array(dimensions);
    const distinct: number[] = [];
    for (const id of tokenize(text, TOKENS_MAX)) {
      if (counts[id] === 0) distinct.push(id);
      counts[id] = (counts[id] as number) + 1;
    }
    for (const id of distinct) {
      const scale = (counts[id] as number) * (scales[id] ?? 0);
      counts[id] = 0;
      let from = id * dimensions;
      for (let at = 0; at < dimensions; at += 1) {
        // Both indexes are within bounds.
        sum[at] = (sum[at] as number) + scale * (rows[from] as number);
        from += 1;
      }
    }
    return normalizeLength(sum);
  }
}

/** Hashes the bits of the values with FNV-1a (Fowler, Noll and Vo). */
function computeFingerprint(values: Float32Array): string {
  let hash = 0x811c9dc5;
  for (const bits of new Uint32Array(values.buffer, values.byteOffset, values.length))
    hash = Math.imul(hash ^ bits, 0x01000193);
  return (hash >>> 0).toString(16);
}

/** Returns the cosine of two vectors of length 1. */
export function computeCosine(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < left.length; at += 1) sum += (left[at] ?? 0) * (right[at] ?? 0);
  return sum;
}

function normalizeLength(sum: Float64Array): Float32Array {
  let squares = 0;
  for (const value of sum) squares += value * value;
  const length = Math.sqrt(squares) || 1;
  const vector = new Float32Array(sum.length);
  for (let at = 0; at < sum.length; at += 1) vector[at] = (sum[at] as number) / length;
  return vector;
}
