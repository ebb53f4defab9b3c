import { LRUCache } from 'lru-cache';
import { resolveStemLanguage, stemWord } from '../words/stems.ts';
import { findEncoder, findTokenTable } from './encoder-for.ts';
import type { TokenTable } from './token-table.ts';

/** A near-synonym: its stem, and its cosine with the word. */
type NearWord = { stem: string; cosine: number };

const NEAR_MAX = 6;
const COSINE_MIN = 0.38;
/** Matches whole words; other tokens of the vocabulary are parts of words. */
const WORD = /^[a-z]{3,}$/;
const WORDS_KEPT = 4_000;
/**
 * Maximum share of differing signs. Vectors whose cosine is c differ in the signs of a share of arccos(c) / pi of their values
 * (Charikar 2002): with 256 values in 38 % of them at the minimum cosine, give or take 3. Those beyond 44 % are not compared any
 * further.
 */
const SIGNS_APART_MAX = 0.44;
const WORD_BITS = 32;
/** Signs are compared four words of 32 bits at a time; words after the last value are 0 in every vector. */
const BLOCK_WORDS = 4;

/** The whole words of a table, with the signs of their vectors, `width` words of 32 bits each. */
type Vocabulary = {
  table: TokenTable;
  ids: number[];
  lengths: Float32Array;
  signs: Int32Array;
  width: number;
};

let vocabulary: Vocabulary | null = null;
const known = new LRUCache<string, readonly NearWord[]>({ max: WORDS_KEPT });

/** Returns English near-synonyms of a word by the active static model; nearest first, none with the same stem. */
export function findNearWords(word: string): readonly NearWord[] {
  const table = findTokenTable(null);
  if (table === null) return [];
  if (vocabulary?.table !== table) {
    known.clear();
    vocabulary = buildVocabulary(table);
  }
  const before = known.get(word);
  if (before !== undefined) return before;
  const near = rankNearWords(word, vocabulary);
  known.set(word, near);
  return near;
}

function buildVocabulary(table: TokenTable): Vocabulary {
  const { tokens, rows, dimensions } = table;
  const ids = tokens.flatMap((token, id) => (WORD.test(token) ? [id] : []));
  const width = BLOCK_WORDS * Math.ceil(dimensions / (BLOCK_WORDS * WORD_BITS));
  const signs = new Int32Array(ids.length * width);
  const lengths = new Float32Array(ids.length);
  for (let place = 0; place < ids.length; place += 1) {
    const first = (ids[place] as number) * dimensions;
    let squares = 0;
    for (let at = 0; at < dimensions; at += 1) {
      const value = rows[first + at] as number;
      squares += value * value;
      if (value > 0) setBit(signs, place * width, at);
    }
    lengths[place] = Math.sqrt(squares);
  }
  return { table, ids, lengths, signs, width };
}

function setBit(words: Int32Array, first: number, bit: number): void {
  const word = first + (bit >>> 5);
  words[word] = (words[word] as number) | (1 << (bit & 31));
}

function rankNearWords(word: string, vocabulary: Vocabulary): NearWord[] {
  const [asked] = findEncoder(null)?.embed([word]) ?? [];
  if (asked === undefined) return [];
  const { table, ids, lengths } = vocabulary;
  const language = resolveStemLanguage(null);
  const ownStem = stemWord(word, language);
  const nearest = new Map<string, number>();
  const places = findAlikeBySigns(asked, vocabulary);
  const dots = computeDotProducts(asked, { places, ids, rows: table.rows });
  for (const [at, place] of places.entries()) {
    const cosine = (dots[at] as number) / (lengths[place] || 1);
    if (cosine < COSINE_MIN) continue;
    const stem = stemWord(table.tokens[ids[place] as number] ?? '', language);
    if (stem !== ownStem) nearest.set(stem, Math.max(cosine, nearest.get(stem) ?? 0));
  }
  return [...nearest]
    .map(([stem, cosine]) => ({ stem, cosine }))
    .sort((left, right) => right.cosine - left.cosine)
    .slice(0, NEAR_MAX);
}

/** Returns the indexes of the words whose signs differ from those of a vector in few values. */
function findAlikeBySigns(asked: Float32Array, { table, ids, signs, width }: Vocabulary): number[] {
  const own = new Int32Array(width);
  for (let at = 0; at < asked.length; at += 1) if ((asked[at] as number) > 0) setBit(own, 0, at);
  const apart = new Uint16Array(ids.length);
  for (let word = 0; word < width; word += BLOCK_WORDS) addDifferences(apart, own, { signs, width, word });
  const apartMax = Math.floor(SIGNS_APART_MAX * table.dimensions);
  const places: number[] = [];
  for (let place = 0; place < ids.length; place += 1)
    if ((apart[place] as number) <= apartMax) places.push(place);
  return places;
}

/** Counts the signs that differ in one block, for every word. Most of the cost of a new word is here. */
function addDifferences(
  apart: Uint16Array,
  own: Int32Array,
  { signs, width, word }: Pick<Vocabulary, 'signs' | 'width'> & { word: number },
): void {
  const [a = 0, b = 0, c = 0, d = 0] = own.subarray(word, word + BLOCK_WORDS);
  for (let place = 0, at = word; place < apart.length; place += 1, at += width) {
    const halves =
      countBitsOfFours(a ^ (signs[at] as number)) + countBitsOfFours(b ^ (signs[at + 1] as number));
    const others =
      countBitsOfFours(c ^ (signs[at + 2] as number)) + countBitsOfFours(d ^ (signs[at + 3] as number));
    const bytes = sumBitsOfFours(halves) + sumBitsOfFours(others);
    apart[place] = (apart[place] as number) + (Math.imul(bytes, 0x01010101) >>> 24);
  }
}

/** Counts the bits set in each group of four of 32, in place; two results may be added. */
function countBitsOfFours(value: number): number {
  const pairs = value - ((value >>> 1) & 0x55555555);
  return (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
}

/** Sums neighbouring groups of four into bytes. */
const sumBitsOfFours = (fours: number): number => (fours & 0x0f0f0f0f) + ((fours >>> 4) & 0x0f0f0f0f);

/**
 * Computes the dot products of a vector with rows, two at a time: each addition waits for the previous one, so a single sum takes
 * twice as long.
 */
function computeDotProducts(
  asked: Float32Array,
  { places, ids, rows }: { places: readonly number[]; ids: readonly number[]; rows: Int8Array },
): Float64Array {
  const dots = new Float64Array(places.length + 1);
  const { length } = asked;
  for (let at = 0; at < places.length; at += 2) {
    const one = (ids[places[at] as number] as number) * length;
    const other = (ids[places[at + 1] ?? (places[at] as number)] as number) * length;
    let [ofOne, ofOther] = [0, 0];
    for (let value = 0; value < length; value += 1) {
      const own = asked[value] as number;
      ofOne += own * (rows[one + value] as number);
      ofOther += own * (rows[other + value] as number);
    }
    dots[at] = ofOne;
    dots[at + 1] = ofOther;
  }
  return dots;
}
