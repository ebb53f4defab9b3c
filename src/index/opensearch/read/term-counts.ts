import { LRUCache } from 'lru-cache';
import type { Cluster } from '../connect/cluster.ts';
import type { IndexNames } from '../layout/layout.ts';
import { toTermToken } from '../layout/term-token.ts';
import { createCoalescedRead } from './coalesced-read.ts';

/** Document frequency of a term over all shards, and its weight in the cluster's queries (BM25's idf); null: no page has it. */
export type TermCount = { count: number; weight: number | null };

export type TermCounts = (
  terms: readonly string[],
  known: { changed: number; hasDeleted: boolean },
) => Promise<ReadonlyMap<string, TermCount>>;

type CachedCount = TermCount & { changed: number; at: number };

const TERMS_KEPT_MAX = 50_000;
/** Counts up to this are looked up again after each change of this process, and soon after those of others. */
const SMALL = 256;
const KEPT_MS = { small: 1_000, large: 30_000 };
/** Maximum terms counted exactly. Term statistics include removed pages until their segments are merged. */
const EXACT_TERMS_MAX = 64;
/** Maximum routing values tried to reach every shard. */
const ROUTINGS_TRIED_MAX = 400;
const SHARDS_KEPT_MS = 60_000;

export function createTermCounts(cluster: Cluster, names: IndexNames): TermCounts {
  const kept = new LRUCache<string, CachedCount>({ max: TERMS_KEPT_MAX });
  const routings = createRoutings(cluster, names);
  return async (terms, { changed, hasDeleted }) => {
    const now = Date.now();
    const isFresh = ({ count, at, changed: before }: CachedCount): boolean =>
      count > SMALL ? now - at < KEPT_MS.large : before === changed && now - at < KEPT_MS.small;
    const found = new Map<string, TermCount>();
    const asked: string[] = [];
    for (const term of new Set(terms)) {
      const known = kept.get(term);
      if (known !== undefined && isFresh(known)) found.set(term, known);
      else asked.push(term);
    }
    if (asked.length === 0) return found;
    const statistics = await readStatistics(cluster, names, { terms: asked, routings: await routings() });
    const counts = new Map(asked.map((term) => [term, statistics.counts.get(term) ?? 0]));
    const doubtful = hasDeleted ? asked.filter((term) => isSmall(counts.get(term) ?? 0)) : [];
    if (doubtful.length > 0 && doubtful.length <= EXACT_TERMS_MAX)
      for (const [term, count] of await countExactly(cluster, names, doubtful)) counts.set(term, count);
    for (const [term, count] of counts) {
      const known = { count, weight: computeTermWeight(statistics, term), changed, at: now };
      kept.set(term, known);
      found.set(term, known);
    }
    return found;
  };
}

/** Computes the weight as the cluster does, from the same statistics, which include replaced pages. */
function computeTermWeight({ documents, counts }: Statistics, term: string): number | null {
  const count = counts.get(term) ?? 0;
  return count === 0 ? null : Math.log(1 + (documents - count + 0.5) / (count + 0.5));
}

const isSmall = (count: number): boolean => count > 0 && count <= SMALL;

/** Sums over the shards. */
type Statistics = { documents: number; counts: ReadonlyMap<string, number> };

type WordsVector = {
  field_statistics?: { doc_count: number };
  terms: Record<string, { doc_freq?: number }>;
};
type TermVectors = { docs: { term_vectors?: { words?: WordsVector } }[] };

/** Reads the statistics of the terms from each shard, through an artificial document that is never written. */
async function readStatistics(
  cluster: Cluster,
  { pages }: IndexNames,
  { terms, routings }: { terms: readonly string[]; routings: readonly string[] },
): Promise<Statistics> {
  const tokens = new Map(terms.map((term) => [toTermToken(term), term]));
  const words = [...tokens.keys()].join(' ');
  const { docs } = await cluster.request<TermVectors>({
    method: 'POST',
    path: '/_mtermvectors',
    body: {
      docs: routings.map((routing) => ({
        _index: pages,
        routing,
        doc: { words },
        fields: ['words'],
        term_statistics: true,
        field_statistics: true,
        positions: false,
        offsets: false,
        payloads: false,
      })),
    },
  });
  const counts = new Map<string, number>();
  let documents = 0;
  for (const { term_vectors: vectors } of docs) {
    documents += vectors?.words?.field_statistics?.doc_count ?? 0;
    for (const [token, { doc_freq: count = 0 }] of Object.entries(vectors?.words?.terms ?? {})) {
      const term = tokens.get(token) ?? token;
      counts.set(term, (counts.get(term) ?? 0) + count);
    }
  }
  return { documents, counts };
}

async function countExactly(
  cluster: Cluster,
  { pages }: IndexNames,
  terms: readonly string[],
): Promise<[term: string, count: number][]> {
  const filters = Object.fromEntries(
    terms.map((term, place) => [place, { term: { words: toTermToken(term) } }]),
  );
  const { aggregations } = await cluster.request<{
    aggregations: { counts: { buckets: Record<string, { doc_count: number }> } };
  }>({
    method: 'POST',
    path: `/${pages}/_search`,
    query: { allow_partial_search_results: false },
    body: { size: 0, aggs: { counts: { filters: { filters } } } },
  });
  return terms.map((term, place) => [term, aggregations.counts.buckets[place]?.doc_count ?? 0]);
}

/** Finds one routing value per shard; repeated after a while, because a move may add shards. */
function createRoutings(cluster: Cluster, { pages }: IndexNames): () => Promise<string[]> {
  const read = createCoalescedRead<string[]>({
    read: () => findRoutings(cluster, pages),
    isFresh: ({ at }) => Date.now() - at < SHARDS_KEPT_MS,
  });
  return () => read(undefined);
}

async function findRoutings(cluster: Cluster, pages: string): Promise<string[]> {
  type Shards = { shards: { shard: number }[][] };
  const listShards = async (query: Record<string, string>): Promise<number[]> => {
    const { shards } = await cluster.request<Shards>({
      // Every node knows the shards, while the cluster manager may just have been lost.
      method: 'GET',
      path: `/${pages}/_search_shards`,
      query: { ...query, local: true },
    });
    return shards.map(([copy]) => copy?.shard ?? 0);
  };
  const all = await listShards({});
  const routings = new Map<number, string>();
  for (let tried = 0; routings.size < all.length && tried < ROUTINGS_TRIED_MAX; tried += 1) {
    const [shard] = await listShards({ routing: String(tried) });
    if (shard !== undefined && !routings.has(shard)) routings.set(shard, String(tried));
  }
  return [...routings.values()];
}
