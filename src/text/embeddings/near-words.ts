import { LRUCache } from 'lru-cache';
import { stemLanguage, stemOf } from '../words/stems.ts';
import { encoderFor, tableFor } from './encoder-for.ts';
import type { TokenTable } from './token-table.ts';

/** Another word that means nearly the same: its stem, and its cosine with the word. */
type NearWord = { stem: string; cosine: number };

const NEAR_MAX = 6;
const COSINE_MIN = 0.38;
/** Whole words; the other tokens of the vocabulary are parts of words. */
const WORD = /^[a-z]{3,}$/;
const WORDS_KEPT = 4_000;
/**
 * Vectors whose cosine is c differ in the signs of a share of arccos(c) / pi of their values (Charikar 2002), with 256 values in 38 % of them at
 * the least cosine, give or take 3: those of 44 % are not compared any further.
 */
const SIGNS_APART_MAX = 0.44;
const WORD_BITS = 32;

/** The whole words of a table, with the signs of their vectors. */
type Vocabulary = { table: TokenTable; ids: number[]; lengths: Float32Array; signs: Uint32Array };

let vocabulary: Vocabulary | null = null;
const known = new LRUCache<string, readonly NearWord[]>({ max: WORDS_KEPT });

/** English words that mean nearly the same as a word, by the static model in force; nearest first, none of its own stem. */
export function nearWords(word: string): readonly NearWord[] {
  const table = tableFor(null);
  if (table === null) return [];
  if (vocabulary?.table !== table) {
    known.clear();
    vocabulary = vocabularyOf(table);
  }
  const before = known.get(word);
  if (before !== undefined) return before;
  const near = compare(word, vocabulary);
  known.set(word, near);
  return near;
}

function vocabularyOf(table: TokenTable): Vocabulary {
  const { tokens, rows, dimensions } = table;
  const ids = tokens.flatMap((token, id) => (WORD.test(token) ? [id] : []));
  const bits = Math.ceil(dimensions / WORD_BITS);
  const signs = new Uint32Array(ids.length * bits);
  const lengths = new Float32Array(ids.length);
  for (const [place, id] of ids.entries()) {
    const row = rows.subarray(id * dimensions, (id + 1) * dimensions);
    signs.set(signsOf(row), place * bits);
    let squares = 0;
    for (const value of row) squares += value * value;
    lengths[place] = Math.sqrt(squares);
  }
  return { table, ids, lengths, signs };
}

function signsOf(vector: ArrayLike<number>): Uint32Array {
  const signs = new Uint32Array(Math.ceil(vector.length / WORD_BITS));
  for (let at = 0; at < vector.length; at += 1) {
    const word = Math.floor(at / WORD_BITS);
    if ((vector[at] ?? 0) > 0) signs[word] = ((signs[word] ?? 0) | (1 << (at % WORD_BITS))) >>> 0;
  }
  return signs;
}

function compare(word: string, { table, ids, lengths, signs }: Vocabulary): NearWord[] {
  const [asked] = encoderFor(null)?.embed([word]) ?? [];
  if (asked === undefined) return [];
  const { dimensions, tokens, rows } = table;
  const own = signsOf(asked);
  const language = stemLanguage(null);
  const ownStem = stemOf(word, language);
  const nearest = new Map<string, number>();
  for (const [place, id] of ids.entries()) {
    if (signsApart(own, signs, place * own.length) > SIGNS_APART_MAX * dimensions) continue;
    let dot = 0;
    for (let at = 0; at < dimensions; at += 1)
      dot += (asked[at] as number) * (rows[id * dimensions + at] as number);
    const cosine = dot / (lengths[place] || 1);
    const stem = cosine < COSINE_MIN ? ownStem : stemOf(tokens[id] ?? '', language);
    if (stem !== ownStem) nearest.set(stem, Math.max(cosine, nearest.get(stem) ?? 0));
  }
  return [...nearest]
    .map(([stem, cosine]) => ({ stem, cosine }))
    .sort((left, right) => right.cosine - left.cosine)
    .slice(0, NEAR_MAX);
}

function signsApart(own: Uint32Array, signs: Uint32Array, from: number): number {
  let apart = 0;
  for (let at = 0; at < own.length; at += 1)
    apart += bitsIn((own[at] as number) ^ (signs[from + at] as number));
  return apart;
}

/** The set bits of 32, added up in parallel. */
function bitsIn(value: number): number {
  const pairs = value - ((value >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
