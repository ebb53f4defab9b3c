/** A date in a text; month and day are null if the text omits them. */
export type WrittenDate = {
  start: number;
  end: number;
  year: number;
  month: number | null;
  day: number | null;
  /** The date as written in the text. */
  shown: string;
};

const MONTHS: readonly string[][] = [
  'january jan januar janvier enero gennaio janeiro января'.split(' '),
  'february feb februar février febrero febbraio fevereiro февраля'.split(' '),
  'march mar märz mars marzo março марта'.split(' '),
  'april apr avril abril aprile апреля'.split(' '),
  'may mai mayo maggio maio мая'.split(' '),
  'june jun juni juin junio giugno junho июня'.split(' '),
  'july jul juli juillet julio luglio julho июля'.split(' '),
  'august aug août agosto августа'.split(' '),
  'september sep sept septembre septiembre settembre setembro сентября'.split(' '),
  'october oct oktober octobre octubre ottobre outubro октября'.split(' '),
  'november nov novembre noviembre novembro ноября'.split(' '),
  'december dec dezember décembre diciembre dicembre dezembro декабря'.split(' '),
];
/** The number of each month by its names, in lower case. */
export const MONTH_OF: ReadonlyMap<string, number> = new Map(
  MONTHS.flatMap((names, place) => names.map((name): [string, number] => [name, place + 1])),
);
const MONTH = [...MONTH_OF.keys()].sort((one, other) => other.length - one.length).join('|');
const YEAR = '(?:1[0-9]|20)\\d{2}';
/** Date formats, the most exact first; a later format never matches text that an earlier one has matched. */
const FORMS = [
  `(?<year>${YEAR})-(?<month>0[1-9]|1[0-2])-(?<day>0[1-9]|[12]\\d|3[01])`,
  `(?<year>${YEAR})\\s?年(?:\\s?(?<month>1[0-2]|0?[1-9])\\s?月(?:\\s?(?<day>3[01]|[12]\\d|0?[1-9])\\s?日)?)?`,
  `(?<day>3[01]|[12]\\d|0?[1-9])(?:st|nd|rd|th|er|\\.)?\\s(?:of\\s|de\\s)?(?<name>${MONTH})\\.?,?\\s(?:de\\s|del\\s)?(?<year>${YEAR})`,
  `(?<name>${MONTH})\\.?\\s(?<day>3[01]|[12]\\d|0?[1-9])(?:st|nd|rd|th)?,?\\s(?<year>${YEAR})`,
  `(?<name>${MONTH})\\.?,?\\s(?:of\\s|de\\s)?(?<year>${YEAR})`,
  `(?<year>${YEAR})`,
].map((form) => new RegExp(`(?<![\\p{L}\\p{N}.,/$€£-])${form}(?![\\p{L}\\p{N}]|[.,-]\\d|\\s?%)`, 'giu'));
const BEFORE_A_YEAR =
  /(?:\b(?:in|on|since|by|until|from|during|around|circa|of|year|im|jahr|seit|am|en|el|le|nel|em|dans|depuis|в|с|году)|[,(–—])\s*(?:the\s+year\s+)?(?:early\s+|late\s+)?$/iu;
const RANGE = /^\s?[-–—/]\s?\d|^s\b/u;
const RANGE_BEFORE = /\d\s?[-–—/]\s?$/u;
const DATES_MAX = 20;

/** Extracts the dates of a plain-text sentence, in order. A bare year counts only after a word such as `in`; year ranges do not count. */
export function extractDates(sentence: string): WrittenDate[] {
  const found: WrittenDate[] = [];
  for (const [rank, form] of FORMS.entries()) {
    const isBareYear = rank === FORMS.length - 1;
    for (const match of sentence.matchAll(form)) {
      const [start, end] = [match.index, match.index + match[0].length];
      if (found.some((other) => start < other.end && other.start < end)) continue;
      const before = sentence.slice(0, start);
      if (RANGE.test(sentence.slice(end)) || RANGE_BEFORE.test(before)) continue;
      if (isBareYear && !BEFORE_A_YEAR.test(before)) continue;
      const { year, month, day, name } = match.groups ?? {};
      const named = name === undefined ? undefined : MONTH_OF.get(name.toLowerCase());
      found.push({
        start,
        end,
        shown: match[0],
        year: Number(year),
        month: named ?? (month === undefined ? null : Number(month)),
        day: day === undefined ? null : Number(day),
      });
    }
  }
  return found.sort((one, other) => one.start - other.start).slice(0, DATES_MAX);
}

/** Returns whether two dates may be the same: no part that both state differs. */
export function isSameDate(
  one: Pick<WrittenDate, 'year' | 'month' | 'day'>,
  other: Pick<WrittenDate, 'year' | 'month' | 'day'>,
): boolean {
  const isAlike = (left: number | null, right: number | null): boolean =>
    left === null || right === null || left === right;
  return one.year === other.year && isAlike(one.month, other.month) && isAlike(one.day, other.day);
}
