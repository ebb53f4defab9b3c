import { extractNames, type Name } from '../../text/facts/names.ts';
import { toVisibleText } from '../../text/markup/visible-text.ts';
import { type Query, readQuery } from '../../text/query/read-query.ts';
import { computeRarity } from '../../text/scoring/rarity.ts';
import { parseTerms, tokenizeWords } from '../../text/words/words.ts';
import { dedupeFacets } from './question-facets.ts';
import type { Facet, Origin, Passage } from './relevance.ts';
import {
  computeRelevanceFloor,
  findHeldTerms,
  findOpenParts,
  isTitle,
  scoreRelevances,
  selectTopicTerms,
  sumWeights,
  toRoot,
} from './relevance.ts';

/** Maximum passages, the best ones, that are read for related names. */
const PASSAGES_READ = 12;
const NAME_WORDS_MAX = 6;
/** Maximum words of the question added to a name; more would push the page about the name below the search's relevance floor. */
const MISSING_TERMS_MAX = 1;
/** Minimum length of a name; shorter ones mean nothing by themselves. */
const TERM_CHARS_MIN = 3;
/** Weight of a name whose sentence shares no word with the question. */
const FAR_WEIGHT = 0.2;
/** Exponent of a name's length in its weight: long names count slightly more than short ones. */
const LENGTH_EXPONENT = 0.25;
const MONTH = /^(?:january|february|march|april|may|june|july|august|september|october|november|december)$/iu;
/** Weight of the names on a page about something that the question names. */
const NAMED_FACTOR = 2;
const HEADING = /^#{1,6} .*$/gmu;
const SENTENCE_BREAK = /(?<=[.!?。！？])\s+|\n+/u;

type Reading = { question: string; facets: readonly Facet[]; passages: readonly Passage[]; most: number };
/** A name that a page brings up: its weight, passage and nearest clause of the question, and the words of the clause beside it. */
type Lead = { text: string; weight: number; rated: RatedPassage; clause: Query; beside: ReadonlySet<string> };
type RatedPassage = { passage: Passage; relevance: number };

/**
 * Finds names that the relevant passages bring up and the question does not mention, in the sentences nearest to its still open parts.
 * The query of each adds words of the question that are still open. At most `most`, the heaviest first; none when single passages
 * already say what every part of the question asks for.
 */
export function findRelatedFacets({ question, facets, passages, most }: Reading): Facet[] {
  const open = findOpenParts(passages, facets);
  if (most <= 0 || open.length === 0) return [];
  const relevances = scoreRelevances(passages, facets, { isFinal: false });
  const floor = computeRelevanceFloor(relevances);
  const best = passages
    .map((passage, place) => ({ passage, relevance: relevances[place] ?? 0 }))
    .filter(({ relevance }) => relevance >= floor)
    .sort((one, other) => other.relevance - one.relevance)
    .slice(0, PASSAGES_READ);
  const asked = new Set(facets.flatMap(({ query }) => listQueryWords(readQuery(query))));
  const whole = readQuery(question);
  const clauses = open.filter(({ kind }) => kind === 'clause').map(({ query }) => readQuery(query));
  const names = facets.filter(({ kind }) => kind === 'name').map(({ facet }) => facet);
  const wanted = [...collectLeads(best, clauses.length > 0 ? clauses : [whole], names)]
    .filter(({ text }) => !isKnown(text, asked))
    .sort((one, other) => other.weight - one.weight || (one.text < other.text ? -1 : 1))
    .map((lead) => buildFacet(lead, { question, facets }));
  const known = new Set(facets);
  return dedupeFacets([...facets, ...wanted])
    .filter((facet) => !known.has(facet) && facet.kind === 'related')
    .slice(0, most);
}

/** Returns whether one of the pages with these titles is about the facet's name, so that a search would only find it again. */
export const hasPageAbout = ({ facet }: Facet, titles: readonly string[]): boolean =>
  titles.some((title) => isTitle(title, facet, null));

const listQueryWords = (query: Query): string[] => query.terms(null).map(({ text }) => text);

const isKnown = (name: string, words: ReadonlySet<string>): boolean =>
  selectTopicTerms(parseTerms(name, null)).every((term) => words.has(term));

