import { parseTerms } from '../words/words.ts';
import type { QueryText } from './condense-query.ts';
import type { PassageQuery } from './passage-query.ts';
import { type AskedForm, detectAskedForms } from './question-forms.ts';

/** The kind of answer that the words of a question ask for. */
type AnswerKind = 'time' | 'amount' | 'who' | 'where' | null;

/** A question prepared for comparison with passages in one language. */
export type Question = {
  text: string;
  /** Distinct terms (stop words left out) in order, with their rarity, and whether each is a name or a number. */
  terms: { text: string; rarity: number; isName: boolean }[];
  /** The words in lower case, to find what an answer adds. */
  words: ReadonlySet<string>;
  sought: AnswerKind;
  /** The forms of answer that a question about a program asks for. */
  forms: readonly AskedForm[];
  /** True when code is a suitable answer. */
  seeksCode: boolean;
};

const SOUGHT: [Exclude<AnswerKind, null>, RegExp][] = [
  ['time', /\b(?:when|(?:what|which) (?:year|date|day|month|decade|century|time|season)|in what year)\b/i],
  [
    'amount',
    /\b(?:how (?:many|much|old|long|far|tall|high|big|large|often|fast|deep|wide|heavy)|(?:what|which) (?:percentage|percent|number|population|amount|size|temperature|price|cost|age|length|height|distance|speed))\b/i,
  ],
  [
    'who',
    /\b(?:who|whose|whom|(?:what|which) (?:person|actor|actress|singer|president|king|queen|author))\b/i,
  ],
  ['where', /\b(?:where|(?:what|which) (?:city|country|state|place|county|region|continent|town|river))\b/i],
];
const CODE_WORDS =
  /\b(?:commands?|syntax|usage|snippet|code|install|example|cli|api|function|method|option|flag|regex|query|script|configure|configuration)\b|\bhow (?:do i|can i|to)\b/i;
const CODE_SIGNS = /`|(?:^|\s)--?[a-z]|\w\(\)|[a-z]_[a-z]|::|\.\w+\(|\b[a-z]+[A-Z]\w+/;

/** Builds a question for pages in `language` (BCP 47, null counts as English). */
export function buildQuestion(
  { text: query, lowerCaseWords }: QueryText,
  language: string | null,
  { terms, rarities }: PassageQuery,
): Question {
  const names = collectNameTerms(query, language);
  return {
    text: query,
    terms: terms.map((text, place) => ({
      text,
      rarity: rarities[place] ?? 1,
      isName: names.has(text) || /\p{N}/u.test(text),
    })),
    words: new Set(lowerCaseWords()),
    sought: SOUGHT.find(([, pattern]) => pattern.test(query))?.[0] ?? null,
    forms: detectAskedForms(query),
    seeksCode: CODE_WORDS.test(query) || CODE_SIGNS.test(query),
  };
}

/** True when the rarity of words in a language is known (null counts as English). */
export const hasKnownRarities = (language: string | null): boolean => language === null || language === 'en';

/** Returns the terms of capitalised words that do not begin the question. */
function collectNameTerms(query: string, language: string | null): Set<string> {
  const words = query.match(/(?<=\S\s+["'“‘(]?)\p{Lu}[\p{L}\p{N}\p{M}]*/gu) ?? [];
  return new Set(parseTerms(words.join(' '), language).map(({ text }) => text));
}

const TIMES =
  /\b(?:1\d{3}|20\d{2}|\d{1,2}(?:st|nd|rd|th)|\d{3,4}s|january|february|march|april|may|june|july|august|september|october|november|december|century|(?:mon|tues|wednes|thurs|fri|satur|sun)day|spring|summer|autumn|winter|bc|ad|\d{1,2}:\d{2})\b/gi;
const AMOUNTS =
  /\b\d[\d.,]*|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand|million|billion|half|third|quarter|dozen|once|twice|none)\b/gi;
const NAMES = /(?<=[\p{Ll}\p{N},;:()–—-][ "'“‘(]{1,8}|\p{Lu}\p{Ll}{1,40} )\p{Lu}[\p{L}\p{M}]+/gu;

/** True when a passage contains the kind of answer asked for, other than words of the question itself. */
export function containsAnswerKind(passage: string, { sought, words }: Question): boolean {
  if (sought === null) return false;
  const pattern = sought === 'time' ? TIMES : sought === 'amount' ? AMOUNTS : NAMES;
  return (passage.match(pattern) ?? []).some((found) => !words.has(found.toLowerCase()));
}
