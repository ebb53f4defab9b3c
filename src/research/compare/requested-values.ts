import { extractNames } from '../../text/facts/names.ts';
import { detectAskedKind } from '../../text/query/question-kind.ts';
import { computeRarity } from '../../text/scoring/rarity.ts';
import { tokenizeWords } from '../../text/words/words.ts';
import type { Evidence, Facet } from '../evidence/relevance.ts';
import { selectTopicTerms } from '../evidence/relevance.ts';
import { isPropertyWord, toProperty } from './attributes.ts';
import { STEMS } from './subject.ts';

/** The kind of value that a question asks for; `whether`: yes or no. */
type ValueKind = 'date' | 'quantity' | 'version' | 'name' | 'whether';

/** A value that one part of a question asks for. */
export type AskedValue = {
  what: string;
  kind: ValueKind;
  /** The stems of the thing's name, with the weight of each. */
  subject: ReadonlyMap<string, number>;
  /** The thing has one name, all of which a text must contain. */
  isOneName: boolean;
  /** The property asked for: words, or the names of properties and events. */
  property: ReadonlyMap<string, number>;
  /** All words of the question, which no answer repeats. */
  words: ReadonlySet<string>;
};

const WHETHER = /^(?:does|do|did|is|are|was|were|can|may|must|has|have|should)\s/iu;
const CHOICE = /\b(?:or|than|versus|vs)\b/iu;
const VERSION = /\b(?:which|what|since)\s+(?:\p{L}+\s+)?version\b/iu;
const NAME =
  /^(?:who|where)\b|\b(?:which|what)\s+(?:licen[cs]e|company|person|city|town|country|language|place|author|team)\b/iu;
const DATE = /\b(?:which|what)\s+year\b|^when\b/iu;
const QUANTITY = /^how\s+\p{L}+\b|^what\s+(?:is|are|was|were)\s+(?:the\s+)?\p{L}/iu;
/** Words that name the kind of value, not the property. */
const KIND_WORDS = new Set(
  tokenizeWords('year date day time version number licence license person place exactly ever name', STEMS),
);
/** Minimum titles that contain a word for it to be the subject of a question without names. */
const TITLES_MIN = 2;

/** Parses the parts of a question that ask for a value on which sources may agree or differ. */
export function parseAskedValues(facets: readonly Facet[], evidence: readonly Evidence[]): AskedValue[] {
  const clauses = facets.filter(({ kind }) => kind === 'clause');
  const parts = clauses.length > 0 ? clauses : facets.filter(({ kind }) => kind === 'question');
  const asked: AskedValue[] = [];
  for (const part of parts) {
    const kind = detectValueKind(part.facet);
    const one = kind === null ? null : parseAskedPart(part, kind, evidence);
    if (one === null) continue;
    // `Who discovered it, and in which year?`
    const before = asked.at(-1);
    if (one.property.size > 0) asked.push(one);
    else if (before !== undefined) asked.push({ ...one, property: before.property });
  }
  return asked;
}

function detectValueKind(text: string): ValueKind | null {
  if (VERSION.test(text)) return 'version';
  if (DATE.test(text) || detectAskedKind(text) === 'date') return 'date';
  if (NAME.test(text)) return 'name';
  if (WHETHER.test(text)) return CHOICE.test(text) ? null : 'whether';
  return QUANTITY.test(text) || detectAskedKind(text) === 'number' || !/\?|^(?:why|how)\b/iu.test(text)
    ? 'quantity'
    : null;
}

function parseAskedPart(part: Facet, kind: ValueKind, evidence: readonly Evidence[]): AskedValue | null {
  const terms = selectTopicTerms(
    tokenizeWords(part.query, STEMS).map((text) => ({ text, place: 0, kind: 'word' })),
  );
  const names = extractNames(part.query).map(({ text }) => tokenizeWords(text, STEMS));
  // Without a name, one thing's maker or place is too easily mistaken for another's.
  if (names.length === 0 && kind === 'name') return null;
  const inNames = new Set(names.length > 0 ? names.flat() : selectTitleTerms(terms, evidence));
  const subject = new Map(
    terms.filter((term) => inNames.has(term)).map((term) => [term, computeRarity(term)]),
  );
  if (subject.size === 0) return null;
  const property = terms.filter((term) => !inNames.has(term) && !KIND_WORDS.has(term) && !/^\d/.test(term));
  return {
    what: part.facet.replace(/\?$/u, '').trim(),
    kind,
    subject,
    isOneName: names.length < 2,
    property: new Map(
      property.map((term) => [toProperty(term), isPropertyWord(term) ? 1 : computeRarity(term)]),
    ),
    words: new Set(tokenizeWords(part.query, STEMS)),
  };
}

function selectTitleTerms(terms: readonly string[], evidence: readonly Evidence[]): string[] {
  const titles = evidence.map(({ title }) => new Set(tokenizeWords(title, STEMS)));
  return terms.filter((term) => titles.filter((title) => title.has(term)).length >= TITLES_MIN);
}
