import { Failure, type FailureCode } from '../contract/errors.ts';
import type { Search } from '../search/search.ts';
import type { SearchRequest, SearchResult } from '../search/search-types.ts';
import type { Facet, FacetKind, PlacedFacet } from './evidence/research-types.ts';

/** The outcome of the search for one facet. */
export type FacetSearch = { place: number; query: string; ms: number } & (
  | { ok: true; results: SearchResult[] }
  | { ok: false; error: FailureCode | 'timeout' }
);

/** Maximum concurrent searches; more would exceed what a source allows per second. */
const SEARCHES_AT_ONCE = 3;
const SEARCH_MS = 8_000;
const RESULTS_PER_SEARCH = 12;

type SearchOptions = Omit<SearchRequest, 'query' | 'numResults' | 'contents' | 'answer' | 'signal'>;

/** Searches for facets, a few at once; a failed search yields an entry. Searches not begun when `signal` aborts are left out. */
export async function searchFacets(
  search: Search,
  facets: readonly PlacedFacet[],
  { filters, signal, onDone }: { filters: SearchOptions; signal: AbortSignal; onDone(): void },
): Promise<FacetSearch[]> {
  const done: FacetSearch[] = [];
  const waiting = [...facets];
  const searchWaiting = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !signal.aborted; next = waiting.shift()) {
      done.push(await searchFacet(search, next, { filters, signal }));
      onDone();
    }
  };
  await Promise.all(Array.from({ length: SEARCHES_AT_ONCE }, searchWaiting));
  return done.sort((one, other) => one.place - other.place);
}

async function searchFacet(
  search: Search,
  { place, facet }: PlacedFacet,
  { filters, signal }: { filters: SearchOptions; signal: AbortSignal },
): Promise<FacetSearch> {
  const begun = performance.now();
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(SEARCH_MS)]);
  const request = {
    ...filters,
    query: facet.query,
    numResults: RESULTS_PER_SEARCH,
    contents: null,
    answer: false,
    signal: deadline,
  };
  const describeSearch = () => ({ place, query: facet.query, ms: Math.round(performance.now() - begun) });
  try {
    const { results } = await waitUntilAborted(search(request), deadline);
    return { ...describeSearch(), ok: true, results };
  } catch (error) {
    if (deadline.aborted) return { ...describeSearch(), ok: false, error: 'timeout' };
    if (error instanceof Failure) return { ...describeSearch(), ok: false, error: error.code };
    throw error;
  }
}

/** Waits for work that ignores `signal` only until it aborts; a later failure of that work is ignored. */
async function waitUntilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
    work.catch(() => {});
  }
}

/** Share of the searches reserved for names that the first pages bring up. */
const FOLLOW_SHARE = 1 / 3;
/** Clauses and sides come first: they are more specific than the whole question. */
const ORDER: FacetKind[] = ['clause', 'comparison', 'side', 'question', 'name', 'related'];

/** Orders facets as they are searched. */
export function orderFacets(facets: readonly Facet[]): PlacedFacet[] {
  return facets
    .map((facet, place) => ({ facet, place }))
    .sort(
      (one, other) =>
        ORDER.indexOf(one.facet.kind) - ORDER.indexOf(other.facet.kind) || one.place - other.place,
    );
}

/** Selects the searches before any page is read: every part of the question if possible, reserving some searches for follow-ups. */
export function selectFirstSearches(facets: readonly Facet[], maxSearches: number): PlacedFacet[] {
  const ordered = orderFacets(facets);
  const parts = ordered.filter(({ facet }) => facet.kind === 'clause' || facet.kind === 'side').length;
  // With too few searches for all parts, the whole question comes first.
  if (parts > maxSearches) ordered.sort((one, other) => one.place - other.place);
  return ordered.slice(
    0,
    Math.min(maxSearches, Math.max(1, parts, maxSearches - countFollowUps(maxSearches))),
  );
}

/** Computes the number of searches reserved for names that the first pages bring up. */
export const countFollowUps = (maxSearches: number): number => Math.floor(maxSearches * FOLLOW_SHARE);
