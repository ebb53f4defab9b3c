import { LRUCache } from 'lru-cache';
import { openSketch } from '../../packed-sketch.ts';
import type { Cluster } from '../connect/cluster.ts';
import type { IndexNames } from '../layout/layout.ts';

/** What a page is ranked by. */
export type RankedBy = {
  words: Uint8Array;
  sketch: Uint32Array;
  vectors: Uint8Array | null;
  model: string;
  /** Null where the address is longer than the cluster keeps beside the page. */
  url: string | null;
  title: string;
  language: string | null;
};

/** A page that a query has found. */
export type FoundCandidate = { id: string; number: number; revision: string; packedBytes: number };

/** What candidates are ranked by: of pages that were candidates lately it is at hand. */
export type PageWords = (candidates: readonly FoundCandidate[]) => Promise<Map<string, RankedBy>>;

const BYTES_KEPT_MAX = 64 * 1_048_576;
/** One answer has at most about so many bytes; what does not fit is left out, the least promising first. */
const BYTES_PER_QUERY_MAX = 24 * 1_048_576;

/** Keeps the cluster from reading whole pages, even for their ids: those stand beside the page too, as `key`. */
export const NOT_STORED = { _source: false, stored_fields: '_none_' } as const;

const FIELDS = ['key', 'packed', 'sketch', 'vectors', 'model', 'url', 'title', 'language'] as const;
type Fields = Partial<Record<(typeof FIELDS)[number], string[]>>;

export function createPageWords(cluster: Cluster, names: IndexNames): PageWords {
  const kept = new LRUCache<string, RankedBy>({
    maxSize: BYTES_KEPT_MAX,
    sizeCalculation: ({ words, sketch, vectors }) =>
      words.byteLength + sketch.byteLength + (vectors?.byteLength ?? 0) + 1,
  });
  return async (candidates) => {
    const found = new Map<string, RankedBy>();
    const missing: FoundCandidate[] = [];
    let bytes = 0;
    for (const candidate of candidates) {
      const known = kept.get(keyOf(candidate));
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
      if (page !== undefined) kept.set(keyOf(candidate), page);
    }
    return found;
  };
}

const keyOf = ({ id, revision }: FoundCandidate): string => `${id} ${revision}`;

async function fetchWords(
  cluster: Cluster,
  { pages }: IndexNames,
  ids: readonly string[],
): Promise<[id: string, page: RankedBy][]> {
  const { hits } = await cluster.request<{ hits: { hits: { fields?: Fields }[] } }>({
    ...{ method: 'POST', path: `/${pages}/_search` },
    query: { allow_partial_search_results: false },
    body: {
      ...{ size: ids.length, ...NOT_STORED, track_total_hits: false },
      query: { bool: { filter: { ids: { values: ids } } } },
      docvalue_fields: FIELDS,
    },
  });
  return hits.hits.flatMap(({ fields }) => {
    const [id, packed, sketch] = [fields?.key?.[0], fields?.packed?.[0], fields?.sketch?.[0]];
    if (id === undefined || packed === undefined || sketch === undefined) return [];
    const vectors = fields?.vectors?.[0];
    const page = {
      words: bytesOf(packed),
      sketch: openSketch(bytesOf(sketch)),
      vectors: vectors === undefined ? null : bytesOf(vectors),
      model: fields?.model?.[0] ?? '',
      url: fields?.url?.[0] ?? null,
      title: fields?.title?.[0] ?? '',
      language: fields?.language?.[0] ?? null,
    };
    return [[id, page] as [string, RankedBy]];
  });
}

/** In a buffer of its own. */
const bytesOf = (base64: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(base64, 'base64'));
