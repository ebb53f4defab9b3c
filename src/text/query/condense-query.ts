import { resolveStemLanguage } from '../words/stems.ts';
import { isStopWord, REQUEST_WORDS } from '../words/stop-words.ts';
import { parseTerms, type Term } from '../words/words.ts';

/** Maximum languages cached: pages may declare any, so the oldest entry is dropped. */
const LANGUAGES_KEPT = 8;

/** Limits of a query that a source accepts. */
export type QueryBounds = { chars: number; words: number | null };

/** A word or a quoted phrase of a query. `weight` 0: it carries no topic. */
type Piece = { text: string; place: number; words: number; weight: number };

const PHRASE = /["“”«»„]([^"“”«»„]{2,100})["“”«»„]/g;
const PHRASE_WORDS_MAX = 8;
const PHRASE_WEIGHT = 4;
/** Longer pieces are texts without spaces or addresses, not words. */
const WORD_CHARS_USUAL = 40;
/** Punctuation around a word that is not part of it; `C++`, `#include`, `@types`, `.gitignore`, `$PATH` stay. */
const EDGES =
  /^(?:[\s,;:!?(){}[\]<>'`’‘|~*=/\\-]|\.(?!\p{L}))+|(?<![\s.,;:!?(){}[\]<>'`’‘|~*=/\\-])[\s.,;:!?(){}[\]<>'`’‘|~*=/\\-]+$/gu;
const ASKING_WORDS: ReadonlySet<string> = new Set([
  ...REQUEST_WORDS,
  ...['know', 'help', 'need', 'looking', 'wondering', 'trying'],
]);
const CODE_MARK = /[\p{L}\p{N}][._:/@$#+][\p{L}\p{N}]|\p{Ll}\p{Lu}|[+#]$|^[-$@#]|_/u;
/** An amount or a unit carries little meaning alone; a year or a version carries more. */
const SLIGHT = /^(?:\p{N}{1,3}|\p{Ll})$/u;
const SLIGHT_WEIGHT = 0.8;
const SEGMENTER = new Intl.Segmenter('und', { granularity: 'word' });

/** Shortens one query. */
type Condenser = {
  /**
   * Returns the query as a source accepts it: unchanged when it fits; else its quoted phrases and its most informative words (rare,
   * named, numbered, code-like, repeated), in order. Never cuts a word: '' when not one fits.
   */
  condense(bounds: QueryBounds): string;
  /**
   * Returns the words and phrases (without their quotes) that carry the topic, at most `max`, in order; all words when none does.
   */
  keywords(max: number): string[];
};

/** Creates a condenser, which splits the query on first use. */
export function createCondenser(query: string): Condenser {
  const line = memoize(() => collapseWhitespace(query));
  const topics = memoize(() => selectTopics(splitPieces(line())));
  return {
    condense: (bounds) =>
      isWithinBounds(line(), bounds) ? line() : joinPieces(selectFitting(topics(), bounds)),
    keywords: (max) => selectBest(topics(), max).map(({ text }) => text.replace(/^"|"$/g, '')),
  };
}

const isWithinBounds = (line: string, { chars, words }: QueryBounds): boolean =>
  line.length <= chars && countWords(line) <= (words ?? Infinity);

/** Selects the pieces that carry a topic; all of them when none does. */
function selectTopics(pieces: Piece[]): Piece[] {
  const topics = pieces.filter(({ weight }) => weight > 0);
  return topics.length > 0 ? topics : pieces;
}

const collapseWhitespace = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();

const countWords = (text: string): number => (text === '' ? 0 : text.split(' ').length);
const joinPieces = (pieces: readonly Piece[]): string => pieces.map(({ text }) => text).join(' ');

function splitPieces(line: string): Piece[] {
  const pieces: Piece[] = [];
  let rest = 0;
  for (const match of line.matchAll(PHRASE)) {
    const phrase = match[1]?.trim() ?? '';
    const words = countWords(phrase);
    if (phrase === '' || words > PHRASE_WORDS_MAX) continue;
    pushWords(pieces, line.slice(rest, match.index));
    pieces.push({ text: `"${phrase}"`, place: pieces.length, words, weight: PHRASE_WEIGHT });
    rest = match.index + match[0].length;
  }
  pushWords(pieces, line.slice(rest));
  return mergeRepeated(pieces);
}

function pushWords(pieces: Piece[], text: string): void {
  let startsSentence = pieces.length === 0;
  for (const raw of text.split(' ')) {
    for (const word of splitWords(raw)) {
      pieces.push({
        text: word,
        place: pieces.length,
        words: 1,
        weight: computeWeight(word, startsSentence),
      });
      startsSentence = false;
    }
    startsSentence ||= /[.!?]["”’)]*$/.test(raw);
  }
}

/** Splits a text without spaces into words by dictionary. */
function splitWords(raw: string): string[] {
  const word = raw.replace(EDGES, '');
  if (word.length <= WORD_CHARS_USUAL) return /[\p{L}\p{N}]/u.test(word) ? [word] : [];
  return [...SEGMENTER.segment(word)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment);
}

function computeWeight(word: string, startsSentence: boolean): number {
  const lower = word.toLowerCase();
  const isCode = CODE_MARK.test(word);
  const isName = !startsSentence && /^\p{Lu}/u.test(word);
  if (!isCode && isStopWord(lower.replace(/['’].*$/s, ''))) return 0;
  if (!isCode && !isName && ASKING_WORDS.has(lower)) return 0;
  if (SLIGHT.test(word)) return SLIGHT_WEIGHT;
  let weight = 1 + Math.min(word.length, 12) / 12;
  if (/\p{N}/u.test(word)) weight += 0.6;
  if (isCode) weight += 0.8;
  if (isName) weight += 0.6;
  return weight;
}

/** Merges repeated words; repetition raises their weight. */
function mergeRepeated(pieces: readonly Piece[]): Piece[] {
  const found = new Map<string, Piece & { count: number }>();
  for (const piece of pieces) {
    const key = piece.text.toLowerCase();
    const known = found.get(key);
    if (known === undefined) found.set(key, { ...piece, count: 1 });
    else {
      known.count += 1;
      known.weight = Math.max(known.weight, piece.weight);
    }
  }
  return [...found.values()].map(({ count, ...piece }) => ({
    ...piece,
    weight: piece.weight === 0 ? 0 : piece.weight + 0.4 * Math.log2(count),
  }));
}

/** Selects the heaviest pieces that fit together, in query order. */
function selectFitting(pieces: readonly Piece[], bounds: QueryBounds): Piece[] {
  const wordsMax = bounds.words ?? Infinity;
  const chosen: Piece[] = [];
  let chars = -1;
  let words = 0;
  for (const piece of sortByWeight(pieces)) {
    if (chars + 1 + piece.text.length > bounds.chars || words + piece.words > wordsMax) continue;
    chosen.push(piece);
    chars += 1 + piece.text.length;
    words += piece.words;
  }
  return chosen.toSorted((one, other) => one.place - other.place);
}

const sortByWeight = (pieces: readonly Piece[]): Piece[] =>
  pieces.toSorted((one, other) => other.weight - one.weight || one.place - other.place);

const selectBest = (pieces: readonly Piece[], max: number): Piece[] =>
  sortByWeight(pieces)
    .slice(0, max)
    .toSorted((one, other) => one.place - other.place);

/** The text of a query and its words, each computed once. */
export type QueryText = {
  readonly text: string;
  /** Its terms, stemmed for `language` (BCP 47; null counts as English). */
  terms(language: string | null): readonly Term[];
  /** Its runs of letters and digits, in lower case. */
  lowerCaseWords(): readonly string[];
};

export function createQueryText(text: string): QueryText {
  const byStemmer = memoizePerLanguage((stemmer) => parseTerms(text, stemmer));
  return {
    text,
    terms: (language) => byStemmer(resolveStemLanguage(language)),
    lowerCaseWords: memoize(() => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []),
  };
}

/** Wraps a function so that it is called on first use and never again. */
export function memoize<Value>(read: () => Value): () => Value {
  let known: { value: Value } | null = null;
  return () => {
    known ??= { value: read() };
    return known.value;
  };
}

/** Wraps a function so that it is called once per language, for the last few languages. */
export function memoizePerLanguage<Language extends string | null, Value>(
  read: (language: Language) => Value,
): (language: Language) => Value {
  const known = new Map<Language, Value>();
  return (language) => {
    const value = known.get(language) ?? read(language);
    known.set(language, value);
    dropOldest(known, LANGUAGES_KEPT);
    return value;
  };
}

/** Drops the oldest entry of a map that holds more than `most`. */
export function dropOldest<Key>(map: Map<Key, unknown>, most: number): void {
  if (map.size <= most) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
