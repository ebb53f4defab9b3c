import { findTokenTable } from '../embeddings/encoder-for.ts';
import type { TokenTable } from '../embeddings/token-table.ts';
import { hasKnownRarities } from '../query/question.ts';
import { findEmptyWords } from '../words/light-words.ts';
import { stemWord } from '../words/stems.ts';
import { tokenizeWords } from '../words/words.ts';
import {
  ANSWER_GROUPS,
  type AskedAnswer,
  FORMED_GROUPS,
  findAnswers,
  readAskedAnswer,
} from './answer-types.ts';
import { areOpposite, areRelated } from './related-words.ts';

/** Features of a passage by its words and those of the question, in the order of the weights. */
export const WORD_FEATURES = [
  'wordsText',
  'wordsSentence',
  'wordsSubject',
  'wordsAll',
  'wordsSentenceOrSubject',
  'wordsFarthest',
  'wordsClose',
  'focusMean',
  'focusLeast',
  'focusText',
  'focusNone',
  'answeredFocus',
  'answeredText',
  'answeredLeast',
  'answeredRarest',
  'unansweredFocus',
  'answerNear',
  'counted',
  ...ANSWER_GROUPS.map((group) => `${group}Found` as const),
  ...ANSWER_GROUPS.map((group) => `${group}Missing` as const),
] as const;

/** A passage and its surroundings, as plain text. */
type WordedPassage = { text: string; best: string; about: string; subject: string; headings: string };

/**
 * `measure` returns the features of a passage; `mayAnswer`: whether a sentence has the form of answer that the question asks for, and
 * for a question of yes or no whether it speaks of what is asked.
 */
type Reader = { measure(passage: WordedPassage): number[]; mayAnswer(sentence: string): boolean };
/** For each word of the question, the similarity of the most similar word of a text. */
type Nearest = Float64Array;

const NONE: Reader = { measure: () => WORD_FEATURES.map(() => 0), mayAnswer: () => true };
const WORD = /\p{Lu}?\p{Ll}+|\p{Lu}+|\p{N}+|\p{Lo}+/gu;
const WORD_TOKENS_MAX = 16;
const QUESTION_WORDS_MAX = 40;
const SENTENCE_END = /(?<=[.!?:])\s+|\n/;
const SENTENCE_CHARS_MIN = 16;
const SENTENCES_MAX = 8;
/** Factor for headings, which say less about a passage than its text. */
const HEADING_SHARE = 0.9;
/** Minimum similarity at which two words are close. */
const CLOSE_MIN = 0.3;
/** Similarity of words that are related by the table of related words. */
const RELATED = 0.8;
/** Minimum similarity of a word to one of the question beside which an answer is looked for. */
const BESIDE_MIN = 0.5;
/** An answer this many characters from a word of the question counts half. */
const NEAR_CHARS = 30;
/** So many characters behind a number are read for what it counts. */
const COUNTED_CHARS = 30;
const COUNTED_WORDS = 3;
/** A number after one of these counts what stands before it. */
const TOTAL = /\b(?:number|numbers|population|total|capacity)\b/i;
/** Minimum similarity of what a number counts to what is asked for. */
const COUNTED_MIN = 0.3;

/**
 * Compares passages with a question word by word: the similarity of each word of the question to the nearest word of a passage, of
 * its best sentence and of its headings, as a mean (informative words weigh more), for the farthest word, and counting near words
 * only. The focus is what a question asks about the subject of the page: its words without those of `topic`, function words and question words.
 * Beside it an answer of the type asked for is looked for. All 0 in languages that the vectors do not cover.
 */
