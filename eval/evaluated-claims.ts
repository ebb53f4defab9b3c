/**
 * Claims with a value for each question, ours and the baseline's, which evaluations record for `npm run eval`. A claim stands by the
 * interval of the mean difference over resampled questions, not by the difference alone.
 */
import { appendFileSync } from 'node:fs';
import { createRandom } from '../bench/search/random.ts';

/** `fitted`: what was fitted or chosen on these questions. `rows`: more is better; `baseline` is null where there is none. */
export type EvaluatedClaim = {
  claim: string;
  set: string;
  fitted: string;
  baseline: string | null;
  rows: { ours: number; baseline: number | null }[];
};
type Interval = { mean: number; low: number; high: number };
export type Verdict = 'WIN' | 'EQUAL' | 'BEHIND';

const SAMPLES = 2_000;
const SEED = 29;
const TAIL = 0.025;

/** Records a claim for the page of claims; without effect in a run of its own. */
export function recordClaim(claim: EvaluatedClaim): void {
  const file = process.env.EVAL_CLAIMS;
  if (file !== undefined && claim.rows.length > 0) appendFileSync(file, `${JSON.stringify(claim)}\n`);
}

/** Computes the mean of `values` and its 95 % interval by bootstrap; the same for the same values. */
export function computeInterval(values: readonly number[]): Interval {
  const random = createRandom(SEED);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const means = Array.from({ length: SAMPLES }, () => {
    let sum = 0;
    for (let drawn = 0; drawn < values.length; drawn += 1) sum += values[random(values.length)] ?? 0;
    return sum / values.length;
  }).sort((left, right) => left - right);
  const at = (share: number): number => means[Math.floor(share * (SAMPLES - 1))] ?? mean;
  return { mean, low: at(TAIL), high: at(1 - TAIL) };
}

/** WIN or BEHIND when the whole interval of the difference is on one side of zero. */
export function judgeDifference({ low, high }: Interval): Verdict {
  if (low > 0) return 'WIN';
  return high < 0 ? 'BEHIND' : 'EQUAL';
}
