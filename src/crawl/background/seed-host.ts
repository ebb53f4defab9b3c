import type { LocalIndex } from '../../index/local-index-types.ts';
import type { GuardedFetch } from '../../platform/net/fetch-types.ts';
import { toSamePageKey } from '../../text/urls/url-spelling.ts';
import type { Frontier, FrontierRow } from '../frontier/frontier-types.ts';
import type { RobotsOfHosts } from '../robots/host-robots.ts';
import type { ReadSitemapFile } from '../robots/read-sitemaps.ts';
import { readSitemaps } from '../robots/read-sitemaps.ts';
import type { VisitScope } from '../visit/visit-page.ts';

type SeedDeps = {
  fetch: GuardedFetch;
  readSitemapFile: ReadSitemapFile;
  index: Pick<LocalIndex, 'list'>;
};

type SeedingOptions = {
  request: { depthMax: number | null; fresh: boolean; signal: AbortSignal };
  scope: VisitScope;
  frontier: Pick<Frontier, 'add' | 'skip' | 'hasVisited'>;
  robotsOf: RobotsOfHosts;
  hostUrlsMax: number;
};

/** Seeds the frontier of a crawl from the sitemaps of its hosts. */
export type HostSeeder = {
  seed(row: FrontierRow): Promise<void>;
  /** Returns whether a sitemap lists the page as modified since it was indexed; if so, a cached copy must not be used. */
  isModified(url: string): boolean;
};

/**
 * Reads the sitemaps of a host once, before its first page, and adds the pages they list: first those modified since they were indexed,
 * then new ones, each group by most recent modification. Indexed pages that have not been modified are skipped unless the crawl is fresh.
 * A host that an earlier run has visited is not read again. Rejects when aborted; the next run reads the sitemaps again.
 */
export function createHostSeeder(
  deps: SeedDeps,
  { request, scope, frontier, robotsOf, hostUrlsMax }: SeedingOptions,
): HostSeeder {
  const begun = new Set<string>();
  const modifiedUrls = new Set<string>();
  const { signal } = request;
  const seed = async ({ host, url }: FrontierRow): Promise<void> => {
    if (request.depthMax === 0 || begun.has(host) || frontier.hasVisited(host)) return;
    begun.add(host);
    const { origin } = new URL(url);
    const robots = await robotsOf(`${origin}/`, signal);
    if (!robots.reached) return;
    const sitemaps = robots.sitemaps.length > 0 ? robots.sitemaps : [`${origin}/sitemap.xml`];
    const { pages, modified } = await readSitemaps(deps, { sitemaps, pagesMax: hostUrlsMax, signal });
    const held = modified.size === 0 ? new Map() : await readFetchTimes(deps.index, host, hostUrlsMax);
    const { changed, others, unchanged } = groupByChange(pages, modified, held);
    const wanted = [...changed, ...others];
    for (const page of scope.toVisit(changed)) modifiedUrls.add(page);
    // Added before the others are skipped: a crawl that is killed in between reads the sitemaps again.
    await frontier.add(scope.toVisit(request.fresh ? [...wanted, ...unchanged] : wanted), 1);
    if (!request.fresh) await frontier.skip(scope.toVisit(unchanged), 'unchanged');
  };
  return { seed, isModified: (url) => modifiedUrls.has(url) };
}

const LISTED_PAGES = 1_000;

/** Returns the fetch times of a host's indexed pages by page key. Stops after `pagesMax` pages. */
async function readFetchTimes(
  index: Pick<LocalIndex, 'list'>,
  host: string,
  pagesMax: number,
): Promise<Map<string, number>> {
  const visits = new Map<string, number>();
  let after: string | null = null;
  do {
    const held = await index.list({ selector: { host }, after, limit: LISTED_PAGES });
    for (const { url, fetchedAt } of held) visits.set(toSamePageKey(url), fetchedAt);
    after = held.length < LISTED_PAGES ? null : (held.at(-1)?.url ?? null);
  } while (after !== null && visits.size < pagesMax);
  return visits;
}

type PagesByChange = { changed: string[]; others: string[]; unchanged: string[] };

/** `changed`: indexed, and modified since; `others`: new, or without a modification time. */
function groupByChange(
  pages: readonly string[],
  modified: ReadonlyMap<string, number>,
  visits: ReadonlyMap<string, number>,
): PagesByChange {
  const ordered: PagesByChange = { changed: [], others: [], unchanged: [] };
  const findModifiedTime = (url: string): number => modified.get(url) ?? 0;
  for (const url of pages.toSorted((one, other) => findModifiedTime(other) - findModifiedTime(one))) {
    const [modifiedAt, visitedAt] = [modified.get(url), visits.get(toSamePageKey(url))];
    if (modifiedAt === undefined || visitedAt === undefined) ordered.others.push(url);
    else if (modifiedAt < visitedAt) ordered.unchanged.push(url);
    else ordered.changed.push(url);
  }
  return ordered;
}
