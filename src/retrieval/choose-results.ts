import type { Candidate } from './page.ts';
import { rankResults } from './rank/rank-results.ts';
import { type FilterName, failedFilter, filtersSet } from './recall/filters.ts';
import { type Fused, fuse, type SourceList } from './recall/fuse.ts';
import type { SearchRequest } from './search.ts';

/** A page that may become a result. */
export type Choice = Pick<Candidate, 'url' | 'title' | 'snippet' | 'publishedDay' | 'score'>;

/** What the filters of a request did. `opened`: pages that were opened to find their date. */
export type FilterReport = { removed: number; opened?: number };
export type FiltersReport = Partial<Record<FilterName, FilterReport>>;

export type Chosen = {
  /** Best first; all of them pass the filters. */
  passing: Choice[];
  /** Best first; they lack nothing but a date. */
  undated: Choice[];
  filters: FiltersReport;
};

/** The name under which the own index proposes. */
const OWN_INDEX = 'index';

/** Whether nobody but the own index proposed anything. */
export function isOwnIndexAlone(lists: readonly SourceList[]): boolean {
  return lists.every(({ source }) => source === OWN_INDEX);
}

/**
 * Lists of the sources -> results, fused, ranked and filtered. `today` is YYYY-MM-DD: a query may ask for what is fresh. The own index alone keeps its order and its scores: it has judged whole
 * pages, where a ranking here would see a title and a passage.
 */
export function chooseResults(
  lists: readonly SourceList[],
  request: SearchRequest,
  { today }: { today: string },
): Chosen {
  const fused = fuse(lists);
  const ranked = isOwnIndexAlone(lists)
    ? inOwnOrder(fused)
    : rankResults(fused.map(candidateOf), { query: request.query, now: today });
  return filtered(ranked, request);
}

/** What the sources together make of a page; of one that the own index has read whole, its score where that is higher. */
function candidateOf({ fused, ownScore, sources, ...page }: Fused): Candidate {
  const [first = ''] = sources;
  const source = sources.includes(OWN_INDEX) ? OWN_INDEX : first;
  return { ...page, source, score: Math.max(ownScore ?? 0, Math.sqrt(fused)) };
}

function inOwnOrder(fused: readonly Fused[]): Choice[] {
  return fused
    .map((page) => ({ ...page, score: page.ownScore ?? 0 }))
    .sort((one, other) => other.score - one.score);
}

function filtered(ranked: readonly Choice[], request: SearchRequest): Chosen {
  const failed = failedFilter(request);
  const filters: FiltersReport = Object.fromEntries(
    filtersSet(request).map((name) => [name, { removed: 0 }]),
  );
  const chosen: Chosen = { passing: [], undated: [], filters };
  for (const choice of ranked) {
    const name = failed(choice);
    if (name === null) chosen.passing.push(choice);
    else {
      filters[name] = { removed: (filters[name]?.removed ?? 0) + 1 };
      if (name === 'publishedDate' && choice.publishedDay === null) chosen.undated.push(choice);
    }
  }
  return chosen;
}
