/** Nobody is left alone for longer than a day. */
const RETRY_AFTER_MS_MAX = 86_400_000;

type Headers = Record<string, string>;

/**
 * How long a source asks to be left alone, in milliseconds: `Retry-After` in seconds or as a date (held against the
 * answer's own `Date`), else the time of reset that GitHub-like headers tell. Null when it does not say.
 */
export function retryAfterMs(headers: Headers): number | null {
  const told = headers['retry-after']?.trim() ?? '';
  if (/^\d{1,9}(?:\.\d+)?$/.test(told)) return bounded(Number(told) * 1_000);
  const now = Date.parse(headers.date ?? '');
  const until = Date.parse(told);
  if (!Number.isNaN(now) && !Number.isNaN(until)) return bounded(until - now);
  return untilReset(headers, now);
}

/** `x-ratelimit-reset`: seconds since 1970 (GitHub), else seconds from now, of several windows the first (Brave). */
function untilReset(headers: Headers, now: number): number | null {
  const told = /^\d{1,12}/.exec(headers['x-ratelimit-reset']?.trim() ?? '')?.[0];
  if (told === undefined) return null;
  const seconds = Number(told);
  if (seconds < 1_000_000_000) return bounded(seconds * 1_000);
  return Number.isNaN(now) ? null : bounded(seconds * 1_000 - now);
}

const bounded = (ms: number): number => Math.min(Math.max(Math.ceil(ms), 0), RETRY_AFTER_MS_MAX);
