import { findTokenTable } from '../embeddings/encoder-for.ts';
import type { TokenTable } from '../embeddings/token-table.ts';
import { findEmptyWords } from '../words/light-words.ts';
import { tokenizeWords } from '../words/words.ts';

/** Features of a passage by the meaning of single words, in the order of the weights. */
export const WORD_FEATURES = [
  'wordsText',
  'wordsSentence',
  'wordsSubject',
  'wordsAll',
  'wordsSentenceOrSubject',
  'wordsFarthest',
  'wordsClose',
] as const;

/** A passage and its surroundings, as plain text. */
type WordedPassage = { text: string; about: string; subject: string; headings: string };

type Reader = (passage: WordedPassage) => number[];
/** For each word of the question, the cosine of the most similar word of a text. */
type Nearest = Float64Array;

const NONE: number[] = WORD_FEATURES.map(() => 0);
const WORD = /\p{Lu}?\p{Ll}+|\p{Lu}+|\p{N}+|\p{Lo}+/gu;
const WORD_TOKENS_MAX = 16;
const QUESTION_WORDS_MAX = 40;
const SENTENCE_END = /(?<=[.!?:])\s+|\n/;
const SENTENCE_CHARS_MIN = 16;
const SENTENCES_MAX = 8;
/** Factor for headings, which say less about a passage than its text. */
const HEADING_SHARE = 0.9;
/** Minimum cosine at which two words are similar. */
const CLOSE_MIN = 0.3;
/**
 * Minimum cosine at which a text speaks of a word of the question. "opened" is .12 from "close", "established" .38 from "founded". Of 211
 * right answers to questions of SQuAD 2, 98 % hold such a word itself.
 */
const MENTION_MIN = 0.3;
/** Vectors do not tell opposites apart, which occur in the same sentences. Each verb in its forms, one side against the other. */
const OPPOSITES = [
  ['open opens opened opening', 'close closes closed closing closure shut'],
  [
    'begin begins began start starts started found founded establish established launch launched create created build built',
    'end ends ended finish finished dissolve dissolved abolish abolished demolish demolished destroy destroyed cease ceased bankrupt',
  ],
  ['buy buys bought acquire acquires acquired purchase purchased', 'sell sells sold sale'],
  ['born birth', 'die dies died death killed'],
  ['win wins won victory', 'lose loses lost defeat defeated'],
  ['rise rises rose increase increased grow grew', 'fall falls fell decrease decreased shrink shrank'],
  ['appoint appointed elected joined hired', 'resign resigned retired left dismissed fired'],
  ['marry married marriage', 'divorce divorced'],
].map((sides) => sides.map((side) => new Set(side.split(' '))));

/**
 * Compares passages with a question word by word: the similarity of each word of the question to the nearest word of a passage, of
 * its best sentence and of its headings, as a mean (informative words weigh more), for the farthest word, and counting near words
 * only. All 0 in languages that the vectors do not cover.
 */
export function createWordMeanings(question: string, language: string | null): Reader {
  const table = findTokenTable(language);
  if (table === null) return () => NONE;
  const asked = splitWords(question).slice(0, QUESTION_WORDS_MAX).map(createVectorReader(table));
  const total = asked.reduce((sum, { length }) => sum + length, 0);
  if (total === 0) return () => NONE;
  const computeMean = (near: Nearest): number =>
    asked.reduce((sum, { length }, place) => sum + length * (near[place] ?? 0), 0) / total;
  const nearest = createNearestReader(asked, table);
  return ({ text, about, subject, headings }) => {
    const topic = nearest(about);
    const whole = mergeHigher(nearest(text), topic);
    const named = nearest(subject);
    const above = nearest(headings).map((value) => HEADING_SHARE * value);
    const all = mergeHigher(whole, mergeHigher(named, above));
    const sentences = splitSentences(text).map((sentence) => mergeHigher(nearest(sentence), topic));
    return [
      computeMean(whole),
      Math.max(...sentences.map(computeMean)),
      computeMean(named),
      computeMean(all),
      Math.max(...sentences.map((sentence) => computeMean(mergeHigher(sentence, named)))),
      Math.min(...all),
      computeMean(all.map((value) => Math.max(0, value - CLOSE_MIN) / (1 - CLOSE_MIN))),
    ];
  };
}

