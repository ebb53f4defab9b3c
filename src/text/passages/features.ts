import type { TokenTable } from '../embeddings/token-table.ts';
import type { PassageQuery } from '../query/passage-query.ts';
import type { AskedKind } from '../query/question-kind.ts';
import { scoreAlignment } from './alignment.ts';
import type { ChunkTerms } from './chunk-terms.ts';
import { computeChunkIdf, findQueryHits, type QueryHits } from './query-hits.ts';
import {
  computeSentenceFeatures,
  measureBlockCoverage,
  measureCoverage,
  measureHeadingCoverage,
  measureNeighbourCoverage,
  measurePairProximity,
  scoreBm25,
  scoreNames,
  scorePhrases,
} from './word-features.ts';
import { computeDots, readPageTokens, tokenizeWord } from './word-vectors.ts';

/** The mean cosine of two words of one text, used to estimate the length of a sum of vectors from their lengths. */
const COMMON = 0.12;

const WORD = /[\p{L}\p{N}]+/gu;

const QUERY_WORDS_MAX = 128;

/** Weight of a word that is not a term, relative to the heaviest term. */
const LEAST_WEIGHT = 0.15;

/** A sum of word vectors, of which only the dot product with the query and the lengths are known. */
class VectorSum {
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

const SHARED_CHARS_MIN = 4;

const SHARED_PART_MIN = 0.6;

/** BM25 (Robertson and Zaragoza 2009) over the paragraphs of one page. */
const K1 = 1.2;

const B = 0.75;

/** Features of a chunk for a query. Those in RELATIVE are relative to the other chunks of the page (z-scores). */
const RELATIVE = [
  'bm25',
  'phrases',
  'proximity',
  'sentenceBm25',
  'relatives',
  'chunkMeaning',
  'sentenceMeaning',
  'length',
  'aligned',
] as const;
const ABSOLUTE = [
  'coverage',
  'sentence',
  'subject',
  'heading',
  'besides',
  'askedKind',
  'says',
  'code',
  'lead',
  'verdict',
  'blockCovered',
  'codeShare',
  'linkShare',
  'named',
] as const;

/** Names of the features, in the order of the trainer's table. */
export const FEATURES = [...RELATIVE, ...ABSOLUTE] as const;
export type Feature = (typeof FEATURES)[number];
/** A value per chunk for each feature; `covered` is the share of the query that the chunk covers, each term weighted by its rarity. */
export type PassageFeatures = {
  columns: Record<Feature, Float64Array>;
  covered: Float64Array;
  /** The similarity in meaning of its best sentence to the query. */
  meant: Float64Array;
  /** Plain BM25 score of its best paragraph. */
  words: Float64Array;
  /** For a how-to question, how well the chunk answers it; 0 for chunks without an instruction. */
  does: Float64Array;
};

/** Patterns and stems of dates and numbers. */
const YEAR = /^(?:1\d|20)\d\d$/;
const NUMBER = /^\p{N}[\p{N}.,]*$/u;
const MONTHS = new Set(
  'januari februari march april june juli august septemb octob novemb decemb'.split(' '),
);
const NUMERALS = new Set(
  'two three four five six seven eight nine ten eleven twelv hundr thousand million billion'.split(' '),
);

/** Computes the features of every chunk of a page. Without a table of token vectors, those that need one are 0. */
export function computePassageFeatures(
  page: ChunkTerms,
  query: PassageQuery,
  table: TokenTable | null,
): PassageFeatures {
  const found = findQueryHits(page, query);
  const none = new Float64Array(found.chunks);
  const sentences = computeSentenceFeatures(found);
  const alike =
    table === null
      ? { chunk: none, sentence: none }
      : computeSimilarity(page, { query, weights: found.weights }, table);
  const columns: Record<Feature, Float64Array> = {
    bm25: scoreBm25(found),
    phrases: scorePhrases(page, query),
    proximity: measurePairProximity(found),
    sentenceBm25: sentences.bm25,
    relatives: sumRelativeWeights(page, query, found),
    chunkMeaning: alike.chunk,
    sentenceMeaning: alike.sentence,
    length: Float64Array.from(found.lengths, (length) => Math.log(1 + length)),
    aligned: none,
    coverage: measureCoverage(found, found.weights),
    sentence: sentences.covered,
    subject: sentences.subject,
    heading: measureHeadingCoverage(found),
    besides: measureNeighbourCoverage(found),
    askedKind: markAskedKind(page, query.asks),
    says: markAnswerWords(page, query),
    code: markCode(page, query),
    lead: none.map((_, chunk) => 1 / (1 + chunk)),
    verdict: markVerdict(page, query),
    blockCovered: measureBlockCoverage(found, page.blocks),
    codeShare: Float64Array.from(page.codeShare),
    linkShare: Float64Array.from(page.linkShare),
    named: scoreNames(page, query, found),
  };
  const meant = alike.sentence;
  for (const feature of RELATIVE) columns[feature] = toZScores(columns[feature]);
  if (table !== null) {
    const among = selectLikelyChunks(columns);
    columns.aligned = toZScores(scoreAlignment(page, { query, weights: found.weights }, { table, among }));
  }
  return {
    columns,
    covered: measureCoverage(found, query.rarities),
    meant,
    words: scorePlainWords(found, page.blocks),
    does: scoreInstructions(page, query),
  };
}

/** Maximum chunks compared with the query word by word, which is the most expensive step. */
const ALIGNED_MAX = 12;

function selectLikelyChunks({
  bm25: words,
  chunkMeaning,
  sentenceMeaning,
}: PassageFeatures['columns']): number[] {
  const rough = words.map(
    (value, chunk) => value + (chunkMeaning[chunk] ?? 0) + (sentenceMeaning[chunk] ?? 0),
  );
  return [...rough.keys()]
    .sort((left, right) => (rough[right] ?? 0) - (rough[left] ?? 0) || left - right)
    .slice(0, ALIGNED_MAX);
}

/** Converts values to z-scores; all 0 if they do not differ. */
function toZScores(values: Float64Array): Float64Array {
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length);
  const deviation = Math.sqrt(variance);
  // Rounds to float precision, so that the order of additions makes no difference.
  return values.map((value) => (deviation < 1e-9 ? 0 : Math.fround((value - mean) / deviation)));
}

