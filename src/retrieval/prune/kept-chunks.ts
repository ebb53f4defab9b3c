import type { ScoredChunk } from '../page.ts';

/**
 * How much of a page is kept. The scorer decides the order; these decide the amount, and `npm run eval:prune` measures them
 * (`--fit` tries others). Only `RELEVANT_MIN` is a score; the others depend on how scores stand to the best one of the page.
 */
export type Amount = {
  /** A page whose best chunk scores less has nothing to do with the question. */
  relevantMin: number;
  /** The higher, the faster a lower score loses its say: weight = (score / best) ^ sharpness. */
  sharpness: number;
  /** Chunks are kept, best first, until they have this share of the weight of all. */
  mass: number;
  /** But no fewer than these, and no more than this share of the page (at least `chunksMin`) or this many. */
  chunksMin: number;
  shareMax: number;
  chunksMax: number;
};

/** Fitted with `npm run eval:prune -- --fit`. */
export const AMOUNT: Amount = {
  relevantMin: 0.3,
  sharpness: 4,
  mass: 0.9,
  chunksMin: 2,
  shareMax: 0.2,
  chunksMax: 20,
};

/** The chunks that are kept, in page order; the first one where none is relevant. */
export function keptChunks(
  scored: ScoredChunk[],
  amount: Amount = AMOUNT,
): { kept: ScoredChunk[]; isRelevant: boolean } {
  const best = scored.toSorted((left, right) => right.score - left.score || left.start - right.start);
  const top = best[0]?.score ?? 0;
  if (top <= 0 || top < amount.relevantMin) return { kept: scored.slice(0, 1), isRelevant: false };
  const weights = best.map(({ score }) => (Math.max(0, score) / top) ** amount.sharpness);
  const wanted = amount.mass * weights.reduce((sum, weight) => sum + weight, 0);
  const most = Math.min(
    amount.chunksMax,
    Math.max(amount.chunksMin, Math.floor(scored.length * amount.shareMax)),
  );
  let kept = 0;
  for (let mass = 0; kept < most && best[kept] !== undefined; kept += 1) {
    if (kept >= amount.chunksMin && mass >= wanted) break;
    if ((best[kept]?.score ?? 0) <= 0) break;
    mass += weights[kept] ?? 0;
  }
  return { kept: best.slice(0, kept).sort((left, right) => left.start - right.start), isRelevant: true };
}
