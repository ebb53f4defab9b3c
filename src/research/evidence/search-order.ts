import type { Facet, FacetKind, PlacedFacet } from './research-types.ts';

/** Of the searches so many are kept for what the first pages bring up. */
const FOLLOW_SHARE = 1 / 3;
/** Clauses and sides ask more exactly than the whole that they are parts of. */
const ORDER: FacetKind[] = ['clause', 'comparison', 'side', 'question', 'name', 'related'];

/** Facets in the order in which they are searched. */
export function searchOrder(facets: readonly Facet[]): PlacedFacet[] {
  return facets
    .map((facet, place) => ({ facet, place }))
    .sort(
      (one, other) =>
        ORDER.indexOf(one.facet.kind) - ORDER.indexOf(other.facet.kind) || one.place - other.place,
    );
}

/** What is searched before any page is read: all that the question asks for, and no more than leaves some searches to follow on. */
export function firstSearches(facets: readonly Facet[], maxSearches: number): PlacedFacet[] {
  const ordered = searchOrder(facets);
  const parts = ordered.filter(({ facet }) => facet.kind === 'clause' || facet.kind === 'side').length;
  // When there are too few for all parts, the whole comes first.
  if (parts > maxSearches) ordered.sort((one, other) => one.place - other.place);
  return ordered.slice(0, Math.min(maxSearches, Math.max(1, parts, maxSearches - followUps(maxSearches))));
}

/** Searches that are kept for what the first pages bring up. */
export const followUps = (maxSearches: number): number => Math.floor(maxSearches * FOLLOW_SHARE);