/** Returns 1 for each chunk that contains the kind of answer asked for, else 0. */
function markAskedKind(page: ChunkTerms, asks: AskedKind | null): Float64Array {
  const out = new Float64Array(page.from.length - 1);
  if (asks === null) return out;
  const fits = page.terms.map((term) =>
    asks === 'date' ? YEAR.test(term) || MONTHS.has(term) : NUMBER.test(term) || NUMERALS.has(term),
  );
  return out.map((_, chunk) =>
    page.ids.subarray(page.from[chunk], page.from[chunk + 1]).some((id) => fits[id]) ? 1 : 0,
  );
}

/** Stems that usually occur in the answers to a kind of question. */
const SAYS: [asked: RegExp, stems: ReadonlySet<string>][] = [
  [
    /\bdefaults?\b|\bif (?:I|you|nothing|none|not)\b|\bwhen (?:none|nothing)\b|\bby itself\b/i,
    new Set(['default', 'otherwis', 'omit', 'unset']),
  ],
  [
    /\b(?:returns?|yields?|raises?|exception|exit (?:code|status))\b/i,
    new Set(['return', 'yield', 'rais', 'exit', 'statu', 'except', 'throw']),
  ],
  [
    /\b(?:maximum|minimum|limits?|at most|how (?:many|long|big|large)|max|min)\b/i,
    new Set(['maximum', 'minimum', 'limit', 'most', 'least', 'exceed', 'default']),
  ],
  [
    /^(?:is|are|can|does|do|should|must|may|will|was)\b/i,
    new Set(['not', 'cannot', 'onli', 'must', 'should', 'may', 'can', 'never', 'alway', 'no']),
  ],
  [
    /\bwhat (?:is|are|does)\b|\bmeaning\b|\bdifference\b/i,
    new Set(['mean', 'call', 'defin', 'refer', 'specifi', 'indic']),
  ],
];

/** Returns 1 for each chunk with a word that is usual in answers of the kind asked for. */
function markAnswerWords(page: ChunkTerms, query: PassageQuery): Float64Array {
  const out = new Float64Array(page.from.length - 1);
  const stems = SAYS.filter(([asked]) => asked.test(query.text)).map(([, said]) => said);
  if (stems.length === 0) return out;
  const fits = page.terms.map((term) => stems.some((said) => said.has(term)));
  return out.map((_, chunk) =>
    page.ids.subarray(page.from[chunk], page.from[chunk + 1]).some((id) => fits[id]) ? 1 : 0,
  );
}

