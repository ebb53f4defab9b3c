import type { PublishedDate } from '../article.ts';
import {
  findDeclaredModifiedDate,
  findJsonLdDate,
  findMetaDate,
  findScriptDate,
  findUrlDate,
} from './dates/declared-date.ts';
import type { DateOrder } from './dates/read-day.ts';
import {
  findDateNearTitle,
  findHintedDate,
  findHintedDateNearTitle,
  findLabelledDate,
  findShownModifiedDate,
  findThreadDate,
  findTimeElementDate,
} from './dates/visible-date.ts';
import type { PageFacts } from './metadata/page-facts.ts';

/**
 * Finds the day a page was published and where it was read, or null. Declared dates come before shown ones. Days after
 * `notAfter` (YYYY-MM-DD) are ignored; the function reads no clock.
 */
export function findPublishedDate(
  facts: PageFacts,
  url: string,
  notAfter: string | null = null,
): PublishedDate | null {
  const order = inferDateOrder(facts);
  const inUrl = findUrlDate(url);
  const places = [
    () => preferShownDay(findJsonLdDate(facts, order) ?? findMetaDate(facts, order), facts, order),
    () => inUrl,
    () => findTimeElementDate(facts, order),
    () => findHintedDateNearTitle(facts, order),
    () => findDateNearTitle(facts, order),
    () => findHintedDate(facts, order),
    () => findThreadDate(facts, url, order),
    () => findLabelledDate(facts, order),
    () => findScriptDate(facts),
    () => findDeclaredModifiedDate(facts, order),
    () => findShownModifiedDate(facts, order),
  ];
  for (const place of places) {
    const found = place();
    if (found !== null && (notAfter === null || found.day <= notAfter)) return preferUrlDay(found, inUrl);
  }
  return null;
}

/**
 * Finds the day a page was last changed, as it declares or shows it. Returns null when it does not say, or when the day is before
 * `published` or after `notAfter`.
 */
export function findModifiedDate(
  facts: PageFacts,
  published: PublishedDate | null,
  notAfter: string | null = null,
): PublishedDate | null {
  const order = inferDateOrder(facts);
  for (const place of [findDeclaredModifiedDate, findShownModifiedDate]) {
    const found = place(facts, order);
    if (found !== null && (notAfter === null || found.day <= notAfter))
      return published !== null && found.day < published.day ? null : found;
  }
  return null;
}

/** Day first, except on pages in American or plain English, where other dates of the page decide and otherwise the month is first. */
function inferDateOrder({ htmlLang, numbered }: PageFacts): DateOrder {
  if (htmlLang !== null && !/^en(?:[-_]us)?$/i.test(htmlLang)) return 'day-first';
  let [dayFirst, monthFirst] = [0, 0];
  for (const { text } of numbered()) {
    const [, one, other] = TWO_NUMBERS_AND_YEAR.exec(text) ?? [];
    if (Number(one) > MONTHS && Number(other) <= MONTHS) dayFirst += 1;
    if (Number(other) > MONTHS && Number(one) <= MONTHS) monthFirst += 1;
  }
  if (dayFirst !== monthFirst) return dayFirst > monthFirst ? 'day-first' : 'month-first';
  return htmlLang === null ? 'day-first' : 'month-first';
}
const TWO_NUMBERS_AND_YEAR = /(?<![\d./-])(\d{1,2})[./-](\d{1,2})[./-](?:20)?\d\d(?![\d./-])/;
const MONTHS = 12;

/**
 * Prefers the day shown beside the title where a declared one is off. Declared times are often in UTC, where an evening is already
 * the next day, while the page shows the newsroom's day. A page that was moved declares the day of the move, for publication and
 * change alike, and shows the older one.
 */
function preferShownDay(
  declared: PublishedDate | null,
  facts: PageFacts,
  order: DateOrder,
): PublishedDate | null {
  const shown = declared === null ? null : findDateNearTitle(facts, order);
  if (declared === null || shown === null) return declared;
  if (isNextDay(shown, declared)) return shown;
  const changed = findDeclaredModifiedDate(facts, order);
  const isMoved = changed !== null && changed.day <= declared.day && shown.day < declared.day;
  return isMoved ? shown : declared;
}

/** Prefers the day in the URL when it is one day off: that one is the newsroom's too. */
function preferUrlDay(found: PublishedDate, inUrl: PublishedDate | null): PublishedDate {
  return inUrl !== null && isNextDay(found, inUrl) ? inUrl : found;
}

const isNextDay = (one: PublishedDate, other: PublishedDate): boolean =>
  Math.abs(Date.parse(one.day) - Date.parse(other.day)) === DAY_MS;
const DAY_MS = 86_400_000;
