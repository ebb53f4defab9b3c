export const DAY_MS = 86_400_000;

/** The UTC day of an instant (milliseconds since the epoch), `YYYY-MM-DD`. */
export function utcDay(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

/** The UTC month of an instant, `YYYY-MM`. */
export function utcMonth(instant: number): string {
  return new Date(instant).toISOString().slice(0, 7);
}
