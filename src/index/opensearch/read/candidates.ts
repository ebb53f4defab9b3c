import { listSetFilters } from '../../../text/query/filters.ts';
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
import { type FoundCandidate, NOT_STORED } from './page-words.ts';
import { buildAdmittedQuery, buildCandidateQuery, type FormWeights } from './query.ts';

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
