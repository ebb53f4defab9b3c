/**
 * Fusion merges the lists of several sources into one, best first, by reciprocal rank fusion with a weight for each source.
 * It is pure and sees only ranks, titles and snippets; `rank-results.ts` then scores the merged results against the query.
 */
import type { PageMetadata, PageOrigin } from '../../index/local-index-types.ts';
import {
  buildSnippetRuns,
  isSameResult,
  type SnippetRuns,
} from '../../text/near-duplicates/near-duplicates.ts';
import type { PageLibrary } from '../../text/query/library-filter.ts';
import { toCanonicalUrl } from '../../text/urls/url-spelling.ts';
import { tokenizeWords } from '../../text/words/words.ts';
import { isPeer } from '../sources/sanderling.ts';
import type { Upstream } from '../upstream/upstream-types.ts';

/** The results of one source, in its order. */
export type SourceList = {
  source: string;
  /** Weight of the source's first place, 0 to 1. */
  weight: number;
  items: readonly ListedItem[];
};

export type ListedItem = {
  url: string;
  title: string;
  snippet: string;
  publishedDay: string | null;
  /** Set by the local index, whose scores are comparable between queries. */
  localScore?: number;
  /** Set by the local index: the page is unlikely to be relevant. */
  isWeak?: boolean;
  /** Metadata that the page declares; set by the local index. */
  declared?: PageMetadata;
  /** The corpus from which the page was imported; set by the local index. */
  origin?: PageOrigin;
  /** What the page documents; set by the local index. */
  library?: PageLibrary;
};

/** A page that at least one source proposed, merged from all proposals. */
export type FusedPage = {
  url: string;
  title: string;
  snippet: string;
  publishedDay: string | null;
  /** Fused score from 0 to 1; 1 is first place in all sources. */
  fused: number;
  localScore: number | null;
  /** The local index's verdict; false for a page that it did not propose. */
  isWeak: boolean;
  /** Names of the sources, in alphabetical order. */
  sources: string[];
  declared?: PageMetadata;
  origin?: PageOrigin;
  library?: PageLibrary;
};

/** Reciprocal rank fusion (Cormack, Clarke and Buettcher 2009) with its usual constant. */
const RANK_CONSTANT = 60;
const ITEMS_PER_SOURCE_MAX = 100;
const TITLE_CHARS_SANE = 160;

type Proposal = ListedItem & { source: string; weight: number; worth: number };

/**
 * Merges the lists of several sources into one, best first. Pages with the same canonical address are the same; each gets the address
 * from its most trusted source among the `allowed` ones, or among all if none is allowed. The order of the lists makes no difference.
 */
export function fuse(
  arrived: readonly SourceList[],
  allowed: (url: string) => boolean = () => true,
): FusedPage[] {
  // Sorted, because even a sum of weights depends on its order in the last digits.
  const lists = arrived.toSorted((one, other) => compare(one.source, other.source));
  const byPage = new Map<string, Proposal[]>();
  for (const list of lists) {
    const seen = new Set<string>();
    for (const [place, item] of list.items.slice(0, ITEMS_PER_SOURCE_MAX).entries()) {
      const page = toCanonicalUrl(item.url);
      const { source, weight } = list;
      // A second mention by one source adds no worth, only another address.
      const worth = seen.has(page) ? 0 : weight / (RANK_CONSTANT + place + 1);
      seen.add(page);
      byPage.set(page, [...(byPage.get(page) ?? []), { ...item, source, weight, worth }]);
    }
  }
  const best = lists.reduce((sum, { weight }) => sum + weight, 0) / (RANK_CONSTANT + 1);
  return [...byPage.values()].map((proposals) => merge(proposals, { best, allowed })).sort(compareByWorth);
}

