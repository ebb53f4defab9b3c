import type { IndexTotals } from '../../index-schema.ts';
import type { Cluster } from '../connect/cluster.ts';
import type { IndexNames } from '../layout/layout.ts';
import { createCoalescedRead } from './coalesced-read.ts';

/** Sums over all pages. */
export type ClusterTotals = {
  totals: IndexTotals;
  /** The most frequent language first. */
  languages: string[];
  /** The counts of terms may include pages that were replaced or removed. */
  hasDeleted: boolean;
};

/** Time for which totals are cached; a large index changes little in it. */
const KEPT_MS = 5_000;
const LARGE_PAGES = 10_000;
const LANGUAGES = 6;

type Sum = { value: number };
type SearchResponse = {
  hits: { total: { value: number } };
  aggregations: Record<'title' | 'headings' | 'address' | 'body', Sum> & {
    languages: { buckets: { key: string }[] };
  };
};

/** `changed`: grows with the changes of this process; the totals of a small index are recounted after each. */
export function createTotals(
  cluster: Cluster,
  names: IndexNames,
): (changed: number) => Promise<ClusterTotals> {
  return createCoalescedRead<ClusterTotals, number>({
    read: () => readTotals(cluster, names),
    isFresh: ({ value, at, asked }, changed) =>
      Date.now() - at < KEPT_MS && (asked === changed || (value?.totals.pages ?? 0) >= LARGE_PAGES),
  });
}

async function readTotals(cluster: Cluster, { pages }: IndexNames): Promise<ClusterTotals> {
  const sum = (field: string) => ({ sum: { field } });
  const [{ hits, aggregations }, stats] = await Promise.all([
    cluster.request<SearchResponse>({
      method: 'POST',
      path: `/${pages}/_search`,
      query: { allow_partial_search_results: false, request_cache: true },
      body: {
        size: 0,
        track_total_hits: true,
        aggs: {
          title: sum('titleLength'),
          headings: sum('headingsLength'),
          address: sum('addressLength'),
          body: sum('bodyLength'),
          languages: { terms: { field: 'language', size: LANGUAGES } },
        },
      },
    }),
    cluster.request<{ _all: { primaries: { docs: { deleted: number } } } }>({
      method: 'GET',
      path: `/${pages}/_stats/docs`,
    }),
  ]);
  const { title, headings, address, body, languages } = aggregations;
  return {
    totals: {
      pages: hits.total.value,
      title: title.value,
      headings: headings.value,
      address: address.value,
      body: body.value,
      changes: 0,
    },
    languages: languages.buckets.map(({ key }) => key),
    hasDeleted: stats._all.primaries.docs.deleted > 0,
  };
}
