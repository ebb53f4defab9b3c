import { rarityOf } from '../rarity.ts';
import { stemLanguage } from '../stems.ts';
import { isStopWord, termsOf } from '../words.ts';

/** What a question asks for, where its words say so. */
export type AskedKind = 'date' | 'number' | null;

/** A query as passages are scored for it. */
export type PassageQuery = {
  /** Its distinct terms without function words, at most 31, in order. */
  terms: string[];
  /** How much each of them tells in general, 0 to 1. */
  rarities: number[];
  /** Neighbouring terms as the query has them, function words too (`let it be`). */
  pairs: [left: string, right: string][];
  asks: AskedKind;
};

/** So many that each is a bit of an integer. */
const TERMS_MAX = 31;
const PAIRS_MAX = 64;
const QUERY_CHARS_MAX = 4_000;
/** Languages without a list of common words: their function words are short. By length. */
const SHORT_RARITIES = [0.2, 0.2, 0.35, 0.6, 0.8];
const ALPHABETIC =
  /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}]+$/u;

const ASKS: [AskedKind, RegExp][] = [
  ['number', /\bhow (?:many|much|long|far|old|tall|high|large|big|often)\b|\bwhat (?:percent|number)/i],
  ['date', /\bwhen\b|\b(?:what|which) (?:year|date|day|month|century|decade)\b/i],
];

/** A query's terms as `wordsOf` gives them; function words count as terms when there is nothing else. */
export function passageQuery(query: string, language: string | null): PassageQuery {
  const sequence = termsOf(query.slice(0, QUERY_CHARS_MAX), language).map(({ text }) => text);
  const distinct = [...new Set(sequence)];
  const telling = distinct.filter((term) => !isStopWord(term));
  const terms = (telling.length > 0 ? telling : distinct).slice(0, TERMS_MAX);
  const isEnglish = stemLanguage(language) === 'en';
  return {
    terms,
    rarities: terms.map((term) => (isEnglish ? rarityOf(term) : Math.min(rarityOf(term), shortRarity(term)))),
    pairs: sequence.slice(1, PAIRS_MAX + 1).map((right, place) => [sequence[place] ?? '', right]),
    asks: ASKS.find(([, pattern]) => pattern.test(query))?.[0] ?? null,
  };
}

const shortRarity = (term: string): number =>
  ALPHABETIC.test(term) ? (SHORT_RARITIES[term.length] ?? 1) : 1;
