import type { PassageQuery } from '../query/passage-query.ts';
import type { ChunkTerms } from './chunk-terms.ts';
import { computeChunkIdf, type QueryHits } from './query-hits.ts';

/** BM25 (Robertson and Zaragoza 2009) within one page; its chunks are of similar size, so the length matters little. */
const K1 = 0.9;
const B = 0.4;
/** The weight of a term in a heading above the chunk, relative to one in its text. */
const HEADING_COUNT = 0.5;
/**
 * Maximum distance in the query of two terms that form a pair, and maximum number of previous hits that each hit is paired with.
 */
const PAIR_SPAN = 3;
const HITS_BACK = 8;
/** Terms at the beginning of a sentence that name its subject. */
const SUBJECT_TERMS = 8;

const saturate = (count: number, norm: number): number => (count * (K1 + 1)) / (count + norm);

/** Returns the BM25 score of each chunk; the terms of the headings above it count half. */
export function scoreBm25(found: QueryHits): Float64Array {
  const { chunks, terms, counts, inHeading, weights, lengths, lengthMean } = found;
  const out = new Float64Array(chunks);
  for (let chunk = 0; chunk < chunks; chunk += 1) {
    const norm = K1 * (1 - B + (B * (lengths[chunk] ?? 0)) / lengthMean);
    let sum = 0;
    for (let term = 0; term < terms; term += 1) {
      const at = chunk * terms + term;
      const count = (counts[at] ?? 0) + HEADING_COUNT * (inHeading[at] ?? 0);
      if (count > 0) sum += (weights[term] ?? 0) * saturate(count, norm);
    }
    out[chunk] = sum;
  }
  return out;
}

/** Returns the share of the query's weight in each chunk (half as much in the headings above it). */
export function measureCoverage(found: QueryHits, weights: ArrayLike<number>): Float64Array {
  const { chunks, terms, counts, inHeading } = found;
  let total = 0;
  for (let term = 0; term < terms; term += 1) total += weights[term] ?? 0;
  const out = new Float64Array(chunks);
  for (let chunk = 0; chunk < chunks; chunk += 1) {
    let sum = 0;
    for (let term = 0; term < terms; term += 1) {
      const at = chunk * terms + term;
      const share = (counts[at] ?? 0) > 0 ? 1 : HEADING_COUNT * (inHeading[at] ?? 0);
      sum += share * (weights[term] ?? 0);
    }
    out[chunk] = sum / (total || 1);
  }
  return out;
}

/** Returns the share of the query's weight in the headings above each chunk. */
export function measureHeadingCoverage({
  chunks,
  terms,
  inHeading,
  weights,
  weightTotal,
}: QueryHits): Float64Array {
  const out = new Float64Array(chunks);
  for (let at = 0; at < inHeading.length; at += 1) {
    if (inHeading[at] === 0) continue;
    const chunk = Math.floor(at / terms);
    out[chunk] = (out[chunk] ?? 0) + (weights[at % terms] ?? 0) / weightTotal;
  }
  return out;
}

/**
 * Returns the features of the best sentence of each chunk: its share of the query's weight, its BM25 score, and the share among its
 * first terms.
 */
export function computeSentenceFeatures(
  found: QueryHits,
): Record<'covered' | 'bm25' | 'subject', Float64Array> {
  const { chunks, hits, from, weights, weightTotal } = found;
  const out = {
    covered: new Float64Array(chunks),
    bm25: new Float64Array(chunks),
    subject: new Float64Array(chunks),
  };
  const counts = new Uint16Array(found.terms);
  for (let chunk = 0; chunk < chunks; chunk += 1) {
    const end = from[chunk + 1] ?? 0;
    let sum = { covered: 0, bm25: 0, subject: 0 };
    for (let at = from[chunk] ?? 0; at < end; at += 1) {
      const hit = hits[at];
      if (hit === undefined) break;
      const weight = weights[hit.term] ?? 0;
      const count = (counts[hit.term] ?? 0) + 1;
      counts[hit.term] = count;
      sum.bm25 += weight * (saturate(count, K1) - saturate(count - 1, K1));
      if (count === 1) {
        sum.covered += weight / weightTotal;
        if (hit.offset < SUBJECT_TERMS) sum.subject += weight / weightTotal;
      }
      if (at + 1 < end && hits[at + 1]?.sentence === hit.sentence) continue;
      for (const name of ['covered', 'bm25', 'subject'] as const)
        out[name][chunk] = Math.max(out[name][chunk] ?? 0, sum[name]);
      sum = { covered: 0, bm25: 0, subject: 0 };
      counts.fill(0);
    }
  }
  return out;
}

/** Returns the share of the query's weight in the best block of each chunk. */
export function measureBlockCoverage(
  { chunks, hits, from, weights, weightTotal }: QueryHits,
  blocks: Int32Array,
): Float64Array {
  const out = new Float64Array(chunks);
  for (let chunk = 0; chunk < chunks; chunk += 1) {
    let [block, bits, sum, best] = [-1, 0, 0, 0];
    for (let at = from[chunk] ?? 0; at < (from[chunk + 1] ?? 0); at += 1) {
      const hit = hits[at];
      if (hit === undefined) break;
      if (blocks[hit.place] !== block) {
        block = blocks[hit.place] ?? 0;
        [bits, sum] = [0, 0];
      }
      if (((bits >>> hit.term) & 1) === 1) continue;
      bits |= 1 << hit.term;
      sum += (weights[hit.term] ?? 0) / weightTotal;
      best = Math.max(best, sum);
    }
    out[chunk] = best;
  }
  return out;
}

