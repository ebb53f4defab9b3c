import type { Clock } from '../../platform/clock.ts';

/** Lets at most so many calls begin within any stretch of `perMs`; nobody waits, a call that finds no room is refused. */
export type CallWindow = { take(): boolean };

const CALLS_MAX = 100_000;

/**
 * Exact, where a token bucket would let twice as many through around a full bucket: the call before the last `calls` must lie
 * `perMs` back.
 */
export function createCallWindow(
  { calls, perMs }: { calls: number; perMs: number },
  clock: Clock,
): CallWindow {
  const size = Math.max(1, Math.min(calls, CALLS_MAX));
  const begun = new Float64Array(size).fill(Number.NEGATIVE_INFINITY);
  let next = 0;
  return {
    take() {
      const now = clock.now();
      if (now - (begun[next] ?? 0) < perMs) return false;
      begun[next] = now;
      next = (next + 1) % size;
      return true;
    },
  };
}
