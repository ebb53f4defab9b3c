import type { IndexQuery } from '../../local-index-types.ts';
import type { Cluster } from '../connect/cluster.ts';
import type { IndexNames } from '../layout/layout.ts';
import { toTermToken } from '../layout/term-token.ts';
import { buildAdmittedQuery } from './query.ts';

/** The number of pages that the filters admit, and the document frequency of a term among them. */
type AdmittedCounts = { pages: number; frequencyOf: (term: string) => number };

type CountResponse = {
  hits: { total: { value: number } };
  aggregations: { counts: { buckets: Record<string, { doc_count: number }> } };
};

export async function countAdmitted(
  { cluster, names }: { cluster: Cluster; names: IndexNames },
  query: IndexQuery,
  asked: readonly string[],
): Promise<AdmittedCounts> {
  const terms = [...new Set(asked)];
  const filters = Object.fromEntries(
    terms.map((term, place) => [place, { term: { words: toTermToken(term) } }]),
  );
  const { hits, aggregations } = await cluster.request<CountResponse>({
    method: 'POST',
    path: `/${names.pages}/_search`,
    query: { allow_partial_search_results: false },
    body: {
      size: 0,
      track_total_hits: true,
      query: buildAdmittedQuery(query),
      ...(terms.length === 0 ? {} : { aggs: { counts: { filters: { filters } } } }),
    },
  });
  const counts = new Map(
    terms.map((term, place) => [term, aggregations.counts.buckets[place]?.doc_count ?? 0]),
  );
  return { pages: hits.total.value, frequencyOf: (term) => counts.get(term) ?? 0 };
}
