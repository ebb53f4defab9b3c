import { COMMON_STEMS } from '../words/common-words-table.ts';

const RANKS: ReadonlyMap<string, number> = new Map(
  COMMON_STEMS.trim()
    .split(/\s+/)
    .map((stem, rank) => [stem, rank]),
);

/** Keeps the rarity of the commonest words above 0. */
const RANK_OFFSET = 2;
const UNLISTED = Math.log(RANKS.size + RANK_OFFSET);

/**
 * Returns how informative a term (as `tokenizeWords` returns it) is, from near 0 to 1, by its rank among the commonest English stems: a
 * word of rank r has a share of about 1 / r of all text (Zipf). 1 for every term that is not among them.
 */
export function computeRarity(term: string): number {
  const rank = RANKS.get(term);
  return rank === undefined ? 1 : Math.log(rank + RANK_OFFSET) / UNLISTED;
}

/** Words of a typical page, and the constants of Zipf's law for English (Mandelbrot 1953). */
const PAGE_WORDS = 300;
const ZIPF = { share: 0.06, offset: 3 };
const UNLISTED_SHARE = 0.0005;

/**
 * Estimates the share of all pages that contain a term (as `tokenizeWords` returns it), by its rank among the commonest English stems.
 */
export function estimatePageShare(term: string): number {
  const rank = RANKS.get(term);
  if (rank === undefined) return UNLISTED_SHARE;
  return 1 - Math.exp((-PAGE_WORDS * ZIPF.share) / (rank + ZIPF.offset));
}
