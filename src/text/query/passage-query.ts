import { computeRarity } from '../scoring/rarity.ts';
import { findEmptyWords, toPrimarySubtag } from '../words/light-words.ts';
import { resolveStemLanguage, stemWord } from '../words/stems.ts';
import { isStopWord, UNSPACED_STOP_WORDS } from '../words/stop-words.ts';
import { parseTerms } from '../words/words.ts';
import type { QueryText } from './condense-query.ts';
import { type AskedKind, detectAskedKind } from './question-kind.ts';

/** A query prepared for scoring passages. */
export type PassageQuery = {
  /** The query as asked, truncated. */
  text: string;
  /** Its distinct terms without function words, at most 31, in order. */
  terms: string[];
  /** Each term as spelled in the query, in lower case. */
  words: string[];
  /** The rarity of each term, 0 to 1. */
  rarities: number[];
  /** Adjacent terms of the query, function words included (`let it be`). */
  pairs: [left: string, right: string][];
  asks: AskedKind | null;
  /** The action that it asks how to perform; English pages only. */
  act: AskedAct | null;
};

/** Maximum terms: each is one bit of an integer. */
const TERMS_MAX = 31;
const PAIRS_MAX = 64;
const QUERY_CHARS_MAX = 4_000;
/** Rarity by length in languages without a list of common words: short words are likely to be function words. */
const SHORT_RARITIES = [0.2, 0.2, 0.35, 0.6, 0.8];
const ALPHABETIC =
  /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}]+$/u;

/** Builds a passage query with the terms that `tokenizeWords` returns; function words count as terms when there are no others. */
export function buildPassageQuery(query: QueryText, language: string | null): PassageQuery {
  const text = query.text.slice(0, QUERY_CHARS_MAX);
  const primary = toPrimarySubtag(language);
  const read = stripStopWords(text, primary);
  const found = read === query.text ? query.terms(language) : parseTerms(read, language);
  const sequence = found.map((term) => term.text);
  const distinct = [...new Set(sequence)];
  const { stop: isEmpty } = findEmptyWords(language);
  const telling = distinct.filter((term) => !isStopWord(term) && !isEmpty.has(term));
  const terms = sampleEvenly(telling.length > 0 ? telling : distinct);
  const stems = resolveStemLanguage(language);
  const isEnglish = stems === 'en';
  const wordOf = new Map(query.lowerCaseWords().map((word) => [stemWord(word, stems), word]));
  return {
    text,
    terms,
    words: terms.map((term) => wordOf.get(term) ?? term),
    rarities: terms.map((term) =>
      isEnglish ? computeRarity(term) : Math.min(computeRarity(term), estimateShortRarity(term)),
    ),
    pairs: sequence.slice(1, PAIRS_MAX + 1).map((right, place) => [sequence[place] ?? '', right]),
    asks: detectAskedKind(text),
    act: isEnglish ? detectAskedAct(text) : null,
  };
}

/** Samples at most `TERMS_MAX` terms evenly from a long query: every second one of overlapping grams still covers the text. */
function sampleEvenly(terms: string[]): string[] {
  if (terms.length <= TERMS_MAX) return terms;
  return Array.from(
    { length: TERMS_MAX },
    (_, place) => terms[Math.floor((place * terms.length) / TERMS_MAX)] ?? '',
  );
}

function stripStopWords(query: string, language: string): string {
  let left = query;
  for (const word of findEntry(UNSPACED_STOP_WORDS, language) ?? []) left = left.replaceAll(word, ' ');
  return left.trim() === '' ? query : left;
}

/** Looks up a language safely: a page may declare any string, such as `constructor`. */
const findEntry = <Entry>(table: Readonly<Record<string, Entry>>, language: string): Entry | null =>
  Object.hasOwn(table, language) ? (table[language] ?? null) : null;

const estimateShortRarity = (term: string): number =>
  ALPHABETIC.test(term) ? (SHORT_RARITIES[term.length] ?? 1) : 1;

/** An action that a question asks how to perform: the stems of all verbs that passages express it with. */
type AskedAct = {
  /** The stem of the verb in the question itself. */
  said: string;
  stems: ReadonlySet<string>;
};

const OFF =
  'disable deactivate turn switch stop suppress prevent avoid skip omit ignore silence mute remove unset exclude';
/** Verbs with the same meaning in manuals; the first column has those of questions. */
const VERBS: [said: string, others: string][] = [
  ['turn switch', 'enable activate turn switch start convert set'],
  ['enable activate start begin allow permit', 'enable activate turn switch start convert set allow permit'],
  ['disable deactivate stop prevent avoid skip suppress silence mute ignore forbid disallow', OFF],
  ['hide mask redact', 'hide mask redact suppress exclude omit remove filter replace obscure'],
  [
    'limit restrict cap bound',
    'limit restrict cap bound exceed maximum minimum max most least size threshold truncate',
  ],
  [
    'set change configure adjust choose pick define specify',
    'set change configure adjust choose define specify override modify',
  ],
];
const PARTICLES = /^(?:turn|switch)(?:ing)?\b.*\b(on|off)\b/i;

/** Matches the words before the verb of a how-to question. */
const LEAD =
  /^(?:(?:please|and|so) +)?(?:how (?:do|can|could|should|would|might) (?:i|you|we|one) +|how to +|(?:what is|what's) the (?:best )?way to +|(?:i|we) (?:want|need|would like) to +|can (?:i|you|we) +|is there a way to +|ways? to +|(?:best|easiest|simplest) way to +)?/i;

const byVerb = new Map<string, ReadonlySet<string>>(
  VERBS.flatMap(([said, others]) => {
    const stems = new Set(stemVerbs(`${said} ${others}`));
    return said.split(' ').map((verb) => [verb, stems] as const);
  }),
);
const NO_STEMS: ReadonlySet<string> = new Set();
const turningOff = new Set(stemVerbs(OFF));

/**
 * Detects the action that a question asks how to perform ("how do I turn on WAL", "limit the size of uploads"); null for any other
 * question.
 */
export function detectAskedAct(question: string): AskedAct | null {
  const lead = LEAD.exec(question.trim())?.[0] ?? '';
  const asked = question.trim().slice(lead.length);
  const verb = /^[a-z]+/i.exec(asked)?.[0].toLowerCase() ?? '';
  const stems = byVerb.get(verb);
  if (stems === undefined)
    return lead === '' || verb === '' ? null : { said: stemWord(verb, 'en'), stems: NO_STEMS };
  const particle = PARTICLES.exec(asked)?.[1]?.toLowerCase();
  return { said: stemWord(verb, 'en'), stems: particle === 'off' ? turningOff : stems };
}

function stemVerbs(verbs: string): string[] {
  return verbs.split(' ').map((verb) => stemWord(verb, 'en'));
}
