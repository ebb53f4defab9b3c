/**
 * Detects copies among pages and results, by one rule: two texts are copies when one contains most of the other's runs of three
 * words. What "most" is depends on how much of the texts is known: a copy with its own header and
 * comments still shares most of a whole text, short texts share runs by chance, and a snippet shows only the part that matches the query.
 * It compares words only, not meaning.
 */
import { hashTerm } from '../words/hashed/hash-terms.ts';

const RUN_WORDS = 3;
/** With fewer runs than this, nearly all must be shared, or the texts are too short to judge. */
const RUNS_TELLING = 12;
/** Minimum share of the smaller text's runs that the other must contain, for whole texts and passages. */
const TEXT_SHARED_MIN = 0.6;
const SHORT_TEXT_SHARED_MIN = 0.95;
/** Minimum shared runs of two texts whose addresses differ only in a version. */
const VERSION_SHARED_MIN = 0.25;
/** Minimum shared runs of two snippets: sources cut them out of a page at different places, and their titles identify the page. */
const SNIPPET_SHARED_MIN = 0.8;
const TITLE_SHARED_MIN = 0.6;
/** Texts of fewer terms (a title alone) match by chance too often to be called copies. */
const COPY_TERMS_MIN = 15;
const SKETCH_RUNS = 192;

/** Hashes of the three-word runs of a text. */
export type Runs = ReadonlySet<number>;

export const buildRuns = (terms: readonly string[]): Runs => buildRunsFromHashes(terms.map(hashTerm));

function buildRunsFromHashes(hashes: ArrayLike<number>): ReadonlySet<number> {
  const runs = new Set<number>();
  for (let index = 0; index + RUN_WORDS <= hashes.length; index += 1)
    runs.add(mix(hashes[index] ?? 0, hashes[index + 1] ?? 0, hashes[index + 2] ?? 0));
  return runs;
}

const mix = (first: number, second: number, third: number): number => {
  const mixed = Math.imul(Math.imul(first ^ 0x9e3779b9, 0x85ebca6b) + second, 0xc2b2ae35) + third;
  return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> 0;
};

/** True when `outer` has at least this share of `inner`. Gives up early: most texts differ in their first few runs. */
function contains(outer: ReadonlySet<unknown>, inner: ReadonlySet<unknown>, shareMin: number): boolean {
  let missing = inner.size - Math.ceil(shareMin * inner.size);
  for (const value of inner) {
    if (outer.has(value)) continue;
    missing -= 1;
    if (missing < 0) return false;
  }
  return true;
}

/** True when `outer` contains most of `inner`; false when `inner` is too short to judge. */
export const isContained = (inner: Runs, outer: Runs): boolean =>
  inner.size >= RUNS_TELLING && contains(outer, inner, TEXT_SHARED_MIN);

/** Title words and snippet runs of a result, for comparing it with others. */
export type SnippetRuns = { title: ReadonlySet<string>; snippet: Runs };

export const buildSnippetRuns = (title: readonly string[], snippet: readonly string[]): SnippetRuns => ({
  title: new Set(title),
  snippet: buildRuns(snippet),
});

/** True when two results show the same text: one snippet contains most of the other, and one title most words of the other. */
export function isSameResult(one: SnippetRuns, other: SnippetRuns): boolean {
  if (Math.min(one.snippet.size, other.snippet.size) < RUNS_TELLING) return false;
  return (
    containsSmaller(one.snippet, other.snippet, SNIPPET_SHARED_MIN) &&
    containsSmaller(one.title, other.title, TITLE_SHARED_MIN)
  );
}

const containsSmaller = (
  one: ReadonlySet<unknown>,
  other: ReadonlySet<unknown>,
  shareMin: number,
): boolean => (one.size <= other.size ? contains(other, one, shareMin) : contains(one, other, shareMin));

/**
 * Builds a sketch of a text for later comparison: the smallest of its run hashes (Broder 1997, bottom-k), ascending. Two sketches
 * tell how much of the smaller text the other contains.
 */
export function buildSketch(terms: readonly string[]): Uint32Array {
  return buildSketchFromHashes(terms.map(hashTerm));
}

/** Like `buildSketch`, for terms given by their hashes. */
export function buildSketchFromHashes(hashes: ArrayLike<number>): Uint32Array {
  const runs = new Uint32Array(Math.max(0, hashes.length - RUN_WORDS + 1));
  for (let at = 0; at < runs.length; at += 1)
    runs[at] = mix(hashes[at] ?? 0, hashes[at + 1] ?? 0, hashes[at + 2] ?? 0);
  runs.sort();
  let kept = 0;
  for (let at = 0; at < runs.length && kept < SKETCH_RUNS; at += 1)
    if (kept === 0 || runs[at] !== runs[kept - 1]) runs[kept++] = runs[at] as number;
  return runs.slice(0, kept);
}

/** Compares sketches: true when one text contains most of the other. */
export function isNearDuplicate(left: Uint32Array, right: Uint32Array): boolean {
  const { shared, smaller } = compareSketches(left, right, TEXT_SHARED_MIN);
  if (smaller === 0) return false;
  return shared / smaller >= (smaller < RUNS_TELLING ? SHORT_TEXT_SHARED_MIN : TEXT_SHARED_MIN);
}

/** Compares sketches: true when two texts whose addresses differ in a version share enough to be versions of one page. */
export function isVersionOfSameText(left: Uint32Array, right: Uint32Array): boolean {
  const { shared, smaller } = compareSketches(left, right, VERSION_SHARED_MIN);
  return smaller > 0 && shared / smaller >= VERSION_SHARED_MIN;
}

/**
 * Counts the runs of the smaller of two texts among those that both sketches cover (`smaller`), and those of them that the other
 * has too (`shared`). Stops when the share can no longer reach `shareMin`.
 */
function compareSketches(
  left: Uint32Array,
  right: Uint32Array,
  shareMin: number,
): { shared: number; smaller: number } {
  // Below the smaller of the two bounds both sketches are complete.
  const bound = Math.min(findBound(left), findBound(right));
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
    // Different texts differ in their first runs.
    if (inLeft - shared > countMissable(left, shareMin) && inRight - shared > countMissable(right, shareMin))
      break;
  }
  return { shared, smaller: Math.min(inLeft, inRight) };
}

/** Maximum runs that a text may have and the other lack; beyond it the two share too little, however the rest compares. */
const countMissable = ({ length }: Uint32Array, shareMin: number): number => length * (1 - shareMin) + 1;

const findBound = (sketch: Uint32Array): number =>
  sketch.length < SKETCH_RUNS ? Number.POSITIVE_INFINITY : (sketch.at(-1) ?? 0);

/** Drops items whose text nearly repeats that of an earlier one. `termsOf` returns the words of a text, in order. */
export function foldCopies<One>(ordered: One[], termsOf: (one: One) => readonly string[]): One[] {
  const sketches: Uint32Array[] = [];
  return ordered.filter((one) => {
    const terms = termsOf(one);
    if (terms.length < COPY_TERMS_MIN) return true;
    const sketch = buildSketch(terms);
    if (sketches.some((other) => isNearDuplicate(other, sketch))) return false;
    sketches.push(sketch);
    return true;
  });
}
