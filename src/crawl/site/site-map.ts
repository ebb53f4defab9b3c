import { setImmediate as nextTurn } from 'node:timers/promises';
import { openSite, type Site } from './open-site.ts';
import type { SiteDeps, SiteRequest, SiteRow } from './site-types.ts';

/**
 * Lists the addresses of a site, each once: the start page, then those in sitemaps, then links of pages. Reads no more pages than
 * needed. With instructions, returns only the addresses that fit them, the best first. Throws `Failure('url_not_allowed')`
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
  const listed = createListing(site, request.signal);
  const isWanted = (row: SiteRow): boolean => request.instructions === null || row.interest > 0;
  const isEnough = async (): Promise<boolean> =>
    (await listed(isWanted, request.pagesMax)).length >= request.pagesMax;
  await site.visitPages({ pagesMax: VISITS_MAX, isEnough });
  return selectAddresses(site, await listed(() => true, Infinity), request);
}

/** Addresses compared with robots.txt before yielding to other work: with thousands of patterns each takes milliseconds. */
const COMPARED_PER_TURN = 4;

type Listing = (isWanted: (row: SiteRow) => boolean, most: number) => Promise<SiteRow[]>;

/** The listing returns the first rows that belong in the answer, at most `most`. Each address is compared with robots.txt once. */
function createListing(site: Site, signal: AbortSignal): Listing {
  const verdicts = new Map<number, boolean>();
  const compare = async ({ id, url }: SiteRow): Promise<boolean> => {
    if (verdicts.size % COMPARED_PER_TURN === 0) await nextTurn();
    signal.throwIfAborted();
    const verdict = site.mayRead(url);
    verdicts.set(id, verdict);
    return verdict;
  };
  return async (isWanted, most) => {
    const found: SiteRow[] = [];
    for (const row of site.frontier.rows()) {
      if (found.length >= most) break;
      if (!row.verdict.wanted || row.state === 'lost' || !isWanted(row)) continue;
      if (verdicts.get(row.id) ?? (await compare(row))) found.push(row);
    }
    return found;
  };
}

function selectAddresses(site: Site, rows: SiteRow[], { instructions, pagesMax }: SiteRequest): string[] {
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
