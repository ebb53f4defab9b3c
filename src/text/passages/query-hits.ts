import type { PassageQuery } from '../query/passage-query.ts';
import type { ChunkTerms } from './chunk-terms.ts';

/** The occurrences of a query's terms in the chunks of a page. */
export type QueryHits = {
  chunks: number;
  /** Number of terms of the query. */
  terms: number;
  /** The index in the query of each term of the page, or -1. */
  termOf: Int32Array;
  /** The weight of each query term on this page: idf over its chunks times its rarity. */
  weights: Float64Array;
  /** Sum of `weights`; never 0. */
  weightTotal: number;
  /** chunks x terms: the count of a term in a chunk; 1 if a heading above it has the term. */
  counts: Uint16Array;
  inHeading: Uint8Array;
  /** Bits of the terms in each chunk itself. */
  present: Int32Array;
  /**
   * All occurrences in order: term, place in the page, sentence, number of terms from the start of the sentence. Those of chunk c
   * begin at `from[c]`.
   */
  hits: { term: number; place: number; sentence: number; offset: number }[];
  from: Int32Array;
  /** Terms of each chunk, and their mean. */
  lengths: Int32Array;
  lengthMean: number;
};

const NONE_ALIKE: ReadonlyMap<string, number> = new Map();

/**
 * Finds the terms of the query in the page, in one pass. `alike` maps terms of the page that count as a query term to its index.
 */
export function findQueryHits(
  page: ChunkTerms,
  query: PassageQuery,
  alike: ReadonlyMap<string, number> = NONE_ALIKE,
): QueryHits {
  const chunks = page.from.length - 1;
  const terms = query.terms.length;
  const termOf = findPlaces(query.terms, page.terms, alike);
  const hits: QueryHits['hits'] = [];
  const counts = new Uint16Array(chunks * terms);
  const inHeading = new Uint8Array(chunks * terms);
  const present = new Int32Array(chunks);
  const from = new Int32Array(chunks + 1);
  const lengths = new Int32Array(chunks);
  for (let chunk = 0; chunk < chunks; chunk += 1) {
    const start = page.from[chunk] ?? 0;
    const end = page.from[chunk + 1] ?? 0;
    lengths[chunk] = end - start;
    let sentence = -1;
    let sentenceStart = start;
    for (let place = start; place < end; place += 1) {
      if (page.sentences[place] !== sentence) {
        sentence = page.sentences[place] ?? 0;
        sentenceStart = place;
      }
      const term = termOf[page.ids[place] ?? 0] ?? -1;
      if (term === -1) continue;
      counts[chunk * terms + term] = (counts[chunk * terms + term] ?? 0) + 1;
      present[chunk] = (present[chunk] ?? 0) | (1 << term);
      hits.push({ term, place, sentence, offset: place - sentenceStart });
    }
    for (const id of page.headings[chunk] ?? []) {
      const term = termOf[id] ?? -1;
      if (term !== -1) inHeading[chunk * terms + term] = 1;
    }
    from[chunk + 1] = hits.length;
  }
  const weights = weigh(present, query);
  return {
    chunks,
    terms,
    termOf,
    weights,
    weightTotal: weights.reduce((sum, weight) => sum + weight, 0) || 1,
    counts,
    inHeading,
    present,
    hits,
    from,
    lengths,
    lengthMean: Math.max(1, page.ids.length / Math.max(1, chunks)),
  };
}

/** Returns the index in `terms` of each of `others`, or -1. */
function findPlaces(terms: string[], others: string[], alike: ReadonlyMap<string, number>): Int32Array {
  const places = new Map([...alike, ...terms.map((term, place) => [term, place] as const)]);
  return Int32Array.from(others, (other) => places.get(other) ?? -1);
}

/** Inverse document frequency (Robertson and Sparck Jones, as in BM25 of Lucene); always above 0. */
export const computeChunkIdf = (containing: number, chunks: number): number =>
  Math.log(1 + (chunks - containing + 0.5) / (containing + 0.5));

function weigh(present: Int32Array, { terms, rarities }: PassageQuery): Float64Array {
  return Float64Array.from(terms, (_, term) => {
    let containing = 0;
    for (const bits of present) containing += (bits >>> term) & 1;
    return computeChunkIdf(containing, present.length) * (rarities[term] ?? 1);
  });
}
