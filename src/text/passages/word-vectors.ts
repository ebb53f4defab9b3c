import type { TokenTable } from '../embeddings/token-table.ts';
import type { ChunkTerms } from './chunk-terms.ts';
import type { Word } from './known-runs.ts';

const WORD_TOKENS_MAX = 16;

/** The tokens of the words of a page, independent of the query. */
type PageTokens = {
  /** Distinct ids of the tokens of the page. */
  distinct: Int32Array;
  /** Indexes into `distinct` of the tokens of all words in order; those of word w from `from[w]` up to `from[w + 1]`. */
  tokens: Int32Array;
  from: Int32Array;
  /** The length of each word's vector. */
  lengths: Float32Array;
};

const readings = new WeakMap<ChunkTerms, { table: TokenTable; read: PageTokens }>();

/** Returns the tokens of a page, read once for all queries. */
export function readPageTokens(page: ChunkTerms, table: TokenTable): PageTokens {
  const known = readings.get(page);
  if (known?.table === table) return known.read;
  const read = readTokens(page.words, table);
  readings.set(page, { table, read });
  return read;
}

function readTokens(words: readonly Word[], table: TokenTable): PageTokens {
  const read = words.map((word) => readWordTokens(word, table));
  const tokens = new Int32Array(read.reduce((sum, { ids }) => sum + ids.length, 0));
  const from = new Int32Array(words.length + 1);
  const lengths = new Float32Array(words.length);
  const places = ensurePlaces(table);
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

function readWordTokens(word: Word, table: TokenTable): WordTokens {
  // Only this function sets it.
  const known = word.tokens as WordTokens | null;
  if (known?.table === table) return known;
  const ids = table.tokenize(word.text, WORD_TOKENS_MAX);
  const norms = computeTokenNorms(table);
  let squares = 0;
  for (const id of ids) squares += (norms[id] ?? 0) ** 2;
  const read = { table, ids, length: Math.sqrt(squares) };
  word.tokens = read;
  return read;
}

const placesOf = new WeakMap<TokenTable, Int32Array>();

/** Returns a scratch array with 0 for each token of the table; the caller must reset what it changes. */
function ensurePlaces(table: TokenTable): Int32Array {
  const places = placesOf.get(table) ?? new Int32Array(table.scales.length);
  placesOf.set(table, places);
  return places;
}

/** Computes the dot products of a vector with the vectors of tokens. */
export function computeDots(
  vector: Float32Array,
  ids: Int32Array,
  { products, scales }: TokenTable,
): Float64Array {
  const dots = products(vector, ids);
  for (let at = 0; at < dots.length; at += 1) dots[at] = (dots[at] as number) * (scales[ids[at] ?? 0] ?? 0);
  return dots;
}

/** Returns the tokens of a query word. */
export const tokenizeWord = (word: string, table: TokenTable): readonly number[] =>
  table.tokenize(word, WORD_TOKENS_MAX);

const known = new WeakMap<TokenTable, Float32Array>();

/** Returns the length of each token's vector; cached by table. */
function computeTokenNorms(table: TokenTable): Float32Array {
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
