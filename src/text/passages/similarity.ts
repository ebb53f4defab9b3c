import type { TokenTable } from '../embeddings/token-table.ts';
import type { PassageQuery } from '../query/passage-query.ts';
import type { ChunkTerms } from './chunk-terms.ts';
import { dotsOf, tokensOf, tokensOfPage } from './word-vectors.ts';

/** The mean cosine of two words of one text: with it the length of a sum of vectors follows from theirs. */
const COMMON = 0.12;
const WORD = /[\p{L}\p{N}]+/gu;
const QUERY_WORDS_MAX = 128;
/** What a word counts that is no term, against the heaviest term. */
const LEAST_WEIGHT = 0.15;

/** How alike in meaning the query is to each chunk, and to its best sentence. */
type Similarity = { chunk: Float64Array; sentence: Float64Array };

/**
 * Cosines with the query, from one dot product for each distinct token of the page: the vector of a text is the sum of those of its
 * words, so the dot product of a text is the sum of theirs. Only its length is estimated.
 */
export function similarity(
  page: ChunkTerms,
  asked: { query: PassageQuery; weights: Float64Array },
  table: TokenTable,
): Similarity {
  const chunks = page.from.length - 1;
  const out = {
    chunk: new Float64Array(chunks),
    sentence: new Float64Array(chunks),
  };
  const vector = vectorOf(asked.query, asked.weights, table);
  if (vector === null) return out;
  const words = weighWords(page, vector, table);
  for (let chunk = 0; chunk < chunks; chunk += 1) readChunk(page, { chunk, words, out });
  return out;
}

/** For each word its dot product with the query and its length. */
type Words = { dots: Float32Array; lengths: Float32Array };

function readChunk(
  { from, ids, sentences }: ChunkTerms,
  { chunk, words: { dots, lengths }, out }: { chunk: number; words: Words; out: Similarity },
): void {
  const whole = new Sum();
  const part = new Sum();
  let best = 0;
  let sentence = -1;
  const end = from[chunk + 1] ?? 0;
  for (let at = from[chunk] ?? 0; at < end; at += 1) {
    if (sentences[at] !== sentence) {
      best = Math.max(best, part.cosine());
      part.clear();
      sentence = sentences[at] ?? 0;
    }
    const id = ids[at] ?? 0;
    part.add(dots[id] ?? 0, lengths[id] ?? 0);
    whole.add(dots[id] ?? 0, lengths[id] ?? 0);
  }
  out.chunk[chunk] = whole.cosine();
  out.sentence[chunk] = Math.max(best, part.cosine());
}

/** A sum of word vectors, of which only the dot product with the query and the lengths are known. */
class Sum {
  #dot = 0;
  #length = 0;
  #squares = 0;

  add(dot: number, length: number): void {
    this.#dot += dot;
    this.#length += length;
    this.#squares += length * length;
  }

  clear(): void {
    this.#dot = 0;
    this.#length = 0;
    this.#squares = 0;
  }

  cosine(): number {
    const square = (1 - COMMON) * this.#squares + COMMON * this.#length * this.#length;
    return square > 0 ? this.#dot / Math.sqrt(square) : 0;
  }
}

function weighWords(page: ChunkTerms, asked: Float32Array, table: TokenTable): Words {
  const { lengths, tokens, from, distinct } = tokensOfPage(page, table);
  const ofToken = dotsOf(asked, distinct, table);
  const dots = new Float32Array(lengths.length);
  for (let word = 0; word < dots.length; word += 1) {
    let dot = 0;
    const end = from[word + 1] ?? 0;
    for (let at = from[word] ?? 0; at < end; at += 1) dot += ofToken[tokens[at] ?? 0] ?? 0;
    dots[word] = dot;
  }
  return { dots, lengths };
}

/**
 * The vector of a query, of length 1; null where no token of it counts. What most of the page is about tells its chunks apart as little
 * in meaning as in words, so a word counts by the weight of its term on the page.
 */
function vectorOf(query: PassageQuery, weights: Float64Array, table: TokenTable): Float32Array | null {
  const { dimensions, rows, scales } = table;
  const sum = new Float32Array(dimensions);
  const most = weights.reduce((largest, weight) => Math.max(largest, weight), 1e-9);
  const weightOf = new Map(query.words.map((word, term) => [word, (weights[term] ?? 0) / most]));
  for (const word of (query.text.toLowerCase().match(WORD) ?? []).slice(0, QUERY_WORDS_MAX)) {
    const weight = LEAST_WEIGHT + (weightOf.get(word) ?? 0);
    for (const id of tokensOf(word, table))
      for (let at = 0; at < dimensions; at += 1)
        sum[at] = (sum[at] ?? 0) + weight * (scales[id] ?? 0) * (rows[id * dimensions + at] ?? 0);
  }
  const length = Math.hypot(...sum);
  return length === 0 ? null : sum.map((value) => value / length);
}
