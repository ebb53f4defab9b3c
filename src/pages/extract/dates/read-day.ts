import { monthNumber } from './month-names.ts';

const YEAR_MIN = 1990;
const YEAR_MAX = 2100;
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

type Reading = {
  pattern: RegExp;
  parts: (groups: string[]) => [year: number, month: number | null, day: number];
};

/** Ways of writing a day, safest first. */
const READINGS: Reading[] = [
  {
    pattern: /(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)/,
    parts: ([y, m, d]) => [Number(y), Number(m), Number(d)],
  },
  {
    pattern: /(?<!\d)(\d{4})[/.](\d{1,2})[/.](\d{1,2})(?!\d)/,
    parts: ([y, m, d]) => [Number(y), Number(m), Number(d)],
  },
  {
    pattern: /(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日일]/,
    parts: ([y, m, d]) => [Number(y), Number(m), Number(d)],
  },
  {
    pattern:
      /(?<!\d)(\d{1,2})(?:\s?(?:st|nd|rd|th|er|º)|\.)?(?:\s+|[-/.])(?:de\s+|of\s+|d')?(\p{L}{3,14})\.?,?(?:\s+|[-/.])(?:de[l]?\s+)?(\d{4})(?!\d)/iu,
    parts: ([d, name, y]) => [Number(y), monthNumber(name ?? ''), Number(d)],
  },
  {
    pattern: /(\p{L}{3,14})\.?\s+(\d{1,2})(?:\s?(?:st|nd|rd|th))?\s?,?\s+(\d{4})(?!\d)/iu,
    parts: ([name, d, y]) => [Number(y), monthNumber(name ?? ''), Number(d)],
  },
  {
    // As some programs write a time: `Mon Aug 03 12:45:00 EDT 2015`.
    pattern: /(\p{L}{3,9})\s(\d{1,2})\s\d\d:\d\d(?::\d\d)?\s(?:[A-Z]{2,5}\s)?(\d{4})(?!\d)/u,
    parts: ([name, d, y]) => [Number(y), monthNumber(name ?? ''), Number(d)],
  },
  {
    pattern: /(?<!\d)(\d{4})\.?\s+(\p{L}{3,14})\.?\s+(\d{1,2})(?!\d)/iu,
    parts: ([y, name, d]) => [Number(y), monthNumber(name ?? ''), Number(d)],
  },
];
const NUMBERS = /(?<![\d.])(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}|\d{2})(?![\d])/;
const COMPACT = /^(\d{4})(\d{2})(\d{2})(?:T?\d{2,6}Z?|$)/;

/** How to read `03/04/2024`: the day first, as most of the world writes, or the month first. */
export type Order = 'day-first' | 'month-first';

/** The first day that a text names, as YYYY-MM-DD, or null. The day is taken as written, in the page's own zone. */
export function readDay(text: string, order: Order = 'day-first'): string | null {
  const compact = COMPACT.exec(text.trim());
  if (compact !== null) return dayOf(Number(compact[1]), Number(compact[2]), Number(compact[3]));
  for (const { pattern, parts } of READINGS) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const [year, month, day] = parts(match.slice(1));
    const found = month === null ? null : dayOf(year, month, day);
    if (found !== null) return found;
  }
  return readNumbers(text, order);
}

function readNumbers(text: string, order: Order): string | null {
  const match = NUMBERS.exec(text);
  if (match === null) return null;
  const [one, other, shortYear] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const year = shortYear < 100 ? 2000 + shortYear : shortYear;
  const usual = order === 'day-first' ? dayOf(year, other, one) : dayOf(year, one, other);
  return usual ?? (order === 'day-first' ? dayOf(year, one, other) : dayOf(year, other, one));
}

/** A day of the calendar as YYYY-MM-DD; null when there is no such day or it is older than the web. */
export function dayOf(year: number, month: number, day: number): string | null {
  const last =
    month === 2 && (year % 4 !== 0 || (year % 100 === 0 && year % 400 !== 0)) ? 28 : DAYS[month - 1];
  if (!(year >= YEAR_MIN && year <= YEAR_MAX) || last === undefined || !(day >= 1 && day <= last))
    return null;
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}