export function createWordMeanings(
  question: string,
  { language, topic }: { language: string | null; topic: ReadonlySet<string> },
): Reader {
  const table = findTokenTable(language);
  if (table === null) return NONE;
  const words = splitWords(question).slice(0, QUESTION_WORDS_MAX);
  const asked = words.map(createAskedReader(table));
  const total = asked.reduce((sum, { length }) => sum + length, 0);
  if (total === 0) return NONE;
  const { stop, light } = findEmptyWords(language);
  const isFocus = words.map((word) => {
    const terms = tokenizeWords(word, language);
    return (
      terms.length > 0 &&
      !QUESTION_WORDS.has(word) &&
      terms.every((term) => !topic.has(term) && !stop.has(term) && !light.has(term))
    );
  });
  const focus = asked.flatMap((_, place) => (isFocus[place] === true ? [place] : []));
  const [rarest] = [...focus].sort((left, right) => (asked[right]?.length ?? 0) - (asked[left]?.length ?? 0));
  const focusTotal = focus.reduce((sum, place) => sum + (asked[place]?.length ?? 0), 0);
  const computeMean = (near: Nearest): number =>
    asked.reduce((sum, { length }, place) => sum + length * (near[place] ?? 0), 0) / total;
  const computeFocus = (near: Nearest): number =>
    focus.length === 0
      ? 0
      : focus.reduce((sum, place) => sum + (asked[place]?.length ?? 0) * (near[place] ?? 0), 0) / focusTotal;
  const relate = createRelations(asked, table);
  const nearest = createNearestReader(asked.length, relate);
  const type = hasKnownRarities(language) ? readAskedAnswer(question) : null;
  const asksVerdict = type?.group === 'verdict';
  const asksForm = type !== null && FORMED_GROUPS.has(type.group);
  const readAnswers = createAnswerReader(type, { words, focus, relate });
  const measure: Reader['measure'] = ({ text, best, about, subject, headings }) => {
    const topicNear = nearest(about);
    const own = nearest(text);
    const whole = mergeHigher(own, topicNear);
    const named = nearest(subject);
    const above = nearest(headings).map((value) => HEADING_SHARE * value);
    const all = mergeHigher(whole, mergeHigher(named, above));
    const sentences = splitSentences(text).map((sentence) => mergeHigher(nearest(sentence), topicNear));
    const sentence = nearest(best);
    const { isAnswered, figures } = readAnswers(best);
    const least = focus.length === 0 ? 0 : Math.min(...focus.map((place) => sentence[place] ?? 0));
    return [
      computeMean(whole),
      Math.max(...sentences.map(computeMean)),
      computeMean(named),
      computeMean(all),
      Math.max(...sentences.map((sentence) => computeMean(mergeHigher(sentence, named)))),
      Math.min(...all),
      computeMean(all.map((value) => Math.max(0, value - CLOSE_MIN) / (1 - CLOSE_MIN))),
      computeFocus(sentence),
      least,
      computeFocus(own),
      focus.length === 0 ? 1 : 0,
      ...(isAnswered
        ? [
            computeFocus(sentence),
            computeFocus(own),
            least,
            rarest === undefined ? 0 : (sentence[rarest] ?? 0),
            0,
          ]
        : [0, 0, 0, 0, computeFocus(sentence)]),
      ...figures,
    ];
  };
  return {
    measure,
    mayAnswer: (sentence) => {
      if (asksVerdict) return rarest === undefined || (nearest(sentence)[rarest] ?? 0) >= BESIDE_MIN;
      return !asksForm || readAnswers(sentence).isAnswered;
    },
  };
}

const QUESTION_WORDS = new Set(
  'place name names called cause reason number kind type sort who whom whose what which when where why how many much long often far old does did do is are was were can may must should will'.split(
    ' ',
  ),
);

type AnswerFigures = { isAnswered: boolean; figures: number[] };
type Answers = { words: readonly string[]; focus: readonly number[]; relate: (word: string) => Nearest };

/**
 * Creates a reader of the answers in a sentence. Its figures: how near they are to the focus, how much they count what is asked for,
 * and by group whether there are any. A question that asks for no form of answer is answered by every sentence.
 */
