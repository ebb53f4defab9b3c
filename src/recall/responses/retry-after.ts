/** Longest pause, one day. */
const RETRY_AFTER_MS_MAX = 86_400_000;

type Headers = Record<string, string>;

/**
 * The pause that a source asks for, in milliseconds: `Retry-After` in seconds or as a date (relative to the answer's own `Date`),
 * otherwise the reset time in headers like GitHub's. Null if it names none.
 */
export function readRetryAfterMs(headers: Headers): number | null {
  const retryAfter = headers['retry-after']?.trim() ?? '';
  if (/^\d{1,9}(?:\.\d+)?$/.test(retryAfter)) return clampPause(Number(retryAfter) * 1_000);
  const now = Date.parse(headers.date ?? '');
  const until = Date.parse(retryAfter);
  if (!Number.isNaN(now) && !Number.isNaN(until)) return clampPause(until - now);
  return computeMsUntilReset(headers, now);
}

/** `x-ratelimit-reset`: seconds since 1970 (GitHub), or seconds from now for the first of several windows (Brave). */
function computeMsUntilReset(headers: Headers, now: number): number | null {
  const reset = /^\d{1,12}/.exec(headers['x-ratelimit-reset']?.trim() ?? '')?.[0];
  if (reset === undefined) return null;
  const seconds = Number(reset);
  if (seconds < 1_000_000_000) return clampPause(seconds * 1_000);
  return Number.isNaN(now) ? null : clampPause(seconds * 1_000 - now);
}

const clampPause = (ms: number): number => Math.min(Math.max(Math.ceil(ms), 0), RETRY_AFTER_MS_MAX);
