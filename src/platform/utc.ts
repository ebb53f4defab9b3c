/** The UTC day of an instant (milliseconds since the epoch), `YYYY-MM-DD`. */
export function utcDay(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}
