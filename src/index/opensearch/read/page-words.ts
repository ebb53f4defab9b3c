import { LRUCache } from 'lru-cache';
import type { Cluster } from '../connect/cluster.ts';
import type { IndexNames } from '../layout/layout.ts';
import { type PageHead, type RankingFields, unpackHead, unpackRanked } from '../layout/packed-page.ts';

/** A page that a query has found; a lower `number` means that the page was added earlier. */
export type FoundCandidate = PageHead & { number: number };

/** Reads the fields that candidates are ranked by; those of recent candidates are cached. */
export type PageWords = (candidates: readonly FoundCandidate[]) => Promise<Map<string, RankingFields>>;

const BYTES_KEPT_MAX = 64 * 1_048_576;
/** Approximate maximum bytes per response; candidates beyond it are left out. */
const BYTES_PER_QUERY_MAX = 24 * 1_048_576;

/** Keeps the cluster from reading whole pages, even for their ids, which `head` also contains. */
export const NOT_STORED = { _source: false, stored_fields: '_none_' } as const;

export function createPageWords(cluster: Cluster, names: IndexNames): PageWords {
  const kept = new LRUCache<string, RankingFields>({
    maxSize: BYTES_KEPT_MAX,
    sizeCalculation: ({ words, sketch, vectors }) =>
      words.byteLength + sketch.byteLength + (vectors?.byteLength ?? 0) + 1,
  });
  return async (candidates) => {
    const found = new Map<string, RankingFields>();
    const missing: FoundCandidate[] = [];
    let bytes = 0;
    for (const candidate of candidates) {
      const known = kept.get(buildKey(candidate));
      if (known !== undefined) found.set(candidate.id, known);
      else if (bytes < BYTES_PER_QUERY_MAX) {
        bytes += candidate.packedBytes;
        missing.push(candidate);
      }
    }
    if (missing.length === 0) return found;
    for (const [id, page] of await fetchWords(
      cluster,
      names,
      missing.map(({ id }) => id),
    ))
      found.set(id, page);
    for (const candidate of missing) {
      const page = found.get(candidate.id);
      if (page !== undefined) kept.set(buildKey(candidate), page);
    }
    return found;
  };
}

const buildKey = ({ id, revision }: FoundCandidate): string => `${id} ${revision}`;

async function fetchWords(
  cluster: Cluster,
  { pages }: IndexNames,
  ids: readonly string[],
): Promise<[id: string, page: RankingFields][]> {
  const { hits } = await cluster.request<{
    hits: { hits: { fields?: { head?: string[]; ranked?: string[] } }[] };
  }>({
    method: 'POST',
    path: `/${pages}/_search`,
    query: { allow_partial_search_results: false },
    body: {
      size: ids.length,
      ...NOT_STORED,
      track_total_hits: false,
      query: { bool: { filter: { ids: { values: ids } } } },
      docvalue_fields: ['head', 'ranked'],
    },
  });
  return hits.hits.flatMap(({ fields }) => {
    const [head, ranked] = [fields?.head?.[0], fields?.ranked?.[0]];
    return head === undefined || ranked === undefined ? [] : [[unpackHead(head).id, unpackRanked(ranked)]];
  });
}
