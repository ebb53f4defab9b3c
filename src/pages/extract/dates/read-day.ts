import { monthNumber } from './month-names.ts';

const YEAR_MIN = 1990;
const YEAR_MAX = 2100;
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

type Reading = {
  pattern: RegExp;
  parts: (groups: string[]) => [year: number, month: number | null, day: number];
  /** Releases are numbered in this form too. */
  isVersionLike?: true;
};

/** Ways of writing a day, safest first. */
const READINGS: Reading[] = [
  {
    pattern: /(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)/,
    parts: ([y, m, d]) => [Number(y), Number(m), Number(d)],
  },
  {
    pattern: /(?<![\d.]|[a-z_-])(\d{4})([/.])(\d{1,2})\2(\d{1,2})(?!\d|\.\d|[a-z]{1,5}\d)/i,
    parts: ([y, , m, d]) => [Number(y), Number(m), Number(d)],
    isVersionLike: true,
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
/** Day, month and year in figures, with the same mark between them. */
const NUMBERS = /(?<![\d.]|[a-z_-])(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?!\d|\.\d)/i;
const COMPACT = /^(\d{4})(\d{2})(\d{2})(?:T?\d{2,6}Z?|$)/;
/** Numbers behind these are versions, parts of a text, the names of standards, or years of a copyright. */
const BEFORE_OTHER_NUMBER =
  /(?:\b(?:v|ver|vers|versions?|rev|revision|build|firmware|sections?|sect|sec|chapters?|clause|appendix|figure|fig|rfc|iso|ieee|isbn|issn|cve|ip|copyright)[.:]?[\s-]*|[§©][\s-]*|\(c\)\s*)$/i;
const BEFORE_RELEASE = /\breleases?[.:]?\s*$/i;
/** Words that stand before a day without a comma or colon; any other may be the name of what has a version. */
const BEFORE_DAY =
  /(?:^|[^\p{L}\d\s]\s*|(?:^|[^\p{L}\d])(?:am|vom|ab|bis|den|der|dem|on|of|dated|posted|published|updated|date|le|du|il|del|di|el|op|van|dne|od|do|mo|mi|fr|sa|so|\p{L}{3,}(?:tag|day)|datum|data|fecha|stand|от)\s+)$/iu;
const BEFORE_CHARS_MAX = 24;
/** Of years in two digits, these and later ones are of the last century. */
const LAST_CENTURY_FROM = YEAR_MIN % 100;

/** How to read `03/04/2024`: the day first, as most of the world writes, or the month first. */
export type Order = 'day-first' | 'month-first';

/** The first day that a text names, as YYYY-MM-DD, or null. The day is taken as written, in the page's own zone. */
export function readDay(text: string, order: Order = 'day-first'): string | null {
  const compact = COMPACT.exec(text.trim());
  if (compact !== null) return dayOf(Number(compact[1]), Number(compact[2]), Number(compact[3]));
  for (const { pattern, parts, isVersionLike } of READINGS) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const before = textBefore(match);
    if (BEFORE_OTHER_NUMBER.test(before) || (isVersionLike && BEFORE_RELEASE.test(before))) continue;
    const [year, month, day] = parts(match.slice(1));
    const found = month === null ? null : dayOf(year, month, day);
    if (found !== null) return found;
  }
  return readNumbers(text, order);
}

function readNumbers(text: string, order: Order): string | null {
  const match = NUMBERS.exec(text);
  if (match === null || BEFORE_OTHER_NUMBER.test(textBefore(match)) || isVersion(match)) return null;
  const [one, other, shortYear] = [Number(match[1]), Number(match[3]), Number(match[4])];
  const century = shortYear < LAST_CENTURY_FROM ? 2000 : 1900;
  const year = shortYear < 100 ? century + shortYear : shortYear;
  const usual = order === 'day-first' ? dayOf(year, other, one) : dayOf(year, one, other);
  return usual ?? (order === 'day-first' ? dayOf(year, one, other) : dayOf(year, other, one));
}

/** Whether three short numbers with dots may be a version: a day with a short year is written as 06.05.24, by itself or behind a word for it. */
function isVersion(match: RegExpExecArray): boolean {
  const [, one = '', mark, other = '', year = ''] = match;
  if (mark !== '.' || year.length === 4) return false;
  const before = textBefore(match);
  return one.length < 2 || other.length < 2 || BEFORE_RELEASE.test(before) || !BEFORE_DAY.test(before);
}

const textBefore = ({ input, index }: RegExpExecArray): string =>
  input.slice(Math.max(0, index - BEFORE_CHARS_MAX), index);

/** A day of the calendar as YYYY-MM-DD; null when there is no such day or it is older than the web. */
export function dayOf(year: number, month: number, day: number): string | null {
  const last =
    month === 2 && (year % 4 !== 0 || (year % 100 === 0 && year % 400 !== 0)) ? 28 : DAYS[month - 1];
  if (!(year >= YEAR_MIN && year <= YEAR_MAX) || last === undefined || !(day >= 1 && day <= last))
    return null;
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}
