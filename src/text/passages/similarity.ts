import type { TokenTable } from '../embeddings/token-table.ts';
import type { PassageQuery } from '../query/passage-query.ts';
import type { ChunkTerms } from './chunk-terms.ts';

/** The mean cosine of two words of one text: with it the length of a sum of vectors follows from theirs. */
const COMMON = 0.12;
const WORD = /[\p{L}\p{N}]+/gu;
const QUERY_WORDS_MAX = 128;
/** What a word counts that is no term, against the heaviest term. */
const LEAST_WEIGHT = 0.15;
const WORD_TOKENS_MAX = 16;

/** How alike in meaning the query is to each chunk, to its best sentence, and to the best of what names its parts. */
type Similarity = { chunk: Float64Array; sentence: Float64Array; label: Float64Array };

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
    label: new Float64Array(chunks),
  };
  const vector = vectorOf(asked.query, asked.weights, table);
  if (vector === null) return out;
  const words = weighWords(page, vector, table);
  for (let chunk = 0; chunk < chunks; chunk += 1) {
    readChunk(page, { chunk, words, out });
    for (const ids of page.labels[chunk] ?? [])
      out.label[chunk] = Math.max(out.label[chunk] ?? 0, cosineOf(ids, words));
  }
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

function cosineOf(ids: readonly number[], { dots, lengths }: Words): number {
  const sum = new Sum();
  for (const id of ids) sum.add(dots[id] ?? 0, lengths[id] ?? 0);
  return sum.cosine();
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
  const ofToken = Float64Array.from(distinct, (id) => dotOf(asked, id, table));
  const dots = new Float32Array(lengths.length);
  for (let word = 0; word < dots.length; word += 1) {
    let dot = 0;
    const end = from[word + 1] ?? 0;
    for (let at = from[word] ?? 0; at < end; at += 1) dot += ofToken[tokens[at] ?? 0] ?? 0;
    dots[word] = dot;
  }
  return { dots, lengths };
}

/** The tokens of the words of a page, whatever is asked. */
type PageTokens = {
  /** Ids of the tokens of the page, each once. */
  distinct: Int32Array;
  /** Places in `distinct` of the tokens of all words in order; those of word w from `from[w]` to `from[w + 1]`. */
  tokens: Int32Array;
  from: Int32Array;
  /** For each word the length of its vector. */
  lengths: Float32Array;
};

const readings = new WeakMap<ChunkTerms, { table: TokenTable; read: PageTokens }>();

/** Read once for all queries to the page. */
function tokensOfPage(page: ChunkTerms, table: TokenTable): PageTokens {
  const known = readings.get(page);
  if (known?.table === table) return known.read;
  const read = readTokens(page.words, table);
  readings.set(page, { table, read });
  return read;
}

function readTokens(words: readonly string[], table: TokenTable): PageTokens {
  const norms = normsOf(table);
  const tokensOf = keptTokens(table);
  const places = new Map<number, number>();
  const tokens: number[] = [];
  const from = new Int32Array(words.length + 1);
  const lengths = new Float32Array(words.length);
  for (const [word, text] of words.entries()) {
    let squares = 0;
    for (const id of tokensOf(text)) {
      const place = places.get(id) ?? places.size;
      places.set(id, place);
      tokens.push(place);
      squares += (norms[id] ?? 0) ** 2;
    }
    from[word + 1] = tokens.length;
    lengths[word] = Math.sqrt(squares);
  }
  return { distinct: Int32Array.from(places.keys()), tokens: Int32Array.from(tokens), from, lengths };
}

/** Four sums at once: one alone would wait for each addition. Tables have a multiple of four dimensions or end with a few more. */
function dotOf(asked: Float32Array, id: number, { dimensions, rows, scales }: TokenTable): number {
  const from = id * dimensions;
  const whole = dimensions - (dimensions % 4);
  let [first, second, third, fourth] = [0, 0, 0, 0];
  for (let at = 0; at < whole; at += 4) {
    first += (rows[from + at] ?? 0) * (asked[at] ?? 0);
    second += (rows[from + at + 1] ?? 0) * (asked[at + 1] ?? 0);
    third += (rows[from + at + 2] ?? 0) * (asked[at + 2] ?? 0);
    fourth += (rows[from + at + 3] ?? 0) * (asked[at + 3] ?? 0);
  }
  for (let at = whole; at < dimensions; at += 1) first += (rows[from + at] ?? 0) * (asked[at] ?? 0);
  return (first + second + third + fourth) * (scales[id] ?? 0);
}

/** Words whose tokens a thread remembers for each table: most words of a page are on others too. */
const WORDS_KEPT_MAX = 20_000;
const WORD_CHARS_KEPT_MAX = 40;
const tokensKept = new WeakMap<TokenTable, Map<string, readonly number[]>>();

function keptTokens(table: TokenTable): (word: string) => readonly number[] {
  const kept = tokensKept.get(table) ?? new Map<string, readonly number[]>();
  tokensKept.set(table, kept);
  return (word) => {
    const before = kept.get(word);
    if (before !== undefined) return before;
    const ids = table.tokenize(word, WORD_TOKENS_MAX);
    if (word.length > WORD_CHARS_KEPT_MAX) return ids;
    if (kept.size >= WORDS_KEPT_MAX) kept.clear();
    kept.set(word, ids);
    return ids;
  };
}

const known = new WeakMap<TokenTable, Float32Array>();

/** The length of the vector of each token. */
function normsOf(table: TokenTable): Float32Array {
  const before = known.get(table);
  if (before !== undefined) return before;
  const { dimensions, rows, scales } = table;
  const norms = scales.map((scale, id) => {
    let squares = 0;
    for (let at = id * dimensions; at < (id + 1) * dimensions; at += 1) squares += (rows[at] ?? 0) ** 2;
    return scale * Math.sqrt(squares);
  });
  known.set(table, norms);
  return norms;
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
  const tokens = keptTokens(table);
  for (const word of (query.text.toLowerCase().match(WORD) ?? []).slice(0, QUERY_WORDS_MAX)) {
    const weight = LEAST_WEIGHT + (weightOf.get(word) ?? 0);
    for (const id of tokens(word))
      for (let at = 0; at < dimensions; at += 1)
        sum[at] = (sum[at] ?? 0) + weight * (scales[id] ?? 0) * (rows[id * dimensions + at] ?? 0);
  }
  const length = Math.hypot(...sum);
  return length === 0 ? null : sum.map((value) => value / length);
}
