import type { TokenTable } from '../embeddings/token-table.ts';
import type { PassageQuery } from '../query/passage-query.ts';
import type { ChunkTerms } from './chunk-terms.ts';
import { addDots, type Pair, tokensOf, tokensOfPage } from './word-vectors.ts';

/** What each word of a query counts besides the weight of its term. */
const LEAST_WEIGHT = 0.15;
/** A heading further up says less about a chunk than its own. */
const ABOVE = 0.9;
/** Terms of a query: each is one bit of an integer elsewhere. */
const WORDS_MAX = 31;

type Asked = { query: PassageQuery; weights: Float64Array };
/** For each word of the query how near the nearest word of a text is. */
type Nearest = Float64Array;

/**
 * How well each of some chunks answers the query word by word: for every word of the query the nearest word of a sentence or of the
 * headings above it, 1 for the word itself, else the cosine of their vectors; the weighted mean of the best sentence. The other
 * chunks get the lowest value.
 */
export function alignment(
  page: ChunkTerms,
  asked: Asked,
  { table, among }: { table: TokenTable; among: readonly number[] },
): Float64Array {
  const nearness = nearnessOf(page, asked, table);
  const mean = meanBy(asked.weights);
  const values = new Map(among.map((chunk) => [chunk, bestSentence(page, chunk, { nearness, mean })]));
  const least = Math.min(...values.values());
  return Float64Array.from({ length: page.from.length - 1 }, (_, chunk) => values.get(chunk) ?? least);
}

type Reader = {
  nearness: (into: Nearest, id: number, share: number) => void;
  mean: (near: Nearest) => number;
};

function bestSentence(page: ChunkTerms, chunk: number, { nearness, mean }: Reader): number {
  const above = new Float64Array(WORDS_MAX);
  for (const id of page.headings[chunk] ?? []) nearness(above, id, ABOVE);
  for (const id of page.labels[chunk]?.at(-1) ?? []) nearness(above, id, 1);
  const near = above.slice();
  let best = mean(near);
  let sentence = -1;
  const end = page.from[chunk + 1] ?? 0;
  for (let at = page.from[chunk] ?? 0; at < end; at += 1) {
    if (page.sentences[at] !== sentence) {
      best = Math.max(best, mean(near));
      near.set(above);
      sentence = page.sentences[at] ?? 0;
    }
    nearness(near, page.ids[at] ?? 0, 1);
  }
  return Math.max(best, mean(near));
}

function meanBy(weights: Float64Array): (near: Nearest) => number {
  const most = weights.reduce((largest, weight) => Math.max(largest, weight), 1e-9);
  const shares = weights.map((weight) => LEAST_WEIGHT + weight / most);
  const total = shares.reduce((sum, share) => sum + share, 0) || 1;
  return (near) => shares.reduce((sum, share, word) => sum + share * (near[word] ?? 0), 0) / total;
}

/** Raises the nearness of the words of the query by a word of the page. Each word of the page is compared once. */
function nearnessOf(page: ChunkTerms, { query }: Asked, table: TokenTable): Reader['nearness'] {
  const count = query.terms.length;
  const pairs = inPairs(query.words.map((word) => keptVector(word, table)));
  const own = new Map(query.terms.map((term, word) => [term, word]));
  const known = new Float32Array(page.terms.length * count);
  const isKnown = new Uint8Array(page.terms.length);
  const sums = new Float64Array(pairs.length * 2);
  const { distinct, tokens, from, lengths } = tokensOfPage(page, table);
  const read = (id: number): void => {
    isKnown[id] = 1;
    const length = lengths[id] ?? 0;
    if (length > 0) {
      sums.fill(0);
      for (let at = from[id] ?? 0; at < (from[id + 1] ?? 0); at += 1)
        for (let pair = 0; pair < pairs.length; pair += 1)
          addDots(pairs[pair] as Pair, { id: distinct[tokens[at] ?? 0] ?? 0, table, sums, at: pair * 2 });
      for (let word = 0; word < count; word += 1)
        known[id * count + word] = Math.max(0, (sums[word] ?? 0) / length);
    }
    const same = own.get(page.terms[id] ?? '');
    if (same !== undefined) known[id * count + same] = 1;
  };
  return (into, id, share) => {
    if (isKnown[id] === 0) read(id);
    for (let word = 0; word < count; word += 1) {
      const value = share * (known[id * count + word] ?? 0);
      if (value > (into[word] ?? 0)) into[word] = value;
    }
  };
}

/** Vectors in pairs; the last may have zeros beside it. */
function inPairs(vectors: readonly Float64Array[]): Pair[] {
  const none = new Float64Array(vectors[0]?.length ?? 0);
  const pairs: Pair[] = [];
  for (let at = 0; at < vectors.length; at += 2) pairs.push([vectors[at] ?? none, vectors[at + 1] ?? none]);
  return pairs;
}

/** Words of queries whose vectors a thread remembers: a search asks the same of several pages. */
const VECTORS_KEPT_MAX = 64;
const vectorsKept = new WeakMap<TokenTable, Map<string, Float64Array>>();

function keptVector(word: string, table: TokenTable): Float64Array {
  const kept = vectorsKept.get(table) ?? new Map<string, Float64Array>();
  vectorsKept.set(table, kept);
  const known = kept.get(word);
  if (known !== undefined) return known;
  const vector = Float64Array.from(unitVector(word, table));
  if (kept.size >= VECTORS_KEPT_MAX) kept.clear();
  kept.set(word, vector);
  return vector;
}

/** The vector of a word, of length 1; all 0 where no token of it counts. */
function unitVector(word: string, table: TokenTable): Float32Array {
  const { dimensions, rows, scales } = table;
  const sum = new Float32Array(dimensions);
  for (const id of tokensOf(word, table))
    for (let at = 0; at < dimensions; at += 1)
      sum[at] = (sum[at] ?? 0) + (scales[id] ?? 0) * (rows[id * dimensions + at] ?? 0);
  const length = Math.hypot(...sum);
  return length === 0 ? sum : sum.map((value) => value / length);
}
