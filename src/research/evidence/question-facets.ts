import { findSentenceEnds } from '../../text/chunk/sentences.ts';
import { readQuery } from '../../text/query/read-query.ts';
import { computeRarity } from '../../text/scoring/rarity.ts';
import { parseTerms } from '../../text/words/words.ts';
import { extractNames, type Name } from './names.ts';
import type { Facet } from './research-types.ts';
import { selectTopicTerms, toRoot } from './telling-terms.ts';

const VERSUS = /^(?<left>.+?)\s+(?:vs\.?|versus|v\.)\s+(?<right>.+)$/iu;
const MIDDLE = [
  VERSUS,
  /^how\s+(?:does|do|did)\s+(?<left>.+?)\s+compare\s+(?:to|with|against)\s+(?<right>.+)$/iu,
  /^(?<left>.+?)\s*,?\s*compared\s+(?:to|with)\s+(?<right>.+)$/iu,
  /^(?<about>.*?)\b(?:difference|differences|distinction|comparison)\s+between\s+(?<left>.+?)\s+and\s+(?<right>.+)$/iu,
  /^(?:please\s+)?compare\s+(?<left>.+?)\s+(?:and|with|to|against)\s+(?<right>.+)$/iu,
  /^(?<left>.+?)\s+(?:than)\s+(?<right>.+)$/iu,
];
/** A question that ends in a choice: `Which is older, A or B?` */
const CHOICE = /^(?<about>.+?)(?:[,:]|\bof|\bbetween)\s+(?<left>[^,]+?)\s+(?:or|and)\s+(?<right>[^,]+)$/iu;
const CHOICE_ASKED = /\b(?:or)\b|\b(?:better|older|oldest|larger|faster|first|more|most|which|who)\b/iu;
const ABOUT = /\s+(?:for|in|on|at|when|regarding|with respect to|in terms of|as)\s+(.+)$/iu;
const LEADING =
  /^(?:(?:please|what|which|who|how|is|are|was|were|does|do|did|the|a|an|main|key|of|in|should|i|we|use|choose|pick)(?:\s+|$))+/iu;
/** Bounds the patterns above, which may scan a sentence once for each of its words. */
const SENTENCE_CHARS_MAX = 500;
const SIDE_CHARS_MAX = 120;
const SIDE_WORDS_MAX = 6;
const isNearStart = ({ start }: Name, most: number): boolean => start <= most + 4;
const isShort = (side: string): boolean =>
  side.length > 0 && side.length <= SIDE_CHARS_MAX && side.split(/\s+/).length <= SIDE_WORDS_MAX;

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
    clauses.push({ text: part, query: [...carried, part].join(' ') });
    if (own.length > 0) named = own.slice(0, NAMES_CARRIED_MAX);
    // If nothing has been named, the rarest word takes the place of a name.
    else if (named.length === 0) named = readQuery(part).keywords(1);
  }
  return clauses;
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

/** The things compared, and the respect in which they are ('' if none is given). */
type Comparison = { sides: string[]; about: string };

/**
 * Parses the comparison that a sentence makes, or returns null: `A vs B for C`, `difference between A and B`, `is A faster than B`,
 * `which is older, A or B`.
 */
function parseComparison(sentence: string): Comparison | null {
  const text = sentence.replace(/(?<![?!.\s])[?!.\s]+$/u, '').trim();
  if (text.length > SENTENCE_CHARS_MAX) return null;
  for (const pattern of MIDDLE) {
    const { left, right, about = '' } = pattern.exec(text)?.groups ?? {};
    if (left === undefined || right === undefined) continue;
    const made = parseSides(left, right, about);
    if (made !== null) return made;
  }
  return parseChoice(text);
}

function parseChoice(text: string): Comparison | null {
  const { left, right, about = '' } = CHOICE.exec(text)?.groups ?? {};
  if (left === undefined || right === undefined || !CHOICE_ASKED.test(text)) return null;
  const sides = [left, right].map(stripFiller);
  const areNames = sides.every((side) => extractNames(`: ${side}`).some(({ text: name }) => name === side));
  return areNames ? { sides, about: stripFiller(about) } : null;
}

/** The sides are the names next to the comparing word, otherwise the words around it without filler. */
function parseSides(left: string, right: string, about: string): Comparison | null {
  const lefts = left
    .split(/\s*,\s*(?:vs\.?|versus)?\s*|\s+(?:vs\.?|versus)\s+/iu)
    .filter((part) => part !== '');
  const nearest = lefts.at(-1) ?? left;
  const leftName = extractNames(` ${nearest}`).at(-1);
  const more = right.split(/\s+(?:vs\.?|versus)\s+/iu);
  const first = more[0] ?? right;
  const rightName = extractNames(`: ${first}`)[0];
  const sides: string[] = lefts.slice(0, -1).filter(isShort).map(stripFiller);
  const respects: string[] = [about];
  if (leftName !== undefined && rightName !== undefined && isNearStart(rightName, 2)) {
    respects.push(nearest.slice(0, Math.max(0, leftName.start - 1)), nearest.slice(leftName.end));
    sides.push(leftName.text, rightName.text);
    respects.push(first.slice(rightName.end - 2));
  } else {
    const respect = ABOUT.exec(more.at(-1) ?? '')?.[1] ?? '';
    respects.push(respect);
    sides.push(stripFiller(nearest), stripFiller(first.replace(ABOUT, '')));
  }
  sides.push(...more.slice(1).map((part) => stripFiller(part.replace(ABOUT, ''))));
  if (sides.length < 2 || !sides.every(isShort)) return null;
  return {
    sides: [...new Set(sides)],
    about: respects
      .map(stripFiller)
      .filter((part) => part !== '')
      .join(' '),
  };
}

function stripFiller(text: string): string {
  return text
    .trim()
    .replace(/^[,;:"“”'\s]+|(?<![,;:?!."“”'\s])[,;:?!."“”'\s]+$/gu, '')
    .replace(LEADING, '')
    .replace(/\s+(?:is|are|was|were|the|a|and|or)$/iu, '')
    .trim();
}
