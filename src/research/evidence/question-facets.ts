import { findSentenceEnds } from '../../text/chunk/sentences.ts';
import { extractNames } from '../../text/facts/names.ts';
import { readQuery } from '../../text/query/read-query.ts';
import { computeRarity } from '../../text/scoring/rarity.ts';
import { parseTerms } from '../../text/words/words.ts';
import { parseComparison } from './comparison.ts';
import type { Facet } from './relevance.ts';
import { selectTopicTerms, toRoot } from './relevance.ts';

/** Words that begin a question or a request, in the languages whose questions are split into clauses. */
const ASKING =
  "who|whom|whose|what|when|where|which|why|how|does|do|did|is|are|was|were|can|will|explain|compare|list|describe|find|wer|wen|wem|was|wann|wo|woher|wohin|wie|warum|wieso|weshalb|welche[rsnm]?|qui|que|quoi|quand|où|comment|pourquoi|quel(?:le)?s?|combien|qu['’]|quién(?:es)?|qué|cuándo|dónde|cómo|cuál(?:es)?|cuánt[oa]s?|por qué|chi|cosa|quando|dove|come|perché|quale|quanti|wie|wanneer|waar|hoe|waarom|welk|кто|что|когда|где|как|почему|какой|какая|какие|сколько";
const JOINED = new RegExp(
  `(?:\\s*[,;]\\s*|\\s+)(?:and|or|but|as well as|und|oder|et|ou|y|o|e|en|и|или)(?:\\s+also)?\\s+(?=(?:(?:in|for|by|to|since|under|from|with|at|on|after)\\s+)?(?:${ASKING})(?![\\p{L}]))`,
  'giu',
);
/** Matches words that begin a new clause after a mere comma; `which` and `who` would refer to what precedes them. */
const BESIDE = /\s*[,:]\s*(?=(?:what|when|where|why|how|explain|compare|list|describe)(?!\p{L}))/giu;
const CJK_STOPS = /[。？！；]|[，、](?=.{6})|(?:以及|并且|而且|また|そして)/u;
const HAS_CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** `the population, area and highest point of France` */
const LISTED =
  /^(?<head>.*?\b(?:the|are|is|was|were|of|find|list|compare))\s+(?<items>[\p{L}\p{N}' -]{2,40}(?:,\s*(?:the\s+)?[\p{L}\p{N}' -]{2,40}){0,4},?\s+and\s+(?:the\s+)?[\p{L}\p{N}' -]{2,40}?)\s+(?<join>of|for|in)\s+(?<rest>.+)$/iu;
const REFERRING =
  /(?<!\p{L})(?:it|its|they|them|their|he|him|his|she|her|hers|this|these|those|there|er|sie|es|dessen|deren|elle|il|ils|elles|lui|ihr|ihre|su|sus|él|ella|он|она|оно|они|его|её|их)(?!\p{L})/iu;
const CLAUSES_MAX = 8;
const ITEM_WORDS_MAX = 4;
const NAMES_CARRIED_MAX = 2;

const FACETS_MAX = 12;
const COMPARISONS_MAX = 2;
/** Minimum topic words for a question to count as long. */
const LONG_WORDS_MIN = 5;
const RARE_WORDS_MAX = 2;

/** Extracts the facets of a question: the whole, the sides of comparisons, its clauses, the things that it names. */
export function extractFacets(question: string): Facet[] {
  const whole = question.replace(/\s+/gu, ' ').trim();
  const comparisons = buildComparisonFacets(question);
  const clauses = splitClauses(question);
  const names = extractNames(question).map(({ text }) => text);
  const proposed: Facet[] = [
    { kind: 'question', facet: whole, query: whole },
    ...comparisons,
    ...(clauses.length > 1
      ? clauses.map(({ text, query }): Facet => ({ kind: 'clause', facet: text, query }))
      : []),
    ...(names.length > 0 ? names : findRareWords(whole))
      .filter((name) => !comparisons.some(({ kind, query }) => kind === 'side' && query.startsWith(name)))
      .map((name): Facet => ({ kind: 'name', facet: name, query: name })),
  ];
  return dedupeFacets(proposed).slice(0, FACETS_MAX);
}

/** Finds the rarest words of a long question without names. They take the place of names: pages about them share little else with it. */
function findRareWords(question: string): string[] {
  const words = readQuery(question).keywords(LONG_WORDS_MIN);
  if (words.length < LONG_WORDS_MIN) return [];
  return words
    .filter((word) =>
      selectTopicTerms(parseTerms(word, null)).some((term) => computeRarity(toRoot(term)) === 1),
    )
    .slice(0, RARE_WORDS_MAX);
}

/** Drops facets that search for the same words as an earlier one, and parts without a word that carries a topic. */
export function dedupeFacets(facets: readonly Facet[]): Facet[] {
  const known = new Map<string, number>();
  const distinct: Facet[] = [];
  for (const facet of facets) {
    const terms = selectTopicTerms(readQuery(facet.query).terms(null));
    if (terms.length === 0 && facet.kind !== 'question' && facet.kind !== 'comparison') continue;
    const key = (terms.length > 0 ? terms : [facet.query]).toSorted().join(' ');
    const place = known.get(key);
    if (place === undefined) known.set(key, distinct.push(facet) - 1);
    // A question that is nothing but a comparison is reported as one.
    else if (facet.kind === 'comparison') distinct[place] = facet;
  }
  return distinct;
}

function buildComparisonFacets(question: string): Facet[] {
  const found: Facet[] = [];
  for (const sentence of splitSentences(question).slice(0, COMPARISONS_MAX)) {
    const comparison = parseComparison(sentence);
    if (comparison === null) continue;
    const { sides, about } = comparison;
    if (sides.some((side) => selectTopicTerms(parseTerms(side, null)).length === 0)) continue;
    for (const side of sides) {
      const query = about === '' ? side : `${side} ${about}`;
      found.push({ kind: 'side', facet: query, query });
    }
    const facet = `${sides.join(' vs ')}${about === '' ? '' : ` (${about})`}`;
    found.push({ kind: 'comparison', facet, query: `${sides.join(' ')} ${about}`.trim() });
  }
  return found;
}

/** A clause, and the clause with the names that it refers back to. */
type Clause = { text: string; query: string };

/** Splits a text into its separate questions; the query of one that refers to something named before includes that name. */
function splitClauses(text: string): Clause[] {
  const clauses: Clause[] = [];
  let named: string[] = [];
  for (const part of splitParts(text).slice(0, CLAUSES_MAX)) {
    const own = extractNames(part).map(({ text: name }) => name);
    const refers = own.length === 0 || REFERRING.test(part);
    const carried = refers ? named.filter((name) => !part.includes(name)) : [];
    if (!isOnlyNamed(part, own)) clauses.push({ text: part, query: [...carried, part].join(' ') });
    if (own.length > 0) named = own.slice(0, NAMES_CARRIED_MAX);
    // If nothing has been named, the rarest word takes the place of a name.
    else if (named.length === 0) named = readQuery(part).keywords(1);
  }
  return clauses;
}

/** Returns whether a part says nothing but names ("In PostgreSQL, …"): it asks nothing by itself. */
function isOnlyNamed(part: string, names: readonly string[]): boolean {
  const named = new Set(names.flatMap((name) => parseTerms(name, null).map(({ text }) => text)));
  return (
    /^(?:in|for|with|on|under|using)\s/i.test(part) &&
    selectTopicTerms(parseTerms(part, null)).every((term) => named.has(term))
  );
}

function splitParts(text: string): string[] {
  return splitSentences(text)
    .flatMap((sentence) => sentence.split(JOINED))
    .flatMap((part) => part.split(BESIDE))
    .flatMap((part) => (HAS_CJK.test(part) ? part.split(CJK_STOPS) : [part]))
    .flatMap(expandList)
    .map((part) => part.replace(/^[\s,;:]+|(?<![\s,;:?!.])[\s,;:?!.]+$/gu, ''))
    .filter((part) => selectTopicTerms(parseTerms(part, null)).length > 0);
}

/** Splits a question into sentences, which may be on separate lines or in a list. */
function splitSentences(text: string): string[] {
  return text
    .split(/\n+/)
    .flatMap((line) => {
      const bare = line.replace(/^\s*(?:[-*•]|\d{1,2}[.)])\s+/, '');
      const ends = [...findSentenceEnds(bare), bare.length];
      return ends.map((end, place) => bare.slice(ends[place - 1] ?? 0, end));
    })
    .flatMap((sentence) => sentence.split(/;\s+|(?<=[?؟])\s*/u))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}

/** Expands `the A, B and C of D` to `A of D`, `B of D`, `C of D`. Lists of names stay, because names are facets by themselves. */
function expandList(part: string): string[] {
  const { head = '', items, join = 'of', rest = '' } = LISTED.exec(part)?.groups ?? {};
  if (items === undefined || /\b(?:between|both)\b/iu.test(head)) return [part];
  const list = items
    .split(/,\s*(?:and\s+)?|\s+and\s+/u)
    .map((item) => item.replace(/^(?:the|a)\s+/iu, '').trim());
  const areShort = list.every((item) => item !== '' && item.split(/\s+/).length <= ITEM_WORDS_MAX);
  const areNames = list.some((item) => /^\p{Lu}/u.test(item));
  return areShort && !areNames && list.length > 1 ? list.map((item) => `${item} ${join} ${rest}`) : [part];
}
