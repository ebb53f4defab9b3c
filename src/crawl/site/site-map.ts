import { openSite, type Site, type SiteParts, type SiteRequest } from './open-site.ts';
import type { SiteRow } from './site-rows.ts';

/**
 * The addresses of a site from a start page on: it first, then those of the sitemaps, then those that pages lead to; no more
 * pages are read than needed. With instructions those that fit them, the best first. Each address stands once. Throws
 * `Failure('url_not_allowed')` and `Failure('fetch_failed')` for the start page.
 */
export type SiteMap = (request: SiteRequest) => Promise<string[]>;

/** Pages that one map reads at most. */
const VISITS_MAX = 300;

export function createSiteMap(parts: SiteParts): SiteMap {
  return (request) =>
    parts.walks.run({ tenant: request.tenant, signal: request.signal }, () => mapSite(parts, request));
}

async function mapSite(parts: SiteParts, request: SiteRequest): Promise<string[]> {
  const options = { visitsLeaves: false, sitemapDepth: () => 1, sitemapsFirst: true };
  const site = await openSite(parts, request, options);
  const listed = (): SiteRow[] => site.frontier.rows().filter((row) => isListed(site, row));
  const isEnough = (): boolean => {
    const rows = listed();
    const fitting = request.instructions === null ? rows : rows.filter(({ interest }) => interest > 0);
    return fitting.length >= request.pagesMax;
  };
  await site.walk({ pagesMax: VISITS_MAX, isEnough });
  return addressesOf(site, listed(), request);
}

function isListed({ mayRead }: Site, { url, state, verdict }: SiteRow): boolean {
  return verdict.wanted && state !== 'lost' && mayRead(url);
}

function addressesOf(site: Site, rows: SiteRow[], { instructions, pagesMax }: SiteRequest): string[] {
  const read = new Map(site.pages().map(({ row, url }) => [row.id, url]));
  const fitting = instructions === null ? [] : rows.filter(({ interest }) => interest > 0);
  const chosen = fitting.length > 0 ? fitting : rows;
  const ordered = chosen.toSorted(
    (left, right) =>
      Number(right.verdict.inside) - Number(left.verdict.inside) || right.interest - left.interest,
  );
  const urls = ordered.map(({ id, url }) => site.frontier.spell(read.get(id) ?? url));
  return [...new Set(urls)].slice(0, pagesMax);
}