function collectLeads(
  best: readonly RatedPassage[],
  clauses: readonly Query[],
  names: readonly string[],
): Iterable<Lead> {
  const leads = new Map<string, Lead>();
  for (const rated of best) {
    const { passage } = rated;
    const isNamed = names.some((name) => isTitle(passage.title, name, passage.language));
    const relevance = rated.relevance * (isNamed ? NAMED_FACTOR : 1);
    const above = new Set(
      tokenizeWords(`${passage.title} ${passage.headingPath.join(' ')}`, passage.language),
    );
    for (const sentence of toVisibleText(passage.quote.replace(HEADING, '')).split(SENTENCE_BREAK)) {
      const near = findNearestClause(sentence, clauses, { above, language: passage.language });
      for (const { text, start } of findLeadingNames(` ${sentence}`)) {
        if (!canLead(text, start <= 1)) continue;
        const length = sumWeights(selectTopicTerms(parseTerms(text, null))) ** LENGTH_EXPONENT;
        const weight = relevance * (FAR_WEIGHT + near.share) * length;
        const known = leads.get(text);
        if (known === undefined || known.weight < weight)
          leads.set(text, { text, weight, rated, clause: near.clause, beside: near.beside });
      }
    }
  }
  return leads.values();
}

/** Finds the names of a sentence, and those that a possessive joins: `Ondine's Bell` may be one name or two. */
function findLeadingNames(sentence: string): Name[] {
  const names = extractNames(sentence);
  const joined = names.flatMap((name, place): Name[] => {
    const next = names[place + 1];
    if (next === undefined || !/^['’]s $/u.test(sentence.slice(name.end, next.start))) return [];
    return [{ text: sentence.slice(name.start, next.end), start: name.start, end: next.end }];
  });
  return [...joined, ...names];
}

function canLead(name: string, startsSentence: boolean): boolean {
  const words = name.split(' ');
  if (words.length > NAME_WORDS_MAX || name.length < TERM_CHARS_MIN) return false;
  if (words.length === 1 && startsSentence) return false;
  return words.some((word) => /\p{L}{2}/u.test(word) && !MONTH.test(word));
}

type NearestClause = { clause: Query; share: number; beside: ReadonlySet<string> };

/**
 * Finds the clause that shares most with a sentence, and its words that occur in the sentence or in the headings above it. Headings
 * apply to every sentence below them, so only the other words measure how near a sentence is.
 */
function findNearestClause(
  sentence: string,
  clauses: readonly Query[],
  { above, language }: { above: ReadonlySet<string>; language: string | null },
): NearestClause {
  const words = new Set(tokenizeWords(sentence, language));
  const roots = new Set([...words].map(toRoot));
  let best: NearestClause = { clause: clauses[0] ?? readQuery(''), share: -1, beside: new Set() };
  for (const clause of clauses) {
    const terms = selectTopicTerms(clause.terms(language));
    const own = terms.filter((term) => !above.has(term));
    const said = own.filter((term) => roots.has(toRoot(term)));
    const share = sumWeights(said) / Math.max(sumWeights(own), Number.EPSILON);
    if (share > best.share)
      best = { clause, share, beside: new Set(terms.filter((term) => words.has(term) || above.has(term))) };
  }
  return best;
}

/** Builds a facet of the name and the words of the question that its sentence does not contain, because a page about it may answer them. */
function buildFacet(
  { text, rated, clause, beside }: Lead,
  reading: Pick<Reading, 'question' | 'facets'>,
): Facet {
  const inNames = new Set(
    reading.facets
      .filter(({ kind }) => kind === 'name')
      .flatMap(({ query }) => listQueryWords(readQuery(query))),
  );
  const missing = listWordsByTerm(clause)
    .filter(({ term }) => !beside.has(term) && !inNames.has(term))
    .sort((one, other) => computeRarity(other.term) - computeRarity(one.term))
    .slice(0, MISSING_TERMS_MAX)
    .sort((one, other) => one.place - other.place)
    .map(({ word }) => word);
  return {
    kind: 'related',
    facet: text,
    query: [text, ...missing].join(' '),
    from: buildOrigin(rated, reading),
  };
}

/** Builds the origin of a name. A passage about a name that was itself brought up continues the chain that led to it. */
function buildOrigin(
  { passage, relevance }: RatedPassage,
  { question, facets }: Pick<Reading, 'question' | 'facets'>,
): Origin {
  const held = findHeldTerms(passage, question);
  const before = facets.flatMap(({ from }, place) =>
    from !== undefined && (passage.fits[place] ?? 0) > 0 ? [{ from, place }] : [],
  );
  return {
    relevance,
    held: [...new Set([...held, ...before.flatMap(({ from }) => from.held)])],
    via: [...new Set(before.flatMap(({ from, place }) => [...from.via, place]))],
  };
}

/** Lists the meaningful words of a question in their original spelling. */
function listWordsByTerm(question: Query): { term: string; word: string; place: number }[] {
  const telling = new Set(selectTopicTerms(question.terms('en')));
  return [...question.text.matchAll(/[\p{L}\p{N}][\p{L}\p{N}\p{M}_.+#-]*/gu)].flatMap(
    ({ 0: word, index }) => {
      const [term = ''] = tokenizeWords(word, 'en');
      return telling.has(term) ? [{ term, word: word.replace(/(?<![.-])[.-]+$/, ''), place: index }] : [];
    },
  );
}
