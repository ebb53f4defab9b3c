import type { ScoredChunk } from '../chunk/chunk.ts';

/**
 * How much of a page is kept. The scorer decides the order; these decide the amount. `npm run eval:prune` measures them and
 * with `--fit` tries others. Only `relevantMin` and `sure` are scores; the rest depends on scores relative to the page's best.
 */
export type Amount = {
  /** A page whose best chunk scores less is not relevant. */
  relevantMin: number;
  /** From this score of the best chunk on, the full amount is kept; below it, a proportional one. */
  sure: number;
  /** The least number of chunks kept: of a page that is hardly relevant, and of one that surely is. */
  weakMin: number;
  sureMin: number;
  /** The second never exceeds this share of the chunks: a short page is pruned too. */
  leastShare: number;
  /** Beyond these, chunks are kept until they have this share of the weight of all: (score / best) ^ sharpness. */
  sharpness: number;
  mass: number;
  /** But no more than this share of the chunks. */
  shareMax: number;
};

/** Fitted with `npm run eval:prune -- --fit`. */
export const AMOUNT: Amount = {
  relevantMin: 0.08,
  sure: 0.7,
  weakMin: 1,
  sureMin: 3,
  leastShare: 0.5,
  sharpness: 2,
  mass: 0.98,
  shareMax: 0.2,
};

/** The chunks that are kept, in page order; none where none is relevant. */
export function keptChunks(scored: ScoredChunk[], amount: Amount = AMOUNT): ScoredChunk[] {
  const best = scored
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score || left.start - right.start);
  const top = best[0]?.score ?? 0;
  if (top <= 0 || top < amount.relevantMin) return [];
  const sureness = Math.min(1, top / amount.sure);
  const sureMin = Math.min(amount.sureMin, Math.ceil(scored.length * amount.leastShare));
  const least = Math.round(amount.weakMin + (sureMin - amount.weakMin) * sureness);
  const most = Math.max(least, Math.floor(scored.length * amount.shareMax * sureness));
  const weights = best.map(({ score }) => (score / top) ** amount.sharpness);
  const wanted = amount.mass * weights.reduce((sum, weight) => sum + weight, 0);
  let kept = 0;
  for (let mass = 0; kept < most && kept < best.length; kept += 1) {
    if (kept >= least && mass >= wanted) break;
    mass += weights[kept] ?? 0;
  }
  return best.slice(0, kept).sort((left, right) => left.start - right.start);
}
