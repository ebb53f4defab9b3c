import type { TokenTable } from '../embeddings/token-table.ts';
import type { ChunkTerms } from './chunk-terms.ts';

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

/** Words whose tokens a thread remembers for each table: most words of a page are on others too. */
const WORDS_KEPT_MAX = 20_000;
const WORD_CHARS_KEPT_MAX = 40;
const tokensKept = new WeakMap<TokenTable, Map<string, readonly number[]>>();

/** The tokens of a word. */
export function keptTokens(table: TokenTable): (word: string) => readonly number[] {
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
