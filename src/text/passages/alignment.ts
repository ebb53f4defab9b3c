import type { TokenTable } from '../embeddings/token-table.ts';
import type { PassageQuery } from '../query/passage-query.ts';
import type { ChunkTerms } from './chunk-terms.ts';
import { computeDots, readPageTokens, tokenizeWord } from './word-vectors.ts';

/** Weight of each query word in addition to that of its term. */
const LEAST_WEIGHT = 0.15;
/** Factor for headings further up, which say less about a chunk than its own heading. */
const ABOVE = 0.9;
/** Maximum terms of a query: each is one bit of an integer elsewhere. */
const WORDS_MAX = 31;

type AlignmentQuery = { query: PassageQuery; weights: Float64Array };
/** For each word of the query, the similarity of the nearest word of a text. */
type Nearest = Float64Array;

/**
 * Scores how well each chunk in `among` answers the query word by word. Each query word is matched with the nearest word of a
 * sentence or of the headings above it: 1 for the word itself, else the cosine of their vectors. The score is the weighted mean for
 * the best sentence. The other chunks get the lowest value.
 */
export function scoreAlignment(
  page: ChunkTerms,
  asked: AlignmentQuery,
  { table, among }: { table: TokenTable; among: readonly number[] },
): Float64Array {
  const nearness = createNearness(page, asked, { table, among });
  const mean = createMean(asked.weights);
  const values = new Map(among.map((chunk) => [chunk, scoreBestSentence(page, chunk, { nearness, mean })]));
  const least = Math.min(...values.values());
  return Float64Array.from({ length: page.from.length - 1 }, (_, chunk) => values.get(chunk) ?? least);
}

type Reader = {
  nearness: (into: Nearest, id: number, share: number) => void;
  mean: (near: Nearest) => number;
};

function scoreBestSentence(page: ChunkTerms, chunk: number, { nearness, mean }: Reader): number {
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

function createMean(weights: Float64Array): (near: Nearest) => number {
  const most = weights.reduce((largest, weight) => Math.max(largest, weight), 1e-9);
  const shares = weights.map((weight) => LEAST_WEIGHT + weight / most);
  const total = shares.reduce((sum, share) => sum + share, 0) || 1;
  return (near) => shares.reduce((sum, share, word) => sum + share * (near[word] ?? 0), 0) / total;
}

type ChunkSelection = { table: TokenTable; among: readonly number[] };

/** Creates a function that raises the nearness of the query words to at least their similarity to a word of the page. */
function createNearness(
  page: ChunkTerms,
  { query }: AlignmentQuery,
  { table, among }: ChunkSelection,
): Reader['nearness'] {
  const count = query.terms.length;
  const known = new Float32Array(page.terms.length * count);
  const { distinct, tokens, from, lengths } = readPageTokens(page, table);
  const words = collectWords(page, among);
  const { ids, placeOf } = collectTokens(words, { distinct, tokens, from });
  for (const [asked, word] of query.words.entries()) {
    const dots = computeDots(ensureVector(word, table), ids, table);
    for (const id of words) {
      let sum = 0;
      const end = from[id + 1] as number;
      for (let at = from[id] as number; at < end; at += 1)
        sum += dots[placeOf[tokens[at] as number] as number] as number;
      const length = lengths[id] as number;
      if (length > 0 && sum > 0) known[id * count + asked] = sum / length;
    }
  }
  const own = new Map(query.terms.map((term, word) => [term, word]));
  for (const id of words) {
    const same = own.get(page.terms[id] ?? '');
    if (same !== undefined) known[id * count + same] = 1;
  }
  return (into, id, share) => {
    for (let word = 0; word < count; word += 1) {
      const value = share * (known[id * count + word] as number);
      if (value > (into[word] as number)) into[word] = value;
    }
  };
}

/** Returns the distinct words of some chunks and of the headings above them. */
function collectWords(page: ChunkTerms, among: readonly number[]): number[] {
  const words: number[] = [];
  const isIn = new Uint8Array(page.terms.length);
  const take = (id: number): void => {
    if (isIn[id] === 1) return;
    isIn[id] = 1;
    words.push(id);
  };
  for (const chunk of among) {
    const end = page.from[chunk + 1] ?? 0;
    for (let at = page.from[chunk] ?? 0; at < end; at += 1) take(page.ids[at] as number);
    page.headings[chunk]?.forEach(take);
    page.labels[chunk]?.at(-1)?.forEach(take);
  }
  return words;
}

type Tokens = { distinct: Int32Array; tokens: Int32Array; from: Int32Array };

/** Returns the distinct tokens of words, and for each token of the page its index among them. */
function collectTokens(
  words: readonly number[],
  { distinct, tokens, from }: Tokens,
): { ids: Int32Array; placeOf: Int32Array } {
  const ids = new Int32Array(distinct.length);
  const placeOf = new Int32Array(distinct.length).fill(-1);
  let count = 0;
  for (const word of words) {
    const end = from[word + 1] as number;
    for (let at = from[word] as number; at < end; at += 1) {
      const token = tokens[at] as number;
      if (placeOf[token] !== -1) continue;
      placeOf[token] = count;
      ids[count] = distinct[token] as number;
      count += 1;
    }
  }
  return { ids: ids.subarray(0, count), placeOf };
}

/** Maximum cached vectors of query words: a search asks the same of several pages. */
const VECTORS_KEPT_MAX = 64;
const vectorsKept = new WeakMap<TokenTable, Map<string, Float32Array>>();

function ensureVector(word: string, table: TokenTable): Float32Array {
  const kept = vectorsKept.get(table) ?? new Map<string, Float32Array>();
  vectorsKept.set(table, kept);
  const known = kept.get(word);
  if (known !== undefined) return known;
  const vector = computeUnitVector(word, table);
  if (kept.size >= VECTORS_KEPT_MAX) kept.clear();
  kept.set(word, vector);
  return vector;
}

/** Computes the vector of a word, of length 1; all 0 when none of its tokens counts. */
function computeUnitVector(word: string, table: TokenTable): Float32Array {
  const { dimensions, rows, scales } = table;
  const sum = new Float32Array(dimensions);
  for (const id of tokenizeWord(word, table))
    for (let at = 0; at < dimensions; at += 1)
      sum[at] = (sum[at] ?? 0) + (scales[id] ?? 0) * (rows[id * dimensions + at] ?? 0);
  const length = Math.hypot(...sum);
  return length === 0 ? sum : sum.map((value) => value / length);
}