const ASKS_WHETHER = /^(?:is|are|can|could|does|do|did|should|must|may|will|was|were|has|have)\b/i;
/** Maximum chunks of an abstract or similar text, which ends with its findings. */
const ABSTRACT_CHUNKS_MAX = 6;

/** Returns 1 for the last chunk of a short text if the query is a yes/no question. */
function markVerdict({ from }: ChunkTerms, { text }: PassageQuery): Float64Array {
  const out = new Float64Array(from.length - 1);
  if (out.length <= ABSTRACT_CHUNKS_MAX && ASKS_WHETHER.test(text)) out[out.length - 1] = 1;
  return out;
}

/** Returns the BM25 score of the chunks with instructions, with synonyms of the question's verb counted as that verb. */
function scoreInstructions(page: ChunkTerms, query: PassageQuery): Float64Array {
  const { act } = query;
  if (act === null) return new Float64Array(page.from.length - 1);
  const verb = query.terms.indexOf(act.said);
  const alike = new Map(verb === -1 ? [] : [...act.stems].map((stem) => [stem, verb] as const));
  return scoreBm25(findQueryHits(page, query, alike)).map((value, chunk) =>
    page.instructs[chunk] === 1 ? value : 0,
  );
}

const SEEKS_CODE =
  /\bhow (?:do i|can i|to)\b|\b(?:command|example|syntax|code|snippet|option|flag)\b|^(?:make|run|show|get|set|open|write|read|use|add|remove|delete|create|list|print)\b/i;

/** Returns 1 for each chunk with code if the query asks how to do something. */
function markCode(page: ChunkTerms, query: PassageQuery): Float64Array {
  return SEEKS_CODE.test(query.text)
    ? Float64Array.from(page.hasCode)
    : new Float64Array(page.from.length - 1);
}

/**
 * Returns the plain BM25 score of the best paragraph of each chunk, as a plain word search would rank it. It uses neither meaning
 * nor position, so it rarely errs together with the learned score.
 */
function scorePlainWords({ chunks, terms, hits, from }: QueryHits, blocks: Int32Array): Float64Array {
  const lengths = new Map<number, number>();
  for (const block of blocks) lengths.set(block, (lengths.get(block) ?? 0) + 1);
  const mean = blocks.length / Math.max(1, lengths.size);
  const counts = new Map<number, number>();
  const containing = new Int32Array(terms);
  for (const { term, place } of hits) {
    const at = (blocks[place] ?? 0) * terms + term;
    const count = (counts.get(at) ?? 0) + 1;
    counts.set(at, count);
    if (count === 1) containing[term] = (containing[term] ?? 0) + 1;
  }
  const weights = Float64Array.from(containing, (some) => computeChunkIdf(some, lengths.size));
  const scores = new Map<number, number>();
  for (const [at, count] of counts) {
    const block = Math.floor(at / terms);
    const norm = K1 * (1 - B + (B * (lengths.get(block) ?? 0)) / mean);
    const score = ((weights[at % terms] ?? 0) * count * (K1 + 1)) / (count + norm);
    scores.set(block, (scores.get(block) ?? 0) + score);
  }
  const out = new Float64Array(chunks);
  for (let chunk = 0; chunk < chunks; chunk += 1)
    for (const { place } of hits.slice(from[chunk], from[chunk + 1]))
      out[chunk] = Math.max(out[chunk] ?? 0, scores.get(blocks[place] ?? 0) ?? 0);
  return out;
}

/**
 * Sums, for each chunk, the weight of the query terms that it lacks but has a relative of: a term with the same beginning (at least
 * four characters and 60 % of the longer one). Replaces the stemmer in languages without one.
 */
function sumRelativeWeights(page: ChunkTerms, { terms }: PassageQuery, found: QueryHits): Float64Array {
  const relativesOf = findRelativeBits(page.terms, terms);
  const out = new Float64Array(found.chunks);
  if (relativesOf === null) return out;
  for (let chunk = 0; chunk < found.chunks; chunk += 1) {
    let bits = 0;
    for (let at = page.from[chunk] ?? 0; at < (page.from[chunk + 1] ?? 0); at += 1)
      bits |= relativesOf[page.ids[at] ?? 0] ?? 0;
    bits &= ~(found.present[chunk] ?? 0);
    let sum = 0;
    for (let term = 0; bits >>> term !== 0; term += 1)
      if (((bits >>> term) & 1) === 1) sum += found.weights[term] ?? 0;
    out[chunk] = sum;
  }
  return out;
}

