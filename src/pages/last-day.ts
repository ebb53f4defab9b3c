import { toUtcDay } from '../platform/clock.ts';

/** The earliest time zone is this far ahead of UTC. */
const AHEAD_MS = 14 * 3_600_000;

/** Returns the latest day (YYYY-MM-DD) anywhere on Earth at an instant; no page can be dated later. */
export function computeLastDay(instant: number): string {
  return toUtcDay(instant + AHEAD_MS);
}
