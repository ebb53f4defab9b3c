import { findSite } from '../../text/urls/sites.ts';
import { toCanonicalUrl } from '../../text/urls/url-spelling.ts';

/** The results of one facet's search, best first. */
type FacetResults = {
  facet: number;
  results: readonly { url: string; title: string; score: number; publishedDay: string | null }[];
};
/** A page to open, with the scores that searches gave it, by facet. */
export type PageToOpen = { url: string; publishedDay: string | null; found: Record<number, number> };

/** Maximum pages of one site that come before all further pages of other sites. */
const PER_SITE_MAX = 3;

/**
 * Selects the pages to open: the best of each search in turn, each page once however its address is spelt, none of `opened` (canonical
 * addresses), at most `most`. Pages beyond the maximum of their site come last.
 */
export function selectPagesToOpen(
  searches: readonly FacetResults[],
  { opened, most }: { opened: ReadonlySet<string>; most: number },
): PageToOpen[] {
  const pages = interleaveResults(searches, opened);
  const perSite = new Map<string, number>();
  const first: PageToOpen[] = [];
  const later: PageToOpen[] = [];
  for (const page of pages) {
    const site = findSite(page.url);
    const count = (perSite.get(site) ?? 0) + 1;
    perSite.set(site, count);
    (count <= PER_SITE_MAX ? first : later).push(page);
  }
  return [...first, ...later].slice(0, most);
}

function interleaveResults(searches: readonly FacetResults[], opened: ReadonlySet<string>): PageToOpen[] {
  const pages = new Map<string, PageToOpen>();
  const longest = Math.max(0, ...searches.map(({ results }) => results.length));
  for (let rank = 0; rank < longest; rank += 1) {
    for (const { facet, results } of searches) {
      const result = results[rank];
      if (result === undefined) continue;
      const key = toCanonicalUrl(result.url);
      if (opened.has(key)) continue;
      const page = pages.get(key) ?? { url: result.url, publishedDay: result.publishedDay, found: {} };
      page.found[facet] ??= result.score;
      pages.set(key, page);
    }
  }
  return [...pages.values()];
}
