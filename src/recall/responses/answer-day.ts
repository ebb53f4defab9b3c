import { readDay } from '../../pages/extract/dates/read-day.ts';

const ISO_DAY = /^(\d{4}-\d{2}-\d{2})(?!\d)/;
const TEXT_CHARS_MAX = 64;
/** The first and last second of the years 1000 to 9999. */
const SECONDS_MIN = -30_610_224_000;
const SECONDS_MAX = 253_402_300_799;

/** `2024-03-05T09:12:44Z`, `5 Mar 2024` -> 2024-03-05; null for text without a day and for impossible days. */
export function parseDay(text: string): string | null {
  const bounded = text.trim().slice(0, TEXT_CHARS_MAX);
  const iso = ISO_DAY.exec(bounded)?.[1];
  if (iso === undefined) return readDay(bounded);
  const parsed = new Date(`${iso}T00:00:00Z`);
  return Number.isNaN(parsed.getTime()) || parsed.toISOString().slice(0, 10) !== iso ? null : iso;
}

/** Seconds since 1970 -> the UTC day. */
export function toDayFromSeconds(seconds: number | null): string | null {
  if (seconds === null || seconds < SECONDS_MIN || seconds > SECONDS_MAX) return null;
  return new Date(seconds * 1_000).toISOString().slice(0, 10);
}

/** `[2020, 5, 3]` -> 2020-05-03; null unless year, month and day are all there. */
export function toDayFromParts(parts: readonly unknown[] | null): string | null {
  const [year, month, day] = parts ?? [];
  if (typeof year !== 'number' || typeof month !== 'number' || typeof day !== 'number') return null;
  const padTwo = (part: number): string => String(part).padStart(2, '0');
  return parseDay(`${String(year).padStart(4, '0')}-${padTwo(month)}-${padTwo(day)}`);
}

/** Returns the day after a day. */
export function computeNextDay(day: string): string {
  return toDayFromSeconds(Date.parse(`${day}T00:00:00Z`) / 1_000 + 86_400) ?? day;
}
