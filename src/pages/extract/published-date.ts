import type { PublishedDate } from '../article.ts';
import { jsonLdDate, metaDate, modifiedDate, urlDate } from './dates/declared-date.ts';
import type { Order } from './dates/read-day.ts';
import { hintedDate, nearTitleDate, shownChange, threadDate, timeDate } from './dates/shown-date.ts';
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
  const order: Order = /^en(?:-us)?$/i.test(facts.htmlLang ?? '') ? 'month-first' : 'day-first';
  const inUrl = urlDate(url);
  const places = [
    () => jsonLdDate(facts),
    () => metaDate(facts),
    () => inUrl,
    () => timeDate(facts, order),
    () => hintedDate(facts, order),
    () => nearTitleDate(facts, order),
    () => threadDate(facts, url, order),
    () => modifiedDate(facts),
    () => shownChange(facts, order),
  ];
  for (const place of places) {
    const found = place();
    if (found !== null && (notAfter === null || found.day <= notAfter)) return localDay(found, inUrl);
  }
  return null;
}

/**
 * Declared times are often in UTC, where an evening is already the next day; the address has the day of the newsroom.
 * They differ by one day then, and the address is right.
 */
function localDay(found: PublishedDate, inUrl: PublishedDate | null): PublishedDate {
  if (inUrl === null) return found;
  return Math.abs(Date.parse(found.day) - Date.parse(inUrl.day)) === DAY_MS ? inUrl : found;
}
const DAY_MS = 86_400_000;