/**
 * Creates a test whether a text speaks of what a question asks about the subject of a page: of at least one of its words that are not in
 * `about` (the title), by the word, its stem, or a word of a similar meaning. True for every text if nothing is asked besides the subject,
 * and in languages that the vectors do not cover.
 */
export function createMentionTest(
  question: string,
  about: string,
  language: string | null,
): (text: string) => boolean {
  const table = findTokenTable(language);
  const { stop, light } = findEmptyWords(language);
  const named = new Set(tokenizeWords(about, language));
  const asked = splitWords(question).filter((word) => {
    const terms = tokenizeWords(word, language);
    return terms.length > 0 && terms.every((term) => !named.has(term) && !stop.has(term) && !light.has(term));
  });
  if (table === null || about === '' || asked.length === 0) return () => true;
  const stems = new Set(asked.flatMap((word) => tokenizeWords(word, language)));
  const opposites = new Set(asked.flatMap(listOpposites));
  const nearest = createNearestReader(asked.map(createVectorReader(table)), table);
  return (text) => {
    if (tokenizeWords(text, language).some((term) => stems.has(term))) return true;
    const words = splitWords(text).filter((word) => !opposites.has(word));
    return nearest(words.join(' ')).some((cosine) => cosine >= MENTION_MIN);
  };
}

const listOpposites = (word: string): string[] =>
  OPPOSITES.flatMap(([one = new Set<string>(), other = new Set<string>()]) => [
    ...(one.has(word) ? other : []),
    ...(other.has(word) ? one : []),
  ]);

const splitWords = (text: string): string[] => (text.match(WORD) ?? []).map((word) => word.toLowerCase());

function splitSentences(text: string): string[] {
  const sentences = text.split(SENTENCE_END).filter(({ length }) => length >= SENTENCE_CHARS_MIN);
  return sentences.length === 0 ? [text] : sentences.slice(0, SENTENCES_MAX);
}

const mergeHigher = (left: Nearest, right: Nearest): Nearest =>
  left.map((value, place) => Math.max(value, right[place] ?? 0));

type WordVector = { values: Float64Array; length: number };

/** Creates a function that returns the vector of a word and its length; informative words have longer vectors. */
function createVectorReader({
  tokenize,
  dimensions,
  rows,
  scales,
}: TokenTable): (word: string) => WordVector {
  return (word) => {
    const values = new Float64Array(dimensions);
    for (const id of tokenize(word, WORD_TOKENS_MAX))
      for (let at = 0; at < dimensions; at += 1)
        values[at] = (values[at] ?? 0) + (scales[id] ?? 0) * (rows[id * dimensions + at] ?? 0);
    return { values, length: Math.hypot(...values) };
  };
}

/** Caches the cosines of each word, since the texts of one page repeat their words. */
function createNearestReader(asked: readonly WordVector[], table: TokenTable): (text: string) => Nearest {
  const known = new Map<string, Nearest>();
  const vectorOf = createVectorReader(table);
  return (text) => {
    const near = new Float64Array(asked.length);
    for (const word of new Set(splitWords(text))) {
      const cosines = known.get(word) ?? computeCosines(vectorOf(word), asked);
      known.set(word, cosines);
      for (let place = 0; place < near.length; place += 1)
        near[place] = Math.max(near[place] ?? 0, cosines[place] ?? 0);
    }
    return near;
  };
}

function computeCosines(word: WordVector, asked: readonly WordVector[]): Nearest {
  return Float64Array.from(asked, ({ values, length }) => {
    if (length === 0 || word.length === 0) return 0;
    let sum = 0;
    for (let at = 0; at < values.length; at += 1) sum += (values[at] ?? 0) * (word.values[at] ?? 0);
    return sum / (length * word.length);
  });
}
