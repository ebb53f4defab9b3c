import { Failure, type FailureCode } from '../contract/errors.ts';
import type { Search } from '../search/search.ts';
import type { SearchRequest, SearchResult } from '../search/search-types.ts';
import type { Facet, FacetKind, PlacedFacet } from './evidence/research-types.ts';

/** How the search for one facet went. */
export type FacetSearch = { place: number; query: string; ms: number } & (
  | { ok: true; results: SearchResult[] }
  | { ok: false; error: FailureCode | 'timeout' }
);

/** More at once would use up what a source allows within a second. */
const SEARCHES_AT_ONCE = 3;
const SEARCH_MS = 8_000;
const RESULTS_PER_SEARCH = 12;

type SearchOptions = Omit<SearchRequest, 'query' | 'numResults' | 'contents' | 'answer' | 'signal'>;

/** Searches for facets, a few at once; one that fails is an entry and the others go on. What is not begun when `signal` ends is absent. */
export async function searchFacets(
  search: Search,
  facets: readonly PlacedFacet[],
  { filters, signal, onDone }: { filters: SearchOptions; signal: AbortSignal; onDone(): void },
): Promise<FacetSearch[]> {
  const done: FacetSearch[] = [];
  const waiting = [...facets];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !signal.aborted; next = waiting.shift()) {
      done.push(await searchFacet(search, next, { filters, signal }));
      onDone();
    }
  };
  await Promise.all(Array.from({ length: SEARCHES_AT_ONCE }, work));
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
  const about = () => ({ place, query: facet.query, ms: Math.round(performance.now() - begun) });
  try {
    const { results } = await orAborted(search(request), deadline);
    return { ...about(), ok: true, results };
  } catch (error) {
    if (deadline.aborted) return { ...about(), ok: false, error: 'timeout' };
    if (error instanceof Failure) return { ...about(), ok: false, error: error.code };
    throw error;
  }
}

/** Nobody waits longer than `signal` for work that does not look at it; its late failure is nobody's. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
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
