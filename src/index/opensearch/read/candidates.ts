import { listSetFilters, parseDomainFilter } from '../../../text/query/filters.ts';
import { buildFilterMarks, PRIVATE_MARK } from '../../../text/query/library-filter.ts';
import { buildHostMarks, buildPathMarks, isDeep } from '../../index-tokens.ts';
import type { IndexQuery } from '../../local-index-types.ts';
import {
  ADMITTED_FEW,
  type CandidateTerm,
  countCandidates,
  selectPromising,
} from '../../postings/find-candidates.ts';
import type { Cluster } from '../connect/cluster.ts';
import type { IndexNames } from '../layout/layout.ts';
import { unpackHead } from '../layout/packed-page.ts';
import { toTermToken } from '../layout/term-token.ts';
import { type FoundCandidate, NOT_STORED } from './page-words.ts';

/** Matches all pages that the filters of a query admit. */
export const buildAdmittedQuery = (query: IndexQuery): Clause => ({ bool: buildFilterClauses(query) });
const buildAnyOf = (clauses: Clause[]): Clause =>
  clauses.length === 0 ? { match_none: {} } : { bool: { should: clauses, minimum_should_match: 1 } };

type Hit = { _score: number; fields: { head: string[]; number: number[] } };
type SearchResponse = { hits: { hits: Hit[] } };

const CANDIDATES_MAX = 2_000;

/**
 * Finds the pages that are worth ranking, chosen as in SQLite. They are in the order in which they entered the index, so that every
 * engine breaks ties alike.
 */
export async function findCandidates(
  parts: { cluster: Cluster; names: IndexNames },
  query: IndexQuery,
  asked: { terms: readonly CandidateTerm[]; weightOf: FormWeights },
): Promise<FoundCandidate[]> {
  const hits = (await hasFewAdmitted(parts, query))
    ? await findAdmitted(parts, query)
    : await findBest(parts, query, asked);
  return hits
    .map(({ fields: { head, number } }) => ({ ...unpackHead(head[0] ?? ''), number: number[0] ?? 0 }))
    .sort((left, right) => left.number - right.number);
}

async function hasFewAdmitted(
  { cluster, names }: { cluster: Cluster; names: IndexNames },
  query: IndexQuery,
): Promise<boolean> {
  if (listSetFilters(query).length === 0) return false;
  const { hits } = await cluster.request<{ hits: { total: { value: number } } }>({
    method: 'POST',
    path: `/${names.pages}/_search`,
    query: { allow_partial_search_results: false },
    body: { size: 0, track_total_hits: ADMITTED_FEW + 1, query: buildAdmittedQuery(query) },
  });
  return hits.total.value <= ADMITTED_FEW;
}

async function findAdmitted(
  { cluster, names }: { cluster: Cluster; names: IndexNames },
  query: IndexQuery,
): Promise<Hit[]> {
  const { hits } = await cluster.request<SearchResponse>({
    method: 'POST',
    path: `/${names.pages}/_search`,
    query: { allow_partial_search_results: false },
    body: {
      size: ADMITTED_FEW,
      track_total_hits: false,
      ...NOT_STORED,
      docvalue_fields: ['head', 'number'],
      query: buildAdmittedQuery(query),
      sort: ['_doc'],
    },
  });
  return hits.hits;
}

/** Finds the most promising pages. */
async function findBest(
  { cluster, names }: { cluster: Cluster; names: IndexNames },
  query: IndexQuery,
  { terms, weightOf }: { terms: readonly CandidateTerm[]; weightOf: FormWeights },
): Promise<Hit[]> {
  const { hits } = await cluster.request<SearchResponse>({
    method: 'POST',
    path: `/${names.pages}/_search`,
    // Makes every shard weigh a term equally.
    query: { allow_partial_search_results: false, search_type: 'dfs_query_then_fetch' },
    body: {
      size: Math.min(CANDIDATES_MAX, countCandidates(query.limit)),
      track_total_hits: false,
      ...NOT_STORED,
      // Ties go to the page that was added first, as in SQLite.
      sort: ['_score', { number: 'asc' }],
      docvalue_fields: ['head', 'number'],
      query: buildCandidateQuery(query, terms, weightOf),
    },
  });
  return selectPromising(
    hits.hits.map(({ _score: sum, ...hit }) => ({ ...hit, sum, _score: sum })),
    query.limit,
  );
}

type Clause = Record<string, unknown>;

/** Returns the cluster's own weight of a form, which is divided out so that only the term's level counts; null if it has none. */
type FormWeights = (form: string) => number | null;

/** Scores pages by the sum over the terms of weight times level, as `postings/find-candidates.ts` does; filters use marks. */
function buildCandidateQuery(
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

/** Builds the filters of a query. Paths deeper than the marks let too many pages through, so each page is checked again. */
function buildFilterClauses({
  includeDomains,
  excludeDomains,
  publishedFrom,
  publishedTo,
  library,
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
  const excluded = buildDomainClauses(excludeDomains, 'exclude');
  if (library === undefined) return { filter, must_not: [...excluded, { term: { marks: PRIVATE_MARK } }] };
  filter.push(...buildFilterMarks(library).map((marks) => ({ terms: { marks } })));
  return { filter, must_not: excluded };
}

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