/**
 * Measures the proximity of terms that are neighbours in the query: the weight of the lighter one divided by their distance, summed
 * over all pairs.
 */
export function measurePairProximity({ chunks, hits, from, weights, terms }: QueryHits): Float64Array {
  const out = new Float64Array(chunks);
  const nearest = new Int32Array(terms * terms);
  for (let chunk = 0; chunk < chunks; chunk += 1) {
    nearest.fill(0);
    const start = from[chunk] ?? 0;
    for (let right = start + 1; right < (from[chunk + 1] ?? 0); right += 1) {
      for (let left = right - 1; left >= Math.max(start, right - HITS_BACK); left -= 1) {
        const [one, other] = [hits[left], hits[right]];
        if (one === undefined || other === undefined || one.term === other.term) continue;
        if (Math.abs(one.term - other.term) > PAIR_SPAN) continue;
        const pair = Math.min(one.term, other.term) * terms + Math.max(one.term, other.term);
        const distance = other.place - one.place;
        if (nearest[pair] === 0 || distance < (nearest[pair] ?? 0)) nearest[pair] = distance;
      }
    }
    let sum = 0;
    for (const [pair, distance] of nearest.entries()) {
      if (distance === 0) continue;
      sum += Math.min(weights[Math.floor(pair / terms)] ?? 0, weights[pair % terms] ?? 0) / (distance + 1);
    }
    out[chunk] = sum;
  }
  return out;
}

/** Returns the BM25 score over pairs of neighbouring words, function words included; pairs in fewer chunks weigh more. */
export function scorePhrases(page: ChunkTerms, { pairs }: PassageQuery): Float64Array {
  const chunks = page.from.length - 1;
  const idOf = new Map(pairs.flat().map((term) => [term, -1]));
  for (const [id, term] of page.terms.entries()) if (idOf.has(term)) idOf.set(term, id);
  const places = new Map<number, number>();
  const begins = new Uint8Array(page.terms.length);
  for (const [place, [left, right]] of pairs.entries()) {
    const [first, second] = [idOf.get(left) ?? -1, idOf.get(right) ?? -1];
    if (first === -1 || second === -1) continue;
    places.set(first * page.terms.length + second, place);
    begins[first] = 1;
  }
  const counts = new Uint16Array(chunks * pairs.length);
  for (let chunk = 0; chunk < chunks; chunk += 1) {
    for (let at = page.from[chunk] ?? 0; at + 1 < (page.from[chunk + 1] ?? 0); at += 1) {
      const id = page.ids[at] ?? 0;
      if (begins[id] === 0) continue;
      const pair = places.get(id * page.terms.length + (page.ids[at + 1] ?? 0));
      if (pair === undefined) continue;
      counts[chunk * pairs.length + pair] = (counts[chunk * pairs.length + pair] ?? 0) + 1;
    }
  }
  return scorePairs(counts, chunks, pairs.length);
}

function scorePairs(counts: Uint16Array, chunks: number, pairs: number): Float64Array {
  const out = new Float64Array(chunks);
  for (let pair = 0; pair < pairs; pair += 1) {
    let containing = 0;
    for (let chunk = 0; chunk < chunks; chunk += 1)
      if ((counts[chunk * pairs + pair] ?? 0) > 0) containing += 1;
    if (containing === 0) continue;
    for (let chunk = 0; chunk < chunks; chunk += 1)
      out[chunk] =
        (out[chunk] ?? 0) +
        computeChunkIdf(containing, chunks) * saturate(counts[chunk * pairs + pair] ?? 0, K1);
  }
  return out;
}

/** Returns the share of the query's weight that a chunk lacks but a neighbouring chunk has. */
export function measureNeighbourCoverage({
  chunks,
  terms,
  present,
  weights,
  weightTotal,
}: QueryHits): Float64Array {
  const out = new Float64Array(chunks);
  for (let chunk = 0; chunk < chunks; chunk += 1) {
    const around = (present[chunk - 1] ?? 0) | (present[chunk + 1] ?? 0);
    const bits = around & ~(present[chunk] ?? 0);
    if (bits === 0) continue;
    let sum = 0;
    for (let term = 0; term < terms; term += 1) if (((bits >>> term) & 1) === 1) sum += weights[term] ?? 0;
    out[chunk] = sum / weightTotal;
  }
  return out;
}

/**
 * Scores how well the names of each chunk match the query: the best of its own heading, headings in it and terms it defines, as the
 * share of the query that the name covers times the share of the name that the query has.
 */
export function scoreNames(
  page: ChunkTerms,
  { rarities }: PassageQuery,
  { termOf }: Pick<QueryHits, 'termOf'>,
): Float64Array {
  const total = rarities.reduce((sum, rarity) => sum + rarity, 0) || 1;
  const measureFit = (name: readonly number[]): number => {
    let [sum, shared] = [0, 0];
    for (const id of name) {
      const term = termOf[id] ?? -1;
      if (term === -1) continue;
      sum += rarities[term] ?? 0;
      shared += 1;
    }
    return ((sum / total) * shared) / Math.max(1, name.length);
  };
  return Float64Array.from(page.labels, (names) =>
    names.reduce((best, name) => Math.max(best, measureFit(name)), 0),
  );
}
