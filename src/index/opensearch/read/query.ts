import { parseDomainFilter } from '../../../text/query/filters.ts';
import { buildHostMarks, buildPathMarks, isDeep } from '../../index-marks.ts';
import type { IndexQuery } from '../../local-index-types.ts';
import type { CandidateTerm } from '../../postings/find-candidates.ts';
import { toTermToken } from '../layout/term-token.ts';

type Clause = Record<string, unknown>;

/** Returns the cluster's own weight of a form, which is divided out so that only the term's level counts; null if it has none. */
export type FormWeights = (form: string) => number | null;

/** Scores pages by the sum over the terms of weight times level, as `postings/find-candidates.ts` does; filters use marks. */
export function buildCandidateQuery(
  query: IndexQuery,
  terms: readonly CandidateTerm[],
  weightOf: FormWeights,
): Clause {
  const should = terms.flatMap(({ forms, weight }) =>
    forms.flatMap((form) => {
      const own = weightOf(form);
      return own === null ? [] : [{ term: { words: { value: toTermToken(form), boost: weight / own } } }];
    }),
  );
  if (should.length === 0) return { match_none: {} };
  return { bool: { should, minimum_should_match: 1, ...buildFilterClauses(query) } };
}

/** Matches all pages that the filters of a query admit. */
export const buildAdmittedQuery = (query: IndexQuery): Clause => ({ bool: buildFilterClauses(query) });

/** Builds the filters of a query. Paths deeper than the marks let too many pages through, so each page is checked again. */
function buildFilterClauses({
  includeDomains,
  excludeDomains,
  publishedFrom,
  publishedTo,
}: Omit<IndexQuery, 'query' | 'limit'>): { filter: Clause[]; must_not: Clause[] } {
  const filter: Clause[] = [];
  if (includeDomains.length > 0) filter.push(buildAnyOf(buildDomainClauses(includeDomains, 'include')));
  if (publishedFrom !== null || publishedTo !== null)
    filter.push({
      range: {
        day: {
          ...(publishedFrom === null ? {} : { gte: publishedFrom }),
          ...(publishedTo === null ? {} : { lte: publishedTo }),
        },
      },
    });
  return { filter, must_not: buildDomainClauses(excludeDomains, 'exclude') };
}

const buildAnyOf = (clauses: Clause[]): Clause =>
  clauses.length === 0 ? { match_none: {} } : { bool: { should: clauses, minimum_should_match: 1 } };

/** Builds one clause for all hosts, and one for each path. */
function buildDomainClauses(domains: readonly string[], use: 'include' | 'exclude'): Clause[] {
  const hosts: string[] = [];
  const clauses: Clause[] = [];
  for (const domain of domains) {
    const filter = parseDomainFilter(domain);
    if (filter === null) continue;
    const host = buildHostMarks(filter.host)[0] as string;
    const deepest = filter.path === '' ? undefined : buildPathMarks(filter.path).at(-1);
    if (deepest === undefined) hosts.push(host);
    else if (use === 'include' || !isDeep(filter.path))
      clauses.push({ bool: { filter: [{ term: { marks: host } }, { term: { marks: deepest } }] } });
  }
  return hosts.length === 0 ? clauses : [...clauses, { terms: { marks: hosts } }];
}
