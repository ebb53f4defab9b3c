import { USD_PER_CREDIT } from '../../contract/limits.ts';

/** Builds the field that states the credits used in USD; rounded, because 9 * 0.001 is not 0.009 in floating point. */
export function buildCostDollars(credits: number): { costDollars: { total: number } } {
  return { costDollars: { total: Number((credits * USD_PER_CREDIT).toFixed(6)) } };
}
