import { readQuery } from '../../text/query/read-query.ts';
import { rarityOf } from '../../text/scoring/rarity.ts';
import { termsOf } from '../../text/words/words.ts';
import { splitClauses, splitSentences } from './clauses.ts';
import { parseComparison } from './comparison.ts';
import { extractNames } from './names.ts';
import type { Facet } from './research-types.ts';
import { selectTopicTerms, toRoot } from './telling-terms.ts';

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
    .filter((word) => selectTopicTerms(termsOf(word, null)).some((term) => rarityOf(toRoot(term)) === 1))
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
