import type { PublishedDate } from '../../article.ts';
import { monthNumber } from './month-names.ts';
import { dayOf } from './read-day.ts';

const NUMBERS = /[/_-]((?:19|20)\d\d)[/_-]?(0[1-9]|1[0-2])[/_-]?(0[1-9]|[12]\d|3[01])(?=[/_.-]|$)/;
const SHORT = /\/((?:19|20)\d\d)\/(\d{1,2})\/(\d{1,2})\//;
const NAMED = /\/((?:19|20)\d\d)\/([a-z]{3,9})\/(\d{1,2})\//i;

/** The day in an address such as /2024/05/06/ or /2024/may/06/; a month alone is no day. */
export function urlDate(url: string): PublishedDate | null {
  const path = URL.parse(url)?.pathname ?? '';
  const [, year = '', month = '', day = ''] =
    NAMED.exec(path) ?? NUMBERS.exec(path) ?? SHORT.exec(path) ?? [];
  const number = /^\d/.test(month) ? Number(month) : monthNumber(month);
  const found = number === null ? null : dayOf(Number(year), number, Number(day));
  return found === null ? null : { day: found, from: 'url' };
}