/** Orders pages by fused score, then by number of sources, then by address to break ties. */
function compareByWorth(one: FusedPage, other: FusedPage): number {
  return other.fused - one.fused || other.sources.length - one.sources.length || compare(one.url, other.url);
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

function merge(
  proposals: readonly Proposal[],
  { best, allowed }: { best: number; allowed(url: string): boolean },
): FusedPage {
  const ordered = proposals.toSorted(
    (one, other) =>
      other.worth - one.worth || compare(one.source, other.source) || compare(one.url, other.url),
  );
  // A peer may describe a page that only peers propose; it cannot reword what others say of a page.
  const others = ordered.filter(({ source }) => !isPeer(source));
  const told = others.length === 0 ? ordered : others;
  const eligible = told.filter(({ url }) => allowed(url));
  const declared = ordered.find((proposal) => proposal.declared !== undefined)?.declared;
  const origin = ordered.find((proposal) => proposal.origin !== undefined)?.origin;
  const library = ordered.find((proposal) => proposal.library !== undefined)?.library;
  const local = ordered.find(({ localScore }) => localScore !== undefined);
  const worth = ordered.reduce((sum, proposal) => sum + proposal.worth, 0);
  return {
    url: pickUrl(eligible.length === 0 ? told : eligible),
    title: pickTitle(told),
    snippet: told.reduce((longest, { snippet }) => (snippet.length > longest.length ? snippet : longest), ''),
    publishedDay: pickDay(told),
    localScore: local?.localScore ?? null,
    isWeak: local?.isWeak ?? false,
    fused: best === 0 ? 0 : worth / best,
    sources: [...new Set(ordered.map(({ source }) => source))].sort(compare),
    ...(declared === undefined ? {} : { declared }),
    ...(origin === undefined ? {} : { origin }),
    ...(library === undefined ? {} : { library }),
  };
}

/** Picks the most trusted https address, otherwise the most trusted one. */
function pickUrl(ordered: readonly Proposal[]): string {
  const [first] = ordered;
  const secure = ordered.find(({ url }) => url.startsWith('https:'));
  return (secure ?? first)?.url ?? '';
}

/** Picks the longest title that is not a paragraph: engines shorten titles but never extend them. */
function pickTitle(ordered: readonly Proposal[]): string {
  const sane = ordered.filter(({ title }) => title !== '' && title.length <= TITLE_CHARS_SANE);
  const longest = sane.reduce<string>((best, { title }) => (title.length > best.length ? title : best), '');
  return longest !== '' ? longest : (ordered.find(({ title }) => title !== '')?.title ?? '');
}

/** Picks the earliest day among those from the most trusted sources: a later one is often the day of an edit. */
function pickDay(ordered: readonly Proposal[]): string | null {
  const dated = ordered.filter(({ publishedDay }) => publishedDay !== null);
  const trust = Math.max(0, ...dated.map(({ weight }) => weight));
  const days = dated
    .filter(({ weight }) => weight === trust)
    .flatMap(({ publishedDay }) => publishedDay ?? []);
  return days.sort()[0] ?? null;
}

/**
 * Folds pages (best first) with nearly the same title and snippet into the best one, and adds the others' sources to it. Pages that only
 * peers propose come last: a peer that copies a result takes no page's place.
 */
export function foldNearDuplicates(pages: readonly FusedPage[]): FusedPage[] {
  const kept: { page: FusedPage; shown: SnippetRuns }[] = [];
  const isFromPeers = ({ sources }: FusedPage): boolean => sources.every(isPeer);
  const ordered = [...pages.filter((page) => !isFromPeers(page)), ...pages.filter(isFromPeers)];
  for (const page of ordered) {
    const shown = buildSnippetRuns(tokenizeWords(page.title, null), tokenizeWords(page.snippet, null));
    const twin = kept.find((one) => isSameResult(one.shown, shown));
    if (twin === undefined) kept.push({ page: { ...page }, shown });
    else twin.page.sources = [...new Set([...twin.page.sources, ...page.sources])].sort();
  }
  return kept.map(({ page }) => page);
}

const FIELD_MIN = 0.5;
const INDEX_MIN = 0.5;
/** Score from which a page of the local index is about the query. */
const INDEX_SCORE_GOOD = 0.5;

/** Computes the weight of an upstream source's first place. */
export function computeUpstreamWeight(
  { scope, weight = 1 }: Pick<Upstream, 'scope' | 'weight'>,
  fit: number,
): number {
  return weight * (scope === 'web' ? 1 : FIELD_MIN + (1 - FIELD_MIN) * fit);
}

/** Weighs the local index like a field source that fits as well as its best page; its scores are comparable between queries. */
export function computeIndexWeight(items: readonly ListedItem[]): number {
  const best = Math.max(0, ...items.map(({ localScore }) => localScore ?? 0));
  return INDEX_MIN + (1 - INDEX_MIN) * Math.min(1, best / INDEX_SCORE_GOOD);
}
