import { USD_PER_CREDIT } from '../../contract/limits.ts';

/** Credits used -> what the answer reports; rounded, because 9 times 0.001 is not 0.009 in binary. */
export function costOf(credits: number): { total: number } {
  return { total: Number((credits * USD_PER_CREDIT).toFixed(6)) };
}
