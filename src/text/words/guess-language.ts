import { LANGUAGE_MARKERS } from './stop-words.ts';

const SCRIPTS: [language: string, script: RegExp][] = [
  ['ru', /\p{Script=Cyrillic}/gu],
  ['el', /\p{Script=Greek}/gu],
  ['ar', /\p{Script=Arabic}/gu],
  ['hi', /\p{Script=Devanagari}/gu],
  ['ta', /\p{Script=Tamil}/gu],
  ['hy', /\p{Script=Armenian}/gu],
  ['he', /\p{Script=Hebrew}/gu],
  ['th', /\p{Script=Thai}/gu],
  ['ko', /\p{Script=Hangul}/gu],
  // Japanese has Chinese characters too, so its own come first.
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['zh', /\p{Script=Han}/gu],
];
const LANGUAGES = Object.entries(LANGUAGE_MARKERS).map(([language, words]): [string, Set<string>] => [
  language,
  new Set(words.split(' ')),
]);

const SAMPLE_CHARS = 1_200;
const SCRIPT_SHARE_MIN = 0.3;
/** A smaller share of marker words identifies no language. */
const WORD_SHARE_MIN = 0.12;

/**
 * Guesses the language (a primary subtag) of a text that declares none, by its script or its stop words; null when neither is
 * clear. Extraction decides the language of pages; passages guess only for texts without a decision: snippets, and pages stored by
 * an earlier version.
 */
export function guessLanguage(chunks: readonly { markdown: string }[]): string | null {
  const middle = chunks[Math.floor(chunks.length / 2)]?.markdown ?? '';
  const sample = `${middle}\n${chunks[0]?.markdown ?? ''}`.slice(0, SAMPLE_CHARS).toLowerCase();
  const letters = sample.match(/\p{L}/gu)?.length ?? 0;
  for (const [language, script] of SCRIPTS)
    if ((sample.match(script)?.length ?? 0) > letters * SCRIPT_SHARE_MIN) return language;
  const words = sample.match(/\p{L}+/gu) ?? [];
  let best: { language: string | null; count: number } = {
    language: null,
    count: words.length * WORD_SHARE_MIN,
  };
  for (const [language, known] of LANGUAGES) {
    const count = words.filter((word) => known.has(word)).length;
    if (count > best.count) best = { language, count };
  }
  return best.language;
}
