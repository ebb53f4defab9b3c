export const DAY_MS = 86_400_000;

/** Returns the UTC day of an instant (milliseconds since the epoch) as `YYYY-MM-DD`. */
export function toUtcDay(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

/** Returns the UTC month of an instant as `YYYY-MM`. */
export function toUtcMonth(instant: number): string {
  return new Date(instant).toISOString().slice(0, 7);
}
