import { idf, type QueryHits } from './query-hits.ts';

/** BM25 (Robertson and Zaragoza 2009) over the paragraphs of one page. */
const K1 = 1.2;
const B = 0.75;

/**
 * Plain BM25 of the best paragraph of each chunk: what a search for the bare words finds. It sees neither meaning nor place, and so
 * seldom errs together with the learned score.
 */
export function plainWords({ chunks, terms, hits, from }: QueryHits, blocks: Int32Array): Float64Array {
  const lengths = new Map<number, number>();
  for (const block of blocks) lengths.set(block, (lengths.get(block) ?? 0) + 1);
  const mean = blocks.length / Math.max(1, lengths.size);
  const counts = new Map<number, number>();
  const containing = new Int32Array(terms);
  for (const { term, place } of hits) {
    const at = (blocks[place] ?? 0) * terms + term;
    const count = (counts.get(at) ?? 0) + 1;
    counts.set(at, count);
    if (count === 1) containing[term] = (containing[term] ?? 0) + 1;
  }
  const weights = Float64Array.from(containing, (some) => idf(some, lengths.size));
  const scores = new Map<number, number>();
  for (const [at, count] of counts) {
    const block = Math.floor(at / terms);
    const norm = K1 * (1 - B + (B * (lengths.get(block) ?? 0)) / mean);
    const score = ((weights[at % terms] ?? 0) * count * (K1 + 1)) / (count + norm);
    scores.set(block, (scores.get(block) ?? 0) + score);
  }
  const out = new Float64Array(chunks);
  for (let chunk = 0; chunk < chunks; chunk += 1)
    for (const { place } of hits.slice(from[chunk], from[chunk + 1]))
      out[chunk] = Math.max(out[chunk] ?? 0, scores.get(blocks[place] ?? 0) ?? 0);
  return out;
}
