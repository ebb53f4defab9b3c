/** Parses a Retry-After header, seconds or a date (RFC 9110, 10.2.3), to milliseconds from now; null if it is absent or invalid. */
export function parseRetryAfter(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  if (/^\s*\d{1,9}\s*$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
