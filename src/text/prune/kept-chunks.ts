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

/**
 * A page with up to so many characters has few chunks of the usual size: it is pruned by smaller ones, and less of it is left out, since
 * any sentence of it may answer.
 */
export const SHORT_PAGE = { charsMax: 2_000, chunks: { charsMin: 150, charsMax: 350 }, leastShare: 0.75 };

/** A share of the usual amount, for a page with so many characters. */
export function amountOf(share: number, chars: number): Amount {
  const { charsMin, charsMax } = AMOUNT;
  const leastShare = chars <= SHORT_PAGE.charsMax ? SHORT_PAGE.leastShare : AMOUNT.leastShare;
  return {
    ...AMOUNT,
    share: AMOUNT.share * share,
    charsMin: charsMin * share,
    charsMax: charsMax * share,
    leastShare,
  };
}

/** Chunks that the words alone rank this high, as a share of the best, fill what is left of the budget. */
const WORDS_FLOOR = 0.5;
/** Of a page that is asked how to do something so many chunks that tell it are kept, beyond the budget too. */
const DOING_MAX = 2;

/**
 * The chunks that are kept, in page order; none where none is relevant. The chunk that plain BM25 finds first is always one of them, and
 * what the score leaves of the budget goes to its next ones: the score alone never costs a passage that the bare words find.
 */
export function keptChunks(scored: ScoredChunk[], amount: Amount = AMOUNT): ScoredChunk[] {
  const best = bestBy(scored, ({ score }) => score);
  const top = best[0]?.score ?? 0;
  if (top <= 0 || top < amount.relevantMin) return [];
  const byWords = bestBy(scored, ({ words = 0 }) => words);
  const doing = bestBy(scored, ({ does = 0 }) => does);
  const kept = new Set([...doing.slice(0, DOING_MAX), ...byWords.slice(0, 1)]);
  if (top < amount.unsure) return inOrder([...kept, ...best.slice(0, 1)]);
  const budget = budgetOf(scored, amount) * Math.min(1, top / amount.sure);
  const paid = new Set<ScoredChunk>();
  let chars = 0;
  const fill = (chunks: readonly ScoredChunk[], isLeftOut: (chunk: ScoredChunk) => boolean): void => {
    for (const chunk of chunks) {
      const length = chunk.end - chunk.start;
      // The last one may go beyond by half of it, so that on the whole the budget is spent.
      if (chars > 0 && (isLeftOut(chunk) || chars + length / 2 > budget)) return;
      if (!paid.has(chunk)) chars += length;
      paid.add(chunk);
    }
  };
  fill(best, ({ score }) => score < amount.floor * top);
  const leastWords = WORDS_FLOOR * (byWords[0]?.words ?? 0);
  fill(byWords, ({ words = 0 }) => words < leastWords);
  return inOrder([...kept, ...paid]);
}

function bestBy(scored: readonly ScoredChunk[], rankOf: (chunk: ScoredChunk) => number): ScoredChunk[] {
  return scored
    .filter((chunk) => rankOf(chunk) > 0)
    .sort((left, right) => rankOf(right) - rankOf(left) || left.start - right.start);
}

function budgetOf(scored: readonly ScoredChunk[], { share, charsMin, charsMax, leastShare }: Amount): number {
  const page = (scored.at(-1)?.end ?? 0) - (scored[0]?.start ?? 0);
  return Math.min(charsMax, Math.max(Math.min(charsMin, page * leastShare), page * share));
}

const inOrder = (chunks: Iterable<ScoredChunk>): ScoredChunk[] =>
  [...new Set(chunks)].sort((left, right) => left.start - right.start);
