import { readQuery } from '../../text/query/read-query.ts';
import { clausesOf, sentencesOf } from './clauses.ts';
import { comparisonOf } from './comparison.ts';
import { namesOf } from './names.ts';
import type { Facet } from './research-types.ts';
import { tellingTerms } from './telling-terms.ts';

const FACETS_MAX = 12;
const COMPARISONS_MAX = 2;

/** A question -> its facets: the whole, the sides of comparisons, its clauses, the things it names. */
export function questionFacets(question: string): Facet[] {
  const whole = question.replace(/\s+/gu, ' ').trim();
  const comparisons = comparisonFacets(question);
  const clauses = clausesOf(question);
  const proposed: Facet[] = [
    { kind: 'question', facet: whole, query: whole },
    ...comparisons,
    ...(clauses.length > 1
      ? clauses.map(({ text, query }): Facet => ({ kind: 'clause', facet: text, query }))
      : []),
    ...namesOf(question)
      .filter(({ text }) => !comparisons.some(({ kind, query }) => kind === 'side' && query.startsWith(text)))
      .map(({ text }): Facet => ({ kind: 'name', facet: text, query: text })),
  ];
  return distinctFacets(proposed).slice(0, FACETS_MAX);
}

/** Drops facets that search for the same words as an earlier one. */
export function distinctFacets(facets: readonly Facet[]): Facet[] {
  const known = new Map<string, number>();
  const distinct: Facet[] = [];
  for (const facet of facets) {
    const terms = tellingTerms(readQuery(facet.query).terms(null));
    const key = (terms.length > 0 ? terms : [facet.query]).toSorted().join(' ');
    const place = known.get(key);
    if (place === undefined) known.set(key, distinct.push(facet) - 1);
    // A question that is nothing but a comparison is reported as one.
    else if (facet.kind === 'comparison') distinct[place] = facet;
  }
  return distinct;
}

function comparisonFacets(question: string): Facet[] {
  const found: Facet[] = [];
  for (const sentence of sentencesOf(question).slice(0, COMPARISONS_MAX)) {
    const comparison = comparisonOf(sentence);
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
