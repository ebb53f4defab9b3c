import type { Clock } from '../../platform/clock.ts';

/** Lets at most a fixed number of calls begin within any period of `perMs`; refuses further calls instead of queueing them. */
export type CallWindow = { take(): boolean };

const CALLS_MAX = 100_000;

/**
 * A sliding window: the call before the last `calls` must be `perMs` old. Exact, whereas a full token bucket would let through up
 * to twice as many.
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
