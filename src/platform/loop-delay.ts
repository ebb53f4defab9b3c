import { performance } from 'node:perf_hooks';

/** The delay of the event loop, averaged over recent samples. */
export type LoopDelay = { ms(): number; end(): void };

export const SAMPLE_MS = 100;
/** Weight of the newest sample: small enough to discount a single pause, large enough to notice a busy loop. */
const NEWEST_WEIGHT = 0.25;

/** Measures how late a timer fires. `now` is in milliseconds. */
export function watchLoopDelay(now: () => number = () => performance.now()): LoopDelay {
  let average = 0;
  let last = now();
  const computeAverage = (): number =>
    average + NEWEST_WEIGHT * (Math.max(0, now() - last - SAMPLE_MS) - average);
  const timer = setInterval(() => {
    average = computeAverage();
    last = now();
  }, SAMPLE_MS);
  timer.unref();
  return {
    // Includes a pause that has not ended yet.
    ms: () => Math.max(average, computeAverage()),
    end: () => clearInterval(timer),
  };
}
