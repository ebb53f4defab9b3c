import type { TokenTable } from '../embeddings/token-table.ts';
import type { ChunkTerms } from './chunk-terms.ts';
import type { Word } from './known-runs.ts';

const WORD_TOKENS_MAX = 16;

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
export function tokensOfPage(page: ChunkTerms, table: TokenTable): PageTokens {
  const known = readings.get(page);
  if (known?.table === table) return known.read;
  const read = readTokens(page.words, table);
  readings.set(page, { table, read });
  return read;
}

function readTokens(words: readonly Word[], table: TokenTable): PageTokens {
  const read = words.map((word) => tokensOfWord(word, table));
  const tokens = new Int32Array(read.reduce((sum, { ids }) => sum + ids.length, 0));
  const from = new Int32Array(words.length + 1);
  const lengths = new Float32Array(words.length);
  const places = placesFor(table);
  const distinct: number[] = [];
  let count = 0;
  for (const [word, { ids, length }] of read.entries()) {
    for (const id of ids) {
      if (places[id] === 0) places[id] = distinct.push(id);
      tokens[count] = (places[id] ?? 0) - 1;
      count += 1;
    }
    from[word + 1] = count;
    lengths[word] = length;
  }
  for (const id of distinct) places[id] = 0;
  return { distinct: Int32Array.from(distinct), tokens, from, lengths };
}

type WordTokens = { table: TokenTable; ids: readonly number[]; length: number };

function tokensOfWord(word: Word, table: TokenTable): WordTokens {
  // Only this function sets it.
  const known = word.tokens as WordTokens | null;
  if (known?.table === table) return known;
  const ids = table.tokenize(word.text, WORD_TOKENS_MAX);
  const norms = normsOf(table);
  let squares = 0;
  for (const id of ids) squares += (norms[id] ?? 0) ** 2;
  const read = { table, ids, length: Math.sqrt(squares) };
  word.tokens = read;
  return read;
}

const placesOf = new WeakMap<TokenTable, Int32Array>();

/** For each token of the table 0, to be used for a moment and left as it was. */
function placesFor(table: TokenTable): Int32Array {
  const places = placesOf.get(table) ?? new Int32Array(table.scales.length);
  placesOf.set(table, places);
  return places;
}

/** The dot product of a vector with that of a token. Four sums at once: one alone would wait for each addition. Tables have a multiple of four dimensions or end with a few more. */
export function dotOf(asked: Float32Array, id: number, { dimensions, rows, scales }: TokenTable): number {
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

/** The tokens of a word of a query. */
export const tokensOf = (word: string, table: TokenTable): readonly number[] =>
  table.tokenize(word, WORD_TOKENS_MAX);

/** Two vectors that are compared with a token at once: its row is read once for both. */
export type Pair = readonly [Float64Array, Float64Array];

/** Adds the dot products of two vectors with that of a token to `sums` at `at` and behind; each as `dotOf` gives it, in half the time. */
export function addDots(
  [one, two]: Pair,
  { id, table, sums, at }: { id: number; table: TokenTable; sums: Float64Array; at: number },
): void {
  const { dimensions, rows, scales } = table;
  const from = id * dimensions;
  const whole = dimensions - (dimensions % 4);
  let [a, b, c, d] = [0, 0, 0, 0];
  let [e, f, g, h] = [0, 0, 0, 0];
  // All places are within bounds. A default would cost a comparison for each value.
  for (let place = 0; place < whole; place += 4) {
    const first = rows[from + place] as number;
    const second = rows[from + place + 1] as number;
    const third = rows[from + place + 2] as number;
    const fourth = rows[from + place + 3] as number;
    a += first * (one[place] as number);
    b += second * (one[place + 1] as number);
    c += third * (one[place + 2] as number);
    d += fourth * (one[place + 3] as number);
    e += first * (two[place] as number);
    f += second * (two[place + 1] as number);
    g += third * (two[place + 2] as number);
    h += fourth * (two[place + 3] as number);
  }
  for (let place = whole; place < dimensions; place += 1) {
    a += (rows[from + place] as number) * (one[place] as number);
    e += (rows[from + place] as number) * (two[place] as number);
  }
  const scale = scales[id] as number;
  sums[at] = (sums[at] as number) + (a + b + c + d) * scale;
  sums[at + 1] = (sums[at + 1] as number) + (e + f + g + h) * scale;
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
