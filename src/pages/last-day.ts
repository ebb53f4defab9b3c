import { toUtcDay } from '../platform/utc.ts';

/** The first time zones are this far ahead of UTC. */
const AHEAD_MS = 14 * 3_600_000;

/** The latest day (YYYY-MM-DD) that it can be anywhere at an instant: no date of a page lies behind it. */
export function lastDayAt(instant: number): string {
  return toUtcDay(instant + AHEAD_MS);
}
