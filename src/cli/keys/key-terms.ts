import { InvalidArgumentError } from 'commander';
import { DAY_MS } from '../../platform/utc.ts';

const CALLS_MAX = 1_000_000_000;
const HOUR_MS = 3_600_000;
const DAYS_MAX = 36_500;
/** Words that remove a term. They are read as infinity: commander replaces null by an empty text. */
const NO_LIMIT = 'none';
const NEVER = 'never';

/** The text of `--per-minute` and `--per-day` -> the number of calls, infinity for `none`. */
export function readCalls(text: string): number {
  if (text === NO_LIMIT) return Number.POSITIVE_INFINITY;
  const calls = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (calls >= 1 && calls <= CALLS_MAX) return calls;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${CALLS_MAX}, or ${NO_LIMIT}.`);
}

/**
 * The text of `--expires` -> an instant in ms since the epoch, infinity for `never`: `30d` or `12h` from now, the end of a UTC day
 * (`2026-12-31`), or an instant (`2026-12-31T18:00:00Z`).
 */
export function readExpiry(text: string, now: number): number {
  if (text === NEVER) return Number.POSITIVE_INFINITY;
  const at = expiryOf(text, now);
  if (Number.isNaN(at))
    throw new InvalidArgumentError(
      `It must be a time from now such as 30d or 12h, a date such as 2026-12-31 (its end, in UTC), an instant such as 2026-12-31T18:00:00Z, or ${NEVER}.`,
    );
  if (at <= now) throw new InvalidArgumentError('It must be in the future.');
  if (at > now + DAYS_MAX * DAY_MS)
    throw new InvalidArgumentError(`It must be within ${DAYS_MAX} days; ${NEVER} removes it.`);
  return at;
}

function expiryOf(text: string, now: number): number {
  const [, count, unit] = /^(\d{1,9})([dh])$/.exec(text) ?? [];
  if (count !== undefined) return now + Number(count) * (unit === 'd' ? DAY_MS : HOUR_MS);
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text);
  if (!isDate && !/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?Z$/.test(text)) return Number.NaN;
  const at = Date.parse(text);
  // Date.parse takes 2026-02-31 for March 3.
  if (Number.isNaN(at) || !new Date(at).toISOString().startsWith(text.slice(0, 10))) return Number.NaN;
  return isDate ? at + DAY_MS : at;
}
