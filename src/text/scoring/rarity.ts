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
 * How informative a term (as `wordsOf` gives it) is, from near 0 to 1: by its rank among the commonest English stems,
 * since a word of rank r has a share of about 1 / r in all text (Zipf). 1 for every term that is not among them.
 */
export function rarityOf(term: string): number {
  const rank = RANKS.get(term);
  return rank === undefined ? 1 : Math.log(rank + RANK_OFFSET) / UNLISTED;
}
