import type { PassageQuery } from '../query/passage-query.ts';
import type { ChunkTerms } from './chunk-terms.ts';
import type { QueryHits } from './query-hits.ts';

const SHARED_CHARS_MIN = 4;
const SHARED_PART_MIN = 0.6;

/**
 * For each chunk the weight of the query terms that it lacks but has a relative of: a term with the same beginning (at
 * least four characters and 60 % of the longer one). Replaces the stemmer in languages without one.
 */
export function relatives(page: ChunkTerms, { terms }: PassageQuery, found: QueryHits): Float64Array {
  const relativesOf = relativeBits(page.terms, terms);
  const out = new Float64Array(found.chunks);
  if (relativesOf === null) return out;
  for (let chunk = 0; chunk < found.chunks; chunk += 1) {
    let bits = 0;
    for (let at = page.from[chunk] ?? 0; at < (page.from[chunk + 1] ?? 0); at += 1)
      bits |= relativesOf[page.ids[at] ?? 0] ?? 0;
    bits &= ~(found.present[chunk] ?? 0);
    let sum = 0;
    for (let term = 0; bits >>> term !== 0; term += 1)
      if (((bits >>> term) & 1) === 1) sum += found.weights[term] ?? 0;
    out[chunk] = sum;
  }
  return out;
}

/** For each term of the page the bits of its relatives in the query; null when no term has any. */
function relativeBits(pageTerms: string[], queryTerms: string[]): Int32Array | null {
  const byStart = new Map<string, number[]>();
  for (const [place, term] of queryTerms.entries()) {
    if (term.length < SHARED_CHARS_MIN) continue;
    const start = term.slice(0, SHARED_CHARS_MIN);
    byStart.set(start, [...(byStart.get(start) ?? []), place]);
  }
  const bits = new Int32Array(pageTerms.length);
  let some = false;
  for (const [id, term] of pageTerms.entries()) {
    if (term.length < SHARED_CHARS_MIN) continue;
    for (const place of byStart.get(term.slice(0, SHARED_CHARS_MIN)) ?? []) {
      if (!isRelative(term, queryTerms[place] ?? '')) continue;
      bits[id] = (bits[id] ?? 0) | (1 << place);
      some = true;
    }
  }
  return some ? bits : null;
}

function isRelative(left: string, right: string): boolean {
  if (left === right) return false;
  let shared = 0;
  while (shared < left.length && left[shared] === right[shared]) shared += 1;
  return shared >= SHARED_PART_MIN * Math.max(left.length, right.length);
}
