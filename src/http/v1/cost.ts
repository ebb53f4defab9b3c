import { USD_PER_CREDIT } from '../../contract/limits.ts';

/** Credits used -> `costDollars`; rounded, because 9 * 0.001 is not 0.009 in floating point. */
export function costOf(credits: number): { total: number } {
  return { total: Number((credits * USD_PER_CREDIT).toFixed(6)) };
}
