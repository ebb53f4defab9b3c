import type { PublishedDate } from '../article.ts';
import { jsonLdDate, metaDate, modifiedDate, urlDate } from './dates/declared-date.ts';
import type { Order } from './dates/read-day.ts';
import {
  hintedDate,
  hintedNearTitle,
  labelledDate,
  nearTitleDate,
  shownChange,
  threadDate,
  timeDate,
} from './dates/shown-date.ts';
import type { PageFacts } from './metadata/page-facts.ts';

/**
 * The day a page was published and where it was read, or null when the page has none. Declared dates come before shown
 * ones. `notAfter` (YYYY-MM-DD) rules out later days; the page alone is read, never a clock.
 */
export function publishedDate(
  facts: PageFacts,
  url: string,
  notAfter: string | null = null,
): PublishedDate | null {
  const order = orderOf(facts);
  const inUrl = urlDate(url);
  const places = [
    () => asShown(jsonLdDate(facts, order) ?? metaDate(facts, order), facts, order),
    () => inUrl,
    () => timeDate(facts, order),
    () => hintedNearTitle(facts, order),
    () => nearTitleDate(facts, order),
    () => hintedDate(facts, order),
    () => threadDate(facts, url, order),
    () => labelledDate(facts, order),
    () => modifiedDate(facts, order),
    () => shownChange(facts, order),
  ];
  for (const place of places) {
    const found = place();
    if (found !== null && (notAfter === null || found.day <= notAfter)) return localDay(found, inUrl);
  }
  return null;
}

/**
 * The day a page was last changed, as it declares or shows it, if that is not before `published` nor after `notAfter`; null when it
 * does not say.
 */
export function changedDate(
  facts: PageFacts,
  published: PublishedDate | null,
  notAfter: string | null = null,
): PublishedDate | null {
  const order = orderOf(facts);
  for (const place of [modifiedDate, shownChange]) {
    const found = place(facts, order);
    if (found !== null && (notAfter === null || found.day <= notAfter))
      return published !== null && found.day < published.day ? null : found;
  }
  return null;
}

function orderOf({ htmlLang }: PageFacts): Order {
  return /^en(?:-us)?$/i.test(htmlLang ?? '') ? 'month-first' : 'day-first';
}

/**
 * A declared day as the page shows it. Declared times are often in UTC, where an evening is already the next day: the day beside the
 * title is the newsroom's. A page that was moved declares the day of the move, for publication and change alike, and shows the older one.
 */
function asShown(declared: PublishedDate | null, facts: PageFacts, order: Order): PublishedDate | null {
  const shown = declared === null ? null : nearTitleDate(facts, order);
  if (declared === null || shown === null) return declared;
  if (isNextDay(shown, declared)) return shown;
  const changed = modifiedDate(facts, order);
  const isMoved = changed !== null && changed.day <= declared.day && shown.day < declared.day;
  return isMoved ? shown : declared;
}

/** The address has the day of the newsroom too. */
function localDay(found: PublishedDate, inUrl: PublishedDate | null): PublishedDate {
  return inUrl !== null && isNextDay(found, inUrl) ? inUrl : found;
}

const isNextDay = (one: PublishedDate, other: PublishedDate): boolean =>
  Math.abs(Date.parse(one.day) - Date.parse(other.day)) === DAY_MS;
const DAY_MS = 86_400_000;
