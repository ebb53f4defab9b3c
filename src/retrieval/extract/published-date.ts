import type { PublishedDate } from '../page.ts';
import { jsonLdDate, metaDate, modifiedDate } from './dates/declared-date.ts';
import type { Order } from './dates/read-day.ts';
import { hintedDate, timeDate } from './dates/shown-date.ts';
import { urlDate } from './dates/url-date.ts';
import type { PageFacts } from './metadata/page-facts.ts';

/**
 * The day a page was published and where it says so, or null when it does not say. Declared dates come before shown
 * ones. `notAfter` (YYYY-MM-DD) rules out later days; the page alone is read, never a clock.
 */
export function publishedDate(
  facts: PageFacts,
  url: string,
  notAfter: string | null = null,
): PublishedDate | null {
  const order: Order = /^en(?:-us)?$/i.test(facts.htmlLang ?? '') ? 'month-first' : 'day-first';
  const places = [
    () => jsonLdDate(facts),
    () => metaDate(facts),
    () => urlDate(url),
    () => timeDate(facts, order),
    () => hintedDate(facts, order),
    () => modifiedDate(facts),
  ];
  for (const place of places) {
    const found = place();
    if (found !== null && (notAfter === null || found.day <= notAfter)) return found;
  }
  return null;
}
