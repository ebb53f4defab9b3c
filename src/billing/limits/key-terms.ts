import { DAY_MS } from '../../platform/clock.ts';
import type { KeyTerms } from './key-limits.ts';

/** The result of parsing a term; `value` null: no limit. */
type ParsedTerm = { ok: true; value: number | null } | { ok: false; why: string };

const CALLS_MAX = 1_000_000_000;
const HOUR_MS = 3_600_000;
const DAYS_MAX = 36_500;
/** Words that remove a term: a limit, or the expiry. */
const NO_LIMIT = 'none';
const NEVER = 'never';

/** Pure: `60` or `none` -> maximum calls in a span of time. */
export function parseCalls(text: string): ParsedTerm {
  if (text === NO_LIMIT) return { ok: true, value: null };
  const calls = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (calls >= 1 && calls <= CALLS_MAX) return { ok: true, value: calls };
  return { ok: false, why: `must be a whole number from 1 to ${CALLS_MAX}, or ${NO_LIMIT}` };
}

/**
 * Pure: text -> when a key expires, in ms since the epoch: `30d` or `12h` from now, the end of a UTC day (`2026-12-31`), an instant
 * (`2026-12-31T18:00:00Z`), or `never`.
 */
export function parseExpiry(text: string, now: number): ParsedTerm {
  if (text === NEVER) return { ok: true, value: null };
  const at = computeExpiry(text, now);
  if (Number.isNaN(at))
    return {
      ok: false,
      why: `must be a time from now such as 30d or 12h, a date such as 2026-12-31 (its end, in UTC), an instant such as 2026-12-31T18:00:00Z, or ${NEVER}`,
    };
  if (at <= now) return { ok: false, why: 'must be in the future' };
  if (at > now + DAYS_MAX * DAY_MS)
    return { ok: false, why: `must be within ${DAYS_MAX} days; ${NEVER} removes it` };
  return { ok: true, value: at };
}

function computeExpiry(text: string, now: number): number {
  const [, count, unit] = /^(\d{1,9})([dh])$/.exec(text) ?? [];
  if (count !== undefined) return now + Number(count) * (unit === 'd' ? DAY_MS : HOUR_MS);
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text);
  if (!isDate && !/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?Z$/.test(text)) return Number.NaN;
  const at = Date.parse(text);
  // Date.parse reads 2026-02-31 as March 3.
  if (Number.isNaN(at) || !new Date(at).toISOString().startsWith(text.slice(0, 10))) return Number.NaN;
  return isDate ? at + DAY_MS : at;
}

const OVERLAP_DAYS_MAX = 90;

/** Pure: `24h`, `7d` or `0` -> how long the old secret of a rotated key keeps working, in milliseconds. */
export function parseOverlap(text: string): ParsedTerm {
  const [, count, unit] = /^(\d{1,4})([dh])$/.exec(text) ?? [];
  const ms = text === '0' ? 0 : Number(count) * (unit === 'd' ? DAY_MS : HOUR_MS);
  if (ms >= 0 && ms <= OVERLAP_DAYS_MAX * DAY_MS) return { ok: true, value: ms };
  return { ok: false, why: `must be a time such as 24h or 7d, at most ${OVERLAP_DAYS_MAX} days, or 0` };
}

/** Formats terms as `at most 60 calls a minute and 1,000 a day, until 2026-12-31T00:00:00Z`; `no limits` without terms. */
export function formatKeyTerms({ perMinute, perDay, expiresAt }: KeyTerms): string {
  const counts = [
    ...(perMinute === null ? [] : [{ most: perMinute, span: 'minute' }]),
    ...(perDay === null ? [] : [{ most: perDay, span: 'day' }]),
  ].map(({ most, span }, place) => {
    const calls = most === 1 ? ' call' : ' calls';
    return `${most.toLocaleString('en')}${place === 0 ? calls : ''} a ${span}`;
  });
  const parts = [
    ...(counts.length === 0 ? [] : [`at most ${counts.join(' and ')}`]),
    ...(expiresAt === null ? [] : [`until ${new Date(expiresAt).toISOString().replace(/\.\d+/, '')}`]),
  ];
  return parts.length === 0 ? 'no limits' : parts.join(', ');
}
