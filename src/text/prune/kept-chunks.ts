import type { ScoredChunk } from '../chunk/chunk.ts';

/**
 * How much of a page is kept: a budget of characters, spent on the best chunks. The scorer decides the order; these decide the amount.
 * `npm run eval:prune` measures them and with `--fit` tries others.
 */
export type Amount = {
  /** A page whose best chunk scores less is not relevant. */
  relevantMin: number;
  /** Of a page whose best chunk scores less than this, that chunk alone is kept. */
  unsure: number;
  /** From this score of the best chunk on, the full budget is spent; below it, a proportional one. */
  sure: number;
  /** The budget: a share of the page's characters, within bounds. */
  share: number;
  charsMin: number;
  charsMax: number;
  /** The lower bound never exceeds this share of the page: a short page is pruned too. */
  leastShare: number;
  /** Chunks that score less than this share of the best one are left out. */
  floor: number;
};

/** Fitted with `npm run eval:prune -- --fit`. */
export const AMOUNT: Amount = {
  relevantMin: 0.02,
  unsure: 0.06,
  sure: 0.15,
  share: 0.11,
  charsMin: 4_000,
  charsMax: 12_000,
  leastShare: 0.5,
  floor: 0.065,
};

/** A share of the usual amount. */
export function amountOf(share: number): Amount {
  const { charsMin, charsMax } = AMOUNT;
  return { ...AMOUNT, share: AMOUNT.share * share, charsMin: charsMin * share, charsMax: charsMax * share };
}

/** The chunks that are kept, in page order; none where none is relevant. */
export function keptChunks(scored: ScoredChunk[], amount: Amount = AMOUNT): ScoredChunk[] {
  const best = scored
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score || left.start - right.start);
  const top = best[0]?.score ?? 0;
  if (top <= 0 || top < amount.relevantMin) return [];
  if (top < amount.unsure) return best.slice(0, 1);
  const page = (scored.at(-1)?.end ?? 0) - (scored[0]?.start ?? 0);
  const least = Math.min(amount.charsMin, page * amount.leastShare);
  const full = Math.min(amount.charsMax, Math.max(least, page * amount.share));
  const budget = full * Math.min(1, top / amount.sure);
  let [kept, chars] = [0, 0];
  for (const { start, end, score } of best) {
    // The last one may go beyond by half of it, so that on the whole the budget is spent.
    if (kept > 0 && (score < amount.floor * top || chars + (end - start) / 2 > budget)) break;
    kept += 1;
    chars += end - start;
  }
  return best.slice(0, kept).sort((left, right) => left.start - right.start);
}
