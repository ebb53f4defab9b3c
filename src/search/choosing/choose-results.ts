import { estimateResultRelevance } from '../../index/results/judge-results.ts';
import { type FusedPage, foldNearDuplicates, fuse, type SourceList } from '../../recall/fusion/fuse.ts';
import { putWeakLast } from '../../recall/fusion/mix-scores.ts';
import { rankResults } from '../../recall/fusion/rank-results.ts';
import type { Candidate } from '../../recall/recall.ts';
import { ALL_SOURCES } from '../../recall/sources/all-sources.ts';
import { isPeer } from '../../recall/sources/sanderling.ts';
import { foldCopies } from '../../text/near-duplicates/near-duplicates.ts';
import {
  createFilterCheck,
  type Filters,
  listSetFilters,
  matchesDomain,
  parseDomainFilter,
} from '../../text/query/filters.ts';
import type { Query } from '../../text/query/read-query.ts';
import { makeNonIncreasing, SNIPPET_WEAK_BELOW } from '../../text/scoring/relevance.ts';
import { tokenizeWords } from '../../text/words/words.ts';
import type { FiltersReport } from '../search-types.ts';

/** A page that may become a result. */
export type Choice = Pick<
  Candidate,
  'url' | 'title' | 'snippet' | 'publishedDay' | 'score' | 'isWeak' | 'declared' | 'origin' | 'library'
>;

export type ChosenResults = {
  /** Best first; all of them pass the filters. */
  passing: Choice[];
  /** Best first; they fail the date filter only because they have no date. */
  undated: Choice[];
  filters: FiltersReport;
};

type ChooseOptions = {
  query: Query;
  today: string;
};

/** The source name of the local index. */
const LOCAL_INDEX = 'index';

/** Specialised sources match words in names and short descriptions; an engine of the whole web has read the page. */
const SPECIALISED_SOURCES = new Set(
  ALL_SOURCES.flatMap(({ name, scope }) => (scope === 'field' ? [name] : [])),
);

/** Checks whether all candidates come from the local index. */
export function isLocalIndexAlone(lists: readonly SourceList[]): boolean {
  return lists.every(({ source }) => source === LOCAL_INDEX);
}

/**
 * Fuses, filters and ranks the lists of the sources. `today` is YYYY-MM-DD, for queries that ask for fresh pages. A page that a filter
 * drops affects no other: a page is shown under an address that passes the filters if it has one, and only pages that pass are
 * folded into each other. If all candidates come from the local index, its order and scores are kept: it has scored whole pages, while
 * ranking here sees only titles and passages. Otherwise the score of each result is the probability that it is relevant, by what the
 * index or the result itself tells. Weak results come last: those that the index alone proposes and has marked, and those of
 * specialised sources that show next to nothing of the query.
 */
export function chooseResults(
  lists: readonly SourceList[],
  filters: Filters,
  { query, today }: ChooseOptions,
): ChosenResults {
  const anyDay = createFilterCheck({ ...filters, publishedFrom: null, publishedTo: null });
  const fused = fuse(lists, (url) => anyDay({ url, publishedDay: null }) === null);
  const { passing, undated, report } = applyFilters(fused, filters);
  const rankPages = (pages: FusedPage[]): Choice[] => {
    if (isLocalIndexAlone(lists)) return sortByLocalScore(pages);
    const folded = foldNearDuplicates(pages);
    const shown = estimateResultRelevance(query, folded);
    const judged = markWeak(folded, shown);
    return assignProbabilities(rankResults(judged, { query, now: today }));
  };
  return { passing: rankPages(passing), undated: rankPages(undated), filters: report };
}

function assignProbabilities(ordered: readonly JudgedCandidate[]): Choice[] {
  const scores = makeNonIncreasing(ordered.map(({ relevance }) => relevance));
  return ordered.map(({ relevance: _, ...choice }, place) => ({
    ...choice,
    score: scores[place] ?? 0,
  }));
}

/** Merges further results into the results, best first, without copies. */
export function joinChoices(results: readonly Choice[], found: readonly Choice[]): Choice[] {
  const all = [...results, ...found].sort((one, other) => other.score - one.score);
  return foldCopies(putWeakLast(all), ({ title, snippet }) => [
    ...tokenizeWords(title, null),
    ...tokenizeWords(snippet, null),
  ]);
}

/** A preferred result's score rises by this share of its distance to the best score. */
const PREFERENCE = 0.25;

/** Ranks results within the preferred domains higher, best first; the others keep their scores. */
export function preferDomains(results: readonly Choice[], domains: readonly string[]): Choice[] {
  const preferred = domains.flatMap((domain) => parseDomainFilter(domain) ?? []);
  const raiseScore = ({ url, score }: Choice): number => {
    const address = URL.parse(url);
    const isPreferred = address !== null && preferred.some((domain) => matchesDomain(address, domain));
    return isPreferred ? score + PREFERENCE * (1 - score) : score;
  };
  return putWeakLast(
    results
      .map((choice) => ({ ...choice, score: raiseScore(choice) }))
      .sort((one, other) => other.score - one.score),
  );
}

/** A candidate with the relevance that its rank depends on. */
type JudgedCandidate = Candidate & { relevance: number };

/** Marks weak pages. `shown`: the relevance of each page by its title and snippet; the local index has read the whole page. */
function markWeak(pages: readonly FusedPage[], shown: readonly number[]): JudgedCandidate[] {
  const relevances = pages.map(({ localScore }, place) => Math.max(localScore ?? 0, shown[place] ?? 0));
  // If no page is likely to be relevant, the query is the cause (misspelt, another language), so none is marked.
  const isAnyLikely = relevances.some((relevance) => relevance >= SNIPPET_WEAK_BELOW);
  return pages.map(
    ({ fused, localScore: _, isWeak: isWeakToIndex, sources, ...page }, place): JudgedCandidate => {
      const relevance = relevances[place] ?? 0;
      const others = sources.filter((name) => name !== LOCAL_INDEX);
      const isWeakToOthers =
        isAnyLikely &&
        relevance < SNIPPET_WEAK_BELOW &&
        others.every((name) => SPECIALISED_SOURCES.has(name) || isPeer(name));
      return {
        ...page,
        source: others.length < sources.length ? LOCAL_INDEX : (sources[0] ?? ''),
        relevance,
        isWeak: others.length === 0 ? isWeakToIndex : isWeakToOthers,
        score: (relevance + Math.sqrt(fused)) / 2,
      };
    },
  );
}

function sortByLocalScore(fused: readonly FusedPage[]): Choice[] {
  return fused
    .map((page) => ({ ...page, score: page.localScore ?? 0 }))
    .sort((one, other) => other.score - one.score);
}

type FilterOutcome = { passing: FusedPage[]; undated: FusedPage[]; report: FiltersReport };

function applyFilters(pages: readonly FusedPage[], filters: Filters): FilterOutcome {
  const failed = createFilterCheck(filters);
  const report: FiltersReport = Object.fromEntries(
    listSetFilters(filters).map((name) => [name, { removed: 0 }]),
  );
  const passing: FusedPage[] = [];
  const undated: FusedPage[] = [];
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
