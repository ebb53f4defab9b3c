import { type Fused, foldNearDuplicates, fuse, type SourceList } from '../../recall/fusion/fuse.ts';
import { rankResults } from '../../recall/fusion/rank-results.ts';
import type { Candidate } from '../../recall/recall.ts';
import { foldCopies } from '../../text/near-duplicates/near-duplicates.ts';
import {
  type Filters,
  failedFilter,
  filtersSet,
  parseDomainFilter,
  underDomain,
} from '../../text/query/filters.ts';
import type { Query } from '../../text/query/read-query.ts';
import { wordsOf } from '../../text/words/words.ts';
import type { FiltersReport } from '../search-types.ts';

/** A page that may become a result. */
export type Choice = Pick<
  Candidate,
  'url' | 'title' | 'snippet' | 'publishedDay' | 'score' | 'declared' | 'origin'
>;

export type Chosen = {
  /** Best first; all of them pass the filters. */
  passing: Choice[];
  /** Best first; they fail the date filter only because they have no date. */
  undated: Choice[];
  filters: FiltersReport;
};

/** The source name of the local index. */
const LOCAL_INDEX = 'index';

/** Whether all candidates come from the local index. */
export function isLocalIndexAlone(lists: readonly SourceList[]): boolean {
  return lists.every(({ source }) => source === LOCAL_INDEX);
}

/**
 * Fuses, filters and ranks the lists of the sources. `today` is YYYY-MM-DD, for queries that ask for fresh pages. A page that a filter
 * drops affects no other: a page is shown under an address that passes the filters if it has one, and only pages that pass are
 * folded into each other. If all candidates come from the local index, its order and scores are kept: it has scored whole pages, while
 * ranking here sees only titles and passages.
 */
export function chooseResults(
  lists: readonly SourceList[],
  filters: Filters,
  { query, today }: { query: Query; today: string },
): Chosen {
  const anyDay = failedFilter({ ...filters, publishedFrom: null, publishedTo: null });
  const fused = fuse(lists, (url) => anyDay({ url, publishedDay: null }) === null);
  const { passing, undated, report } = filtered(fused, filters);
  const ranked = (pages: Fused[]): Choice[] =>
    isLocalIndexAlone(lists)
      ? inLocalOrder(pages)
      : rankResults(foldNearDuplicates(pages).map(candidateOf), { query, now: today });
  return { passing: ranked(passing), undated: ranked(undated), filters: report };
}

/** Merges further results into the results, best first, without copies. */
export function joinChoices(results: readonly Choice[], found: readonly Choice[]): Choice[] {
  const all = [...results, ...found].sort((one, other) => other.score - one.score);
  return foldCopies(all, ({ title, snippet }) => [...wordsOf(title, null), ...wordsOf(snippet, null)]);
}

/** The share of the way to the best score by which a preferred result moves up. */
const PREFERENCE = 0.25;

/** Ranks results within the preferred domains higher, best first; the others stay. */
export function preferDomains(results: readonly Choice[], domains: readonly string[]): Choice[] {
  const preferred = domains.flatMap((domain) => parseDomainFilter(domain) ?? []);
  const raised = ({ url, score }: Choice): number => {
    const address = URL.parse(url);
    const isPreferred = address !== null && preferred.some((domain) => underDomain(address, domain));
    return isPreferred ? score + PREFERENCE * (1 - score) : score;
  };
  return results
    .map((choice) => ({ ...choice, score: raised(choice) }))
    .sort((one, other) => other.score - one.score);
}

/** A candidate scored by all its sources together, or by the local index, which has read the whole page, if that score is higher. */
function candidateOf({ fused, localScore, sources, ...page }: Fused): Candidate {
  const [first = ''] = sources;
  const source = sources.includes(LOCAL_INDEX) ? LOCAL_INDEX : first;
  return { ...page, source, score: Math.max(localScore ?? 0, Math.sqrt(fused)) };
}

function inLocalOrder(fused: readonly Fused[]): Choice[] {
  return fused
    .map((page) => ({ ...page, score: page.localScore ?? 0 }))
    .sort((one, other) => other.score - one.score);
}

type Filtered = { passing: Fused[]; undated: Fused[]; report: FiltersReport };

function filtered(pages: readonly Fused[], filters: Filters): Filtered {
  const failed = failedFilter(filters);
  const report: FiltersReport = Object.fromEntries(filtersSet(filters).map((name) => [name, { removed: 0 }]));
  const passing: Fused[] = [];
  const undated: Fused[] = [];
  for (const page of pages) {
    const name = failed(page);
    if (name === null) passing.push(page);
    else {
      report[name] = { removed: (report[name]?.removed ?? 0) + 1 };
      if (name === 'publishedDate' && page.publishedDay === null) undated.push(page);
    }
  }
  return { passing, undated, report };
}
