import { PRICES } from '../../billing/ledger/prices.ts';
import type { LatePart } from '../../search/late-parts.ts';
import type { SearchAnswer } from '../../search/search-types.ts';
import type { JsonObject } from './call.ts';

/** On every shape: the parts of an answer that were left out for lack of time, separated by commas. */
export const INCOMPLETE_HEADER = 'X-Incomplete';

/** The field that names late parts, in shapes that have a place for it; none if the answer is complete. */
export function incompleteField(incomplete: readonly LatePart[]): JsonObject {
  return incomplete.length === 0 ? {} : { incomplete };
}

/** A search costs its price unless it gave nothing because something was late. */
export function creditsOfSearch({
  results,
  incomplete,
}: Pick<SearchAnswer, 'results' | 'incomplete'>): number {
  return results.length === 0 && incomplete.length > 0 ? 0 : PRICES.search;
}

/** A quoted answer costs the search that it runs; one that was not looked for to the end costs nothing. */
export function creditsOfAnswer({ incomplete }: Pick<SearchAnswer, 'incomplete'>): number {
  return incomplete.includes('answer') ? 0 : PRICES.search;
}

/** How many pages lack parts that were requested of them: those are free. */
export function countLate(pages: readonly { late?: readonly LatePart[] }[]): number {
  return pages.filter(({ late = [] }) => late.length > 0).length;
}