/** Returns the bits of the relatives in the query for each term of the page; null when no term has any. */
function findRelativeBits(pageTerms: string[], queryTerms: string[]): Int32Array | null {
  const byStart = new Map<string, number[]>();
  for (const [place, term] of queryTerms.entries()) {
    if (term.length < SHARED_CHARS_MIN) continue;
    const start = term.slice(0, SHARED_CHARS_MIN);
    byStart.set(start, [...(byStart.get(start) ?? []), place]);
  }
  const bits = new Int32Array(pageTerms.length);
  let some = false;
  for (const [id, term] of pageTerms.entries()) {
    if (term.length < SHARED_CHARS_MIN) continue;
    for (const place of byStart.get(term.slice(0, SHARED_CHARS_MIN)) ?? []) {
      if (!isRelative(term, queryTerms[place] ?? '')) continue;
      bits[id] = (bits[id] ?? 0) | (1 << place);
      some = true;
    }
  }
  return some ? bits : null;
}

function isRelative(left: string, right: string): boolean {
  if (left === right) return false;
  let shared = 0;
  while (shared < left.length && left[shared] === right[shared]) shared += 1;
  return shared >= SHARED_PART_MIN * Math.max(left.length, right.length);
}

/** The similarity in meaning of the query to each chunk, and to its best sentence. */
type Similarity = { chunk: Float64Array; sentence: Float64Array };

/**
 * Computes cosines with the query from one dot product per distinct token of the page: the vector of a text is the sum of those of
 * its words, so its dot product is the sum of theirs. Only its length is estimated.
 */
function computeSimilarity(
  page: ChunkTerms,
  asked: { query: PassageQuery; weights: Float64Array },
  table: TokenTable,
): Similarity {
  const chunks = page.from.length - 1;
  const out = {
    chunk: new Float64Array(chunks),
    sentence: new Float64Array(chunks),
  };
  const vector = computeQueryVector(asked.query, asked.weights, table);
  if (vector === null) return out;
  const words = weighWords(page, vector, table);
  for (let chunk = 0; chunk < chunks; chunk += 1) readChunk(page, { chunk, words, out });
  return out;
}

/** The dot product of each word with the query, and its length. */
type WordDots = { dots: Float32Array; lengths: Float32Array };

function readChunk(
  { from, ids, sentences }: ChunkTerms,
  { chunk, words: { dots, lengths }, out }: { chunk: number; words: WordDots; out: Similarity },
): void {
  const whole = new VectorSum();
  const part = new VectorSum();
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

function weighWords(page: ChunkTerms, asked: Float32Array, table: TokenTable): WordDots {
  const { lengths, tokens, from, distinct } = readPageTokens(page, table);
  const ofToken = computeDots(asked, distinct, table);
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
 * Computes the vector of a query, of length 1; null when none of its tokens counts. Words common on the page do not help to
 * distinguish its chunks, neither by words nor by meaning, so each word is weighted by its term's weight on the page.
 */
function computeQueryVector(
  query: PassageQuery,
  weights: Float64Array,
  table: TokenTable,
): Float32Array | null {
  const { dimensions, rows, scales } = table;
  const sum = new Float32Array(dimensions);
  const most = weights.reduce((largest, weight) => Math.max(largest, weight), 1e-9);
  const weightOf = new Map(query.words.map((word, term) => [word, (weights[term] ?? 0) / most]));
  for (const word of (query.text.toLowerCase().match(WORD) ?? []).slice(0, QUERY_WORDS_MAX)) {
    const weight = LEAST_WEIGHT + (weightOf.get(word) ?? 0);
    for (const id of tokenizeWord(word, table))
      for (let at = 0; at < dimensions; at += 1)
        sum[at] = (sum[at] ?? 0) + weight * (scales[id] ?? 0) * (rows[id * dimensions + at] ?? 0);
  }
  const length = Math.hypot(...sum);
  return length === 0 ? null : sum.map((value) => value / length);
}
