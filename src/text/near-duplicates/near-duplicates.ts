import { hashOf } from '../scoring/packed-words.ts';

const SHINGLE_WORDS = 3;
const SHINGLES_KEPT = 192;
/** Of fewer shingles nearly all must be shared. */
const SHINGLES_TELLING = 12;

const SHARED_MIN = 0.6;
const SHARED_MIN_SHORT = 0.95;
/** Texts of fewer terms (a title alone) are alike by chance too often to be called copies. */
const COPY_TERMS_MIN = 15;

/**
 * A sketch of a text: the smallest hashes of its runs of three words (Broder 1997, bottom-k), ascending. Two sketches show
 * how much of the smaller text the other contains.
 */
export function sketchOf(terms: readonly string[]): Uint32Array {
  return Uint32Array.from(new Set(shinglesOf(terms)))
    .sort()
    .slice(0, SHINGLES_KEPT);
}

function shinglesOf(terms: readonly string[]): number[] {
  const hashes = terms.map(hashOf);
  const shingles: number[] = [];
  for (let index = 0; index + SHINGLE_WORDS <= hashes.length; index += 1) {
    shingles.push(mix(hashes[index] ?? 0, hashes[index + 1] ?? 0, hashes[index + 2] ?? 0));
  }
  return shingles;
}

const mix = (first: number, second: number, third: number): number => {
  const mixed = Math.imul(Math.imul(first ^ 0x9e3779b9, 0x85ebca6b) + second, 0xc2b2ae35) + third;
  return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> 0;
};

/** Whether one text contains most of the other. */
export function nearDuplicates(left: Uint32Array, right: Uint32Array): boolean {
  // Below the smaller of the two bounds both sketches are complete.
  const bound = Math.min(boundOf(left), boundOf(right));
  let shared = 0;
  let inLeft = 0;
  let inRight = 0;
  while (inLeft < left.length || inRight < right.length) {
    const fromLeft = left[inLeft] ?? Number.POSITIVE_INFINITY;
    const fromRight = right[inRight] ?? Number.POSITIVE_INFINITY;
    if (Math.min(fromLeft, fromRight) > bound) break;
    if (fromLeft === fromRight) shared += 1;
    if (fromLeft <= fromRight) inLeft += 1;
    if (fromRight <= fromLeft) inRight += 1;
  }
  const smaller = Math.min(inLeft, inRight);
  if (smaller === 0) return false;
  return shared / smaller >= (smaller < SHINGLES_TELLING ? SHARED_MIN_SHORT : SHARED_MIN);
}

const boundOf = (sketch: Uint32Array): number =>
  sketch.length < SHINGLES_KEPT ? Number.POSITIVE_INFINITY : (sketch.at(-1) ?? 0);

/** The share of the runs of three words of one text that occur in another, from 0 to 1; 0 when there are too few to judge. */
export function containedShare(inner: readonly string[], outer: readonly string[]): number {
  const parts = new Set(shinglesOf(inner));
  if (parts.size < SHINGLES_TELLING) return 0;
  const whole = new Set(shinglesOf(outer));
  let shared = 0;
  for (const shingle of parts) if (whole.has(shingle)) shared += 1;
  return shared / parts.size;
}

/** Leaves out those whose text nearly repeats an earlier one's. `termsOf`: the words of a text, in order. */
export function foldCopies<One>(ordered: One[], termsOf: (one: One) => readonly string[]): One[] {
  const sketches: Uint32Array[] = [];
  return ordered.filter((one) => {
    const terms = termsOf(one);
    if (terms.length < COPY_TERMS_MIN) return true;
    const sketch = sketchOf(terms);
    if (sketches.some((other) => nearDuplicates(other, sketch))) return false;
    sketches.push(sketch);
    return true;
  });
}
