/** Scripts with one edition, or with one that outweighs all others; the first match counts. */
const EDITIONS: [script: RegExp, language: string][] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'ja'],
  [/\p{Script=Hangul}/u, 'ko'],
  [/\p{Script=Han}/u, 'zh'],
  [/[іїєґ]/iu, 'uk'],
  [/\p{Script=Cyrillic}/u, 'ru'],
  [/\p{Script=Greek}/u, 'el'],
  [/\p{Script=Hebrew}/u, 'he'],
  [/[پچژگک]/u, 'fa'],
  [/\p{Script=Arabic}/u, 'ar'],
  [/\p{Script=Devanagari}/u, 'hi'],
  [/\p{Script=Bengali}/u, 'bn'],
  [/\p{Script=Tamil}/u, 'ta'],
  [/\p{Script=Telugu}/u, 'te'],
  [/\p{Script=Thai}/u, 'th'],
  [/\p{Script=Georgian}/u, 'ka'],
  [/\p{Script=Armenian}/u, 'hy'],
];
const WIKIPEDIA = /^https:\/\/[a-z-]{2,20}\.wikipedia\.org$/;
const LETTER = /\p{L}/gu;

/**
 * The edition to ask for a query: the one of its script if most of its letters are not Latin, otherwise the configured one,
 * because the language of a few Latin words is uncertain. A base that is not Wikipedia itself stays unchanged.
 */
export function chooseWikipediaEdition(baseUrl: string, query: string): string {
  if (!WIKIPEDIA.test(baseUrl)) return baseUrl;
  const letters = query.match(LETTER) ?? [];
  const latin = letters.filter((letter) => /\p{Script=Latin}/u.test(letter)).length;
  if (letters.length === 0 || latin * 2 >= letters.length) return baseUrl;
  const language = EDITIONS.find(([script]) => script.test(query))?.[1];
  return language === undefined ? baseUrl : `https://${language}.wikipedia.org`;
}
