export const DAY_MS = 86_400_000;

export { utcDay } from '../../platform/utc.ts';

/** The UTC month of an instant, `YYYY-MM`. */
export function utcMonth(instant: number): string {
  return new Date(instant).toISOString().slice(0, 7);
}
