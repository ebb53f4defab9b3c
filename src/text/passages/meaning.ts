import type { PassageQuery } from '../query/passage-query.ts';
import type { ChunkTerms } from './chunk-terms.ts';
import type { QueryHits } from './query-hits.ts';
import type { WordVectors } from './word-vectors.ts';

/** Words count as similar in meaning from this cosine on. */
const LIKE_MIN = 0.45;

/**
 * Features from the word vectors of each chunk. `mean`: cosine of its mean vector (rarer words count more) with that of
 * the query. `like`: the weight of the query terms that it lacks but has a word of similar meaning for.
 */
export function meaning(
  page: ChunkTerms,
  query: PassageQuery,
  found: QueryHits,
  vectors: WordVectors,
): { mean: Float64Array; like: Float64Array } {
  const rows = Int32Array.from(page.terms, (term) => vectors.rowOf.get(term) ?? -1);
  return {
    mean: meanCosines(page, query, rows, vectors),
    like: likeWeights(page, query, { found, rows, vectors }),
  };
}

function meanCosines(
  page: ChunkTerms,
  query: PassageQuery,
  rows: Int32Array,
  { dimensions, values, rowOf, telling }: WordVectors,
): Float64Array {
  const asked = new Float64Array(dimensions);
  for (const [place, term] of query.terms.entries()) {
    const row = rowOf.get(term);
    if (row !== undefined) addRow(asked, values, row * dimensions, query.rarities[place] ?? 0);
  }
  const askedLength = Math.hypot(...asked);
  const out = new Float64Array(page.from.length - 1);
  if (askedLength === 0) return out;
  const mean = new Float64Array(dimensions);
  for (let chunk = 0; chunk < out.length; chunk += 1) {
    mean.fill(0);
    for (let at = page.from[chunk] ?? 0; at < (page.from[chunk + 1] ?? 0); at += 1) {
      const row = rows[page.ids[at] ?? 0] ?? -1;
      if (row !== -1) addRow(mean, values, row * dimensions, telling[row] ?? 0);
    }
    let dot = 0;
    let squares = 0;
    for (let at = 0; at < dimensions; at += 1) {
      dot += (mean[at] ?? 0) * (asked[at] ?? 0);
      squares += (mean[at] ?? 0) ** 2;
    }
    out[chunk] = squares === 0 ? 0 : dot / (Math.sqrt(squares) * askedLength);
  }
  return out;
}

function addRow(sum: Float64Array, values: Float32Array, start: number, weight: number): void {
  let from = start;
  for (let at = 0; at < sum.length; at += 1) {
    sum[at] = (sum[at] ?? 0) + weight * (values[from] ?? 0);
    from += 1;
  }
}

type At = { found: QueryHits; rows: Int32Array; vectors: WordVectors };

function likeWeights(page: ChunkTerms, query: PassageQuery, { found, rows, vectors }: At): Float64Array {
  const { chunks, terms, present, weights } = found;
  const { bits, cosines } = nearTerms(query, rows, vectors);
  const out = new Float64Array(chunks);
  const nearest = new Float64Array(terms);
  for (let chunk = 0; chunk < chunks; chunk += 1) {
    nearest.fill(LIKE_MIN);
    for (let at = page.from[chunk] ?? 0; at < (page.from[chunk + 1] ?? 0); at += 1) {
      const id = page.ids[at] ?? 0;
      if (bits[id] === 0) continue;
      for (let term = 0; term < terms; term += 1)
        nearest[term] = Math.max(nearest[term] ?? 0, cosines[term * rows.length + id] ?? 0);
    }
    let sum = 0;
    for (let term = 0; term < terms; term += 1)
      if ((((present[chunk] ?? 0) >>> term) & 1) === 0)
        sum += ((weights[term] ?? 0) * ((nearest[term] ?? 0) - LIKE_MIN)) / (1 - LIKE_MIN);
    out[chunk] = sum;
  }
  return out;
}

/** The cosine of each term of the query with each term of the page, 0 below the bound; which terms of the page have any above. */
function nearTerms(
  query: PassageQuery,
  rows: Int32Array,
  vectors: WordVectors,
): { bits: Uint8Array; cosines: Float32Array } {
  const bits = new Uint8Array(rows.length);
  const cosines = new Float32Array(rows.length * query.terms.length);
  for (const [term, text] of query.terms.entries()) {
    const own = vectors.rowOf.get(text);
    if (own === undefined) continue;
    for (let id = 0; id < rows.length; id += 1) {
      const row = rows[id] ?? -1;
      if (row === -1) continue;
      const cosine = cosineOf(vectors, own, row);
      if (cosine <= LIKE_MIN) continue;
      cosines[term * rows.length + id] = cosine;
      bits[id] = 1;
    }
  }
  return { bits, cosines };
}

function cosineOf({ dimensions, values }: WordVectors, left: number, right: number): number {
  let sum = 0;
  let other = right * dimensions;
  const end = (left + 1) * dimensions;
  for (let at = left * dimensions; at < end; at += 1) {
    sum += (values[at] ?? 0) * (values[other] ?? 0);
    other += 1;
  }
  return sum;
}
