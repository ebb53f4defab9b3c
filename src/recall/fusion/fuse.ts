import { areCopies, readSnippet, type SnippetWords } from '../../text/near-duplicates/snippet-copies.ts';
import { canonicalUrl } from '../../text/urls/url-spelling.ts';
import { wordsOf } from '../../text/words/words.ts';
import type { Upstream } from '../upstream/upstream-types.ts';

/** What one source proposes, in its order. */
export type SourceList = {
  source: string;
  /** What a first place of this source counts, 0 to 1. */
  weight: number;
  items: readonly ListedItem[];
};

export type ListedItem = {
  url: string;
  title: string;
  snippet: string;
  publishedDay: string | null;
  /** Where the source has scores that mean the same for every query: the local index. */
  localScore?: number;
};

/** A page that at least one source proposed, with what all of them say of it. */
export type Fused = {
  url: string;
  title: string;
  snippet: string;
  publishedDay: string | null;
  /** From 0 to 1; 1 would be first place with all sources of full weight. */
  fused: number;
  localScore: number | null;
  /** Names of the sources, in alphabetical order. */
  sources: string[];
};

/** Reciprocal rank fusion (Cormack, Clarke and Buettcher 2009) with its usual constant. */
const RANK_CONSTANT = 60;
const ITEMS_PER_SOURCE_MAX = 100;
const TITLE_CHARS_SANE = 160;

type Proposal = ListedItem & { source: string; weight: number; worth: number };

/**
 * Lists of several sources -> one list, best first: pages by their canonical address, each at the address that its sources trust most
 * among those that `mayStand`, or among all where none may. Does not depend on the order in which the lists came.
 */
export function fuse(
  arrived: readonly SourceList[],
  mayStand: (url: string) => boolean = () => true,
): Fused[] {
  // Even the sum of the weights would differ in its last digits.
  const lists = arrived.toSorted((one, other) => compare(one.source, other.source));
  const byPage = new Map<string, Proposal[]>();
  for (const list of lists) {
    const seen = new Set<string>();
    for (const [place, item] of list.items.slice(0, ITEMS_PER_SOURCE_MAX).entries()) {
      const page = canonicalUrl(item.url);
      const { source, weight } = list;
      // Named twice by one source it is worth no more, but has a second address.
      const worth = seen.has(page) ? 0 : weight / (RANK_CONSTANT + place + 1);
      seen.add(page);
      byPage.set(page, [...(byPage.get(page) ?? []), { ...item, source, weight, worth }]);
    }
  }
  const best = lists.reduce((sum, { weight }) => sum + weight, 0) / (RANK_CONSTANT + 1);
  return [...byPage.values()].map((proposals) => merge(proposals, { best, mayStand })).sort(byWorth);
}

/** Worth first; then what more sources say; then the address, so that the order is always the same. */
function byWorth(one: Fused, other: Fused): number {
  return other.fused - one.fused || other.sources.length - one.sources.length || compare(one.url, other.url);
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

function merge(
  proposals: readonly Proposal[],
  { best, mayStand }: { best: number; mayStand(url: string): boolean },
): Fused {
  const ordered = proposals.toSorted(
    (one, other) =>
      other.worth - one.worth || compare(one.source, other.source) || compare(one.url, other.url),
  );
  const standing = ordered.filter(({ url }) => mayStand(url));
  const worth = ordered.reduce((sum, proposal) => sum + proposal.worth, 0);
  return {
    url: bestUrl(standing.length === 0 ? ordered : standing),
    title: bestTitle(ordered),
    snippet: ordered.reduce(
      (longest, { snippet }) => (snippet.length > longest.length ? snippet : longest),
      '',
    ),
    publishedDay: bestDay(ordered),
    localScore: ordered.find(({ localScore }) => localScore !== undefined)?.localScore ?? null,
    fused: best === 0 ? 0 : worth / best,
    sources: [...new Set(ordered.map(({ source }) => source))].sort(compare),
  };
}

/** As the most trusted source spells it, but for https where anybody has it. */
function bestUrl(ordered: readonly Proposal[]): string {
  const [first] = ordered;
  const secure = ordered.find(({ url }) => url.startsWith('https:'));
  return (secure ?? first)?.url ?? '';
}

/** The longest that is not a paragraph: engines cut titles, and none adds to them. */
function bestTitle(ordered: readonly Proposal[]): string {
  const sane = ordered.filter(({ title }) => title !== '' && title.length <= TITLE_CHARS_SANE);
  const longest = sane.reduce<string>((best, { title }) => (title.length > best.length ? title : best), '');
  return longest !== '' ? longest : (ordered.find(({ title }) => title !== '')?.title ?? '');
}

/** The earliest day of those that the most trusted sources tell: a later one is often that of an edit. */
function bestDay(ordered: readonly Proposal[]): string | null {
  const dated = ordered.filter(({ publishedDay }) => publishedDay !== null);
  const trust = Math.max(0, ...dated.map(({ weight }) => weight));
  const days = dated
    .filter(({ weight }) => weight === trust)
    .flatMap(({ publishedDay }) => publishedDay ?? []);
  return days.sort()[0] ?? null;
}

/** Of pages (best first) with nearly the same title and snippet the best stays and gains the sources of the others. */
export function foldNearDuplicates(pages: readonly Fused[]): Fused[] {
  const kept: { page: Fused; words: SnippetWords }[] = [];
  for (const page of pages) {
    const words = readSnippet(wordsOf(page.title, null), wordsOf(page.snippet, null));
    const twin = kept.find((one) => areCopies(one.words, words));
    if (twin === undefined) kept.push({ page: { ...page }, words });
    else twin.page.sources = [...new Set([...twin.page.sources, ...page.sources])].sort();
  }
  return kept.map(({ page }) => page);
}

/** A metasearch server has fused already: its places are worth a little less than those of an engine. */
const WEB: Record<string, number> = { searxng: 0.9 };
const FIELD_MIN = 0.5;
const INDEX_MIN = 0.5;
/** From this score on a page of the local index is about the query. */
const INDEX_SCORE_GOOD = 0.5;

/** What a first place of an upstream source counts. */
export function weightOfUpstream({ name, scope }: Pick<Upstream, 'name' | 'scope'>, fit: number): number {
  return scope === 'web' ? (WEB[name] ?? 1) : FIELD_MIN + (1 - FIELD_MIN) * fit;
}

/** The local index counts like a field source that fits as well as its best page: its scores mean the same for every query. */
export function weightOfIndex(items: readonly ListedItem[]): number {
  const best = Math.max(0, ...items.map(({ localScore }) => localScore ?? 0));
  return INDEX_MIN + (1 - INDEX_MIN) * Math.min(1, best / INDEX_SCORE_GOOD);
}
