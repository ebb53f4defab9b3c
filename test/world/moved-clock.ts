import type { Clock } from '../../src/platform/clock.ts';

export type MovedClock = Clock & { advance(ms: number): void };

/** Stands still but for what a test moves it. */
export function movedClock(start = '2026-11-21T12:00:00Z'): MovedClock {
  let now = Date.parse(start);
  return {
    now: () => now,
    advance(ms) {
      now += ms;
    },
  };
}
