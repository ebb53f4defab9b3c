import { PRICES } from '../../billing/ledger/prices.ts';
import type { LatePart } from '../../search/late-parts.ts';
import type { SearchAnswer } from '../../search/search-types.ts';
import type { JsonObject } from './call.ts';

/** On every shape: the parts of the answer left out for lack of time, separated by commas. */
export const INCOMPLETE_HEADER = 'X-Incomplete';

/** Builds the field that names late parts, for shapes that have one; empty if the answer is complete. */
export function buildIncompleteField(incomplete: readonly LatePart[]): JsonObject {
  return incomplete.length === 0 ? {} : { incomplete };
}

/** A search costs its price, unless it returned nothing because a part was late or it came back to the server that had passed it on. */
export function computeSearchCredits({
  results,
  incomplete,
  sources,
}: Pick<SearchAnswer, 'incomplete'> &
  Partial<Pick<SearchAnswer, 'sources'>> & { results: readonly unknown[] }): number {
  const isUnasked = sources !== undefined && Object.keys(sources).length === 0;
  return results.length === 0 && (incomplete.length > 0 || isUnasked) ? 0 : PRICES.search;
}

/** A quoted answer costs as much as its search; it is free if time ran out before the answer was found. */
export function computeAnswerCredits({ incomplete }: Pick<SearchAnswer, 'incomplete'>): number {
  return incomplete.includes('answer') ? 0 : PRICES.search;
}

/** Counts the pages that lack requested parts; those are free. */
export function countLatePages(pages: readonly { late?: readonly LatePart[] }[]): number {
  return pages.filter(({ late = [] }) => late.length > 0).length;
}
