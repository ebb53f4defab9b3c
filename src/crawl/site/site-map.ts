import { openSite, type Site } from './open-site.ts';
import type { SiteDeps, SiteRequest, SiteRow } from './site-types.ts';

/**
 * The addresses of a site, each once: the start page, then what the sitemaps list, then what pages link to; no more pages are
 * read than needed. With instructions, only the addresses that fit them, the best first. Throws `Failure('url_not_allowed')`
 * and `Failure('fetch_failed')` for the start page.
 */
export type SiteMap = (request: SiteRequest) => Promise<string[]>;

/** Maximum pages that one map reads. */
const VISITS_MAX = 300;

export function createSiteMap(deps: SiteDeps): SiteMap {
  return (request) =>
    deps.slots.run({ tenant: request.tenant, signal: request.signal }, () => mapSite(deps, request));
}

async function mapSite(deps: SiteDeps, request: SiteRequest): Promise<string[]> {
  const options = { visitsLeaves: false, sitemapDepth: () => 1, sitemapsFirst: true };
  const site = await openSite(deps, request, options);
  const listed = (): SiteRow[] => site.frontier.rows().filter((row) => isListed(site, row));
  const isEnough = (): boolean => {
    const rows = listed();
    const fitting = request.instructions === null ? rows : rows.filter(({ interest }) => interest > 0);
    return fitting.length >= request.pagesMax;
  };
  await site.visitPages({ pagesMax: VISITS_MAX, isEnough });
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
