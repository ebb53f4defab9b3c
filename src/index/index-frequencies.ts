import type { IndexTotals } from './index-schema.ts';

/** Counting is linear in the count: small counts are recomputed after every change, large ones after a tenth of all pages changed. */
const COUNT_SMALL = 256;
const STALE_SHARE = 0.1;
const TOKENS_MAX = 50_000;

type CountedToken = { count: number; changes: number; pages: number };

/** Caches the document frequency of each token for as long as it is approximately right. */
export function createFrequencies(countPages: (token: string) => number): {
  at(totals: IndexTotals): (token: string) => number;
} {
  const known = new Map<string, CountedToken>();
  return {
    at:
      ({ changes, pages }) =>
      (token) => {
        const last = known.get(token);
        if (last !== undefined && isCurrent(last, { changes, pages })) return last.count;
        if (known.size >= TOKENS_MAX) known.clear();
        const count = countPages(token);
        known.set(token, { count, changes, pages });
        return count;
      },
  };
}

function isCurrent(last: CountedToken, now: { changes: number; pages: number }): boolean {
  if (last.changes === now.changes) return true;
  return last.count > COUNT_SMALL && Math.abs(now.pages - last.pages) < last.pages * STALE_SHARE;
}
