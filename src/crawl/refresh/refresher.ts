import type { Clock } from '../../platform/clock.ts';
import type { RefreshPages } from './refresh-pages.ts';

/** Refreshes the index in the background at a bounded rate. */
type Refresher = {
  /** Visits as many due pages as the time since the last call allows; does nothing while a visit is under way. */
  tick(): Promise<void>;
  /** Aborts the visits in progress. */
  stop(): void;
};

const HOUR_MS = 3_600_000;
/** Maximum unused time that is carried over, so that it does not add up to a flood. */
const SAVED_MS_MAX = 300_000;

export function createRefresher(parts: { refresh: RefreshPages; perHour: number; clock: Clock }): Refresher {
  const { refresh, perHour, clock } = parts;
  const ending = new AbortController();
  let savedMs = 0;
  let lastAt = clock.now();
  let isRunning = false;
  return {
    async tick() {
      const now = clock.now();
      savedMs = Math.min(Math.max(SAVED_MS_MAX, HOUR_MS / perHour), savedMs + Math.max(0, now - lastAt));
      lastAt = now;
      const pagesMax = Math.floor((savedMs * perHour) / HOUR_MS);
      if (isRunning || pagesMax === 0 || ending.signal.aborted) return;
      isRunning = true;
      try {
        savedMs -= (pagesMax * HOUR_MS) / perHour;
        await refresh({ pagesMax, signal: ending.signal });
      } finally {
        isRunning = false;
      }
    },
    stop: () => ending.abort(),
  };
}
