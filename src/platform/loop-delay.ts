import { performance } from 'node:perf_hooks';

/** How long work waits for the event loop, averaged over the last samples. */
export type LoopDelay = { ms(): number; end(): void };

export const SAMPLE_MS = 100;
/** What the newest sample weighs: one long pause is forgiven, a loop that stays busy is not. */
const NEWEST_WEIGHT = 0.25;

/** Measures how late a timer fires. `now` is in milliseconds. */
export function watchLoopDelay(now: () => number = () => performance.now()): LoopDelay {
  let average = 0;
  let last = now();
  const withNewest = (): number =>
    average + NEWEST_WEIGHT * (Math.max(0, now() - last - SAMPLE_MS) - average);
  const timer = setInterval(() => {
    average = withNewest();
    last = now();
  }, SAMPLE_MS);
  timer.unref();
  return {
    // The pause that is not over yet counts as well.
    ms: () => Math.max(average, withNewest()),
    end: () => clearInterval(timer),
  };
}
