import { limitMarks } from './compatible.ts';

const BIGRAM_SCRIPTS = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}ー々';
const TRIGRAM_SCRIPTS = '\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';

const UNSPACED = new RegExp(`[${BIGRAM_SCRIPTS}${TRIGRAM_SCRIPTS}]`, 'u');
const RUNS = new RegExp(
  `([${BIGRAM_SCRIPTS}]+)|([${TRIGRAM_SCRIPTS}]+)|[^${BIGRAM_SCRIPTS}${TRIGRAM_SCRIPTS}]+`,
  'gu',
);

/** A run of characters of one word: unchanged, or split into overlapping pairs or triples. */
type Run = { text: string; grams: string[] | null };

/**
 * True for words written, at least in part, in a script without spaces between words, or one whose words take unlimited suffixes
 * (Hangul).
 */
export const isUnspaced = (word: string): boolean => UNSPACED.test(word);

/**
 * Splits such a word into runs: Han, Kana and Hangul become overlapping pairs; Thai, Lao, Khmer and Burmese become overlapping
 * triples; the rest is unchanged. A run that is shorter than its grams is one gram.
 */
export function splitScriptRuns(word: string): Run[] {
  const runs: Run[] = [];
  for (const [text, pairs, triples] of word.matchAll(RUNS)) {
    if (pairs !== undefined) runs.push({ text, grams: splitGrams(text, 2) });
    else if (triples !== undefined) runs.push({ text, grams: splitGrams(text, 3) });
    else runs.push({ text, grams: null });
  }
  return runs;
}

function splitGrams(run: string, size: number): string[] {
  const characters = [...run];
  if (characters.length <= size) return [run];
  return characters.slice(size - 1).map((_, start) => characters.slice(start, start + size).join(''));
}

const LETTERS_WITHOUT_DECOMPOSITION: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  ŧ: 't',
  þ: 'th',
  ё: 'е',
};
const SINGLE_LETTERS = /[ßæœøđðħıłŧþё]/g;
/** Accents of Latin and Greek letters; vowel marks of Hebrew and Arabic and the Arabic tatweel, which writers often omit. */
const OMITTED_MARKS =
  /(?<=[\p{Script=Latin}\p{Script=Greek}]\p{M}*)\p{M}|[\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]/gu;

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is intended
const ASCII = /^[\u0000-\u007f]*$/;

/**
 * Folds a lower-case NFKC word: removes what writers omit or vary (accents, ligatures, vowel points). Other marks (Indic vowels, й)
 * stay.
 */
export function foldAccents(word: string): string {
  if (ASCII.test(word)) return word;
  return limitMarks(word)
    .normalize('NFD')
    .replace(OMITTED_MARKS, '')
    .normalize('NFC')
    .replace(SINGLE_LETTERS, (letter) => LETTERS_WITHOUT_DECOMPOSITION[letter] ?? letter)
    .replaceAll('ς', 'σ');
}
