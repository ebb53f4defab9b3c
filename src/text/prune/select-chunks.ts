import type { ScoredChunk } from '../chunk/chunk-markdown.ts';

/**
 * The amount of a page that is kept: a budget of characters, spent on the best chunks. The scores decide the order, these parameters the
 * amount. `npm run eval:prune` measures them.
 */
export type Amount = {
  /** A page whose best chunk scores less is not relevant. */
  relevantMin: number;
  /** If the best chunk scores less than this, only that chunk is kept. */
  unsure: number;
  /** If the best chunk scores at least this, the full budget is spent; below it, a proportional one. */
  sure: number;
  /** The budget: a share of the page's characters, within `charsMin` and `charsMax`. */
  share: number;
  charsMin: number;
  charsMax: number;
  /** `charsMin` never exceeds this share of the page: a short page is pruned too. */
  leastShare: number;
  /** Chunks that score less than this share of the best one are left out. */
  floor: number;
};

/** The combination that kept most answers and dropped most of unrelated pages, of some hundred tried on pages that `eval:prune` reads. */
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
 * A page of up to `charsMax` characters has few chunks of the usual size, so it is pruned by smaller ones, and less of it is left
 * out, since any sentence of it may be the answer.
 */
export const SHORT_PAGE = { charsMax: 2_000, chunks: { charsMin: 150, charsMax: 350 }, leastShare: 0.75 };

/** Returns a share of the usual amount, for a page of `chars` characters. */
export function computeAmount(share: number, chars: number): Amount {
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

/** Chunks whose BM25 score is at least this share of the best one fill the rest of the budget. */
const WORDS_FLOOR = 0.5;
/** Maximum chunks kept beyond the budget because they answer a how-to question. */
const DOING_MAX = 2;

/**
 * Selects the chunks to keep, in page order; none if none is relevant. They always include the one that plain BM25 ranks first, and
 * any budget that the score leaves goes to the next by BM25: the score alone never loses a passage that the plain words find.
 */
export function selectChunks(scored: ScoredChunk[], amount: Amount = AMOUNT): ScoredChunk[] {
  const best = rankBy(scored, ({ score }) => score);
  const top = best[0]?.score ?? 0;
  if (top <= 0 || top < amount.relevantMin) return [];
  const byWords = rankBy(scored, ({ words = 0 }) => words);
  const doing = rankBy(scored, ({ does = 0 }) => does);
  const kept = new Set([...doing.slice(0, DOING_MAX), ...byWords.slice(0, 1)]);
  if (top < amount.unsure) return sortByPlace([...kept, ...best.slice(0, 1)]);
  const budget = computeBudget(scored, amount) * Math.min(1, top / amount.sure);
  const paid = new Set<ScoredChunk>();
  let chars = 0;
  const fill = (chunks: readonly ScoredChunk[], isLeftOut: (chunk: ScoredChunk) => boolean): void => {
    for (const chunk of chunks) {
      const length = chunk.end - chunk.start;
      // The last chunk may exceed the budget by half its length, so that on average the budget is spent.
      if (chars > 0 && (isLeftOut(chunk) || chars + length / 2 > budget)) return;
      if (!paid.has(chunk)) chars += length;
      paid.add(chunk);
    }
  };
  fill(best, ({ score }) => score < amount.floor * top);
  const leastWords = WORDS_FLOOR * (byWords[0]?.words ?? 0);
  fill(byWords, ({ words = 0 }) => words < leastWords);
  return sortByPlace([...kept, ...paid]);
}

function rankBy(scored: readonly ScoredChunk[], rankOf: (chunk: ScoredChunk) => number): ScoredChunk[] {
  return scored
    .filter((chunk) => rankOf(chunk) > 0)
    .sort((left, right) => rankOf(right) - rankOf(left) || left.start - right.start);
}

function computeBudget(
  scored: readonly ScoredChunk[],
  { share, charsMin, charsMax, leastShare }: Amount,
): number {
  const page = (scored.at(-1)?.end ?? 0) - (scored[0]?.start ?? 0);
  return Math.min(charsMax, Math.max(Math.min(charsMin, page * leastShare), page * share));
}

const sortByPlace = (chunks: Iterable<ScoredChunk>): ScoredChunk[] =>
  [...new Set(chunks)].sort((left, right) => left.start - right.start);