function createAnswerReader(
  type: AskedAnswer | null,
  { words, focus, relate }: Answers,
): (sentence: string) => AnswerFigures {
  if (type === null)
    return () => ({ isAnswered: true, figures: [0, 0, ...ANSWER_GROUPS.flatMap(() => [0, 0])] });
  const known = new Set(words);
  const noun = words.indexOf(type.noun ?? '');
  const count = (around: string): number =>
    Math.max(
      0,
      ...splitWords(around.replace(/ of\b/, ''))
        .slice(0, COUNTED_WORDS)
        .map((word) => relate(word)[noun] ?? 0),
    );
  const isCounted = (sentence: string, { start, end }: { start: number; end: number }): boolean =>
    noun === -1 ||
    count(sentence.slice(end, end + COUNTED_CHARS)) >= COUNTED_MIN ||
    TOTAL.test(sentence.slice(Math.max(0, start - COUNTED_CHARS), start));
  return (sentence) => {
    const answers = findAnswers(type, sentence, known).filter((answer) => isCounted(sentence, answer));
    const beside = [...sentence.matchAll(WORD)].flatMap(({ 0: word, index }) => {
      const near = relate(word.toLowerCase());
      return focus.some((place) => (near[place] ?? 0) >= BESIDE_MIN) ? [index] : [];
    });
    const distances = answers.flatMap(({ start, end }) =>
      beside.map((at) => (at < start ? start - at : Math.max(0, at - end))),
    );
    const counted =
      noun === -1 ? [] : answers.map(({ end }) => count(sentence.slice(end, end + COUNTED_CHARS)));
    const isAnswered = answers.length > 0;
    return {
      isAnswered,
      figures: [
        distances.length === 0 ? 0 : 1 / (1 + Math.min(...distances) / NEAR_CHARS),
        Math.max(0, ...counted),
        ...ANSWER_GROUPS.map((group) => Number(group === type.group && isAnswered)),
        ...ANSWER_GROUPS.map((group) => Number(group === type.group && !isAnswered)),
      ],
    };
  };
}

const splitWords = (text: string): string[] => (text.match(WORD) ?? []).map((word) => word.toLowerCase());

function splitSentences(text: string): string[] {
  const sentences = text.split(SENTENCE_END).filter(({ length }) => length >= SENTENCE_CHARS_MIN);
  return sentences.length === 0 ? [text] : sentences.slice(0, SENTENCES_MAX);
}

const mergeHigher = (left: Nearest, right: Nearest): Nearest =>
  left.map((value, place) => Math.max(value, right[place] ?? 0));

type AskedWord = { stem: string; values: Float64Array; length: number };

/** Creates a function that returns the stem of a word, its vector and the length of that; informative words have longer vectors. */
function createAskedReader({ tokenize, dimensions, rows, scales }: TokenTable): (word: string) => AskedWord {
  return (word) => {
    const values = new Float64Array(dimensions);
    for (const id of tokenize(word, WORD_TOKENS_MAX))
      for (let at = 0; at < dimensions; at += 1)
        values[at] = (values[at] ?? 0) + (scales[id] ?? 0) * (rows[id * dimensions + at] ?? 0);
    return { stem: stemWord(word, 'en'), values, length: Math.hypot(...values) };
  };
}

/** Creates a function that returns the similarity of a word to each word of the question; cached, since texts repeat their words. */
function createRelations(asked: readonly AskedWord[], table: TokenTable): (word: string) => Nearest {
  const known = new Map<string, Nearest>();
  const readWord = createAskedReader(table);
  return (word) => {
    const before = known.get(word);
    if (before !== undefined) return before;
    const own = readWord(word);
    const similar = Float64Array.from(asked, (one) => compareWords(own, one));
    known.set(word, similar);
    return similar;
  };
}

/** Vectors do not tell opposites apart, which occur in the same sentences. */
function compareWords(own: AskedWord, asked: AskedWord): number {
  if (own.stem === asked.stem) return 1;
  if (areOpposite(own.stem, asked.stem)) return 0;
  const related = areRelated(own.stem, asked.stem) ? RELATED : 0;
  if (own.length === 0 || asked.length === 0) return related;
  let sum = 0;
  for (let at = 0; at < own.values.length; at += 1) sum += (own.values[at] ?? 0) * (asked.values[at] ?? 0);
  return Math.max(related, sum / (own.length * asked.length));
}

function createNearestReader(size: number, relate: (word: string) => Nearest): (text: string) => Nearest {
  return (text) => {
    const near = new Float64Array(size);
    for (const word of new Set(splitWords(text))) {
      const similar = relate(word);
      for (let place = 0; place < near.length; place += 1)
        near[place] = Math.max(near[place] ?? 0, similar[place] ?? 0);
    }
    return near;
  };
}
