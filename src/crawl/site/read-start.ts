import { Failure, fetchFailed } from '../../contract/errors.ts';
import type { IndexedPage } from '../../index/local-index-types.ts';
import type { CheckUrl } from '../../platform/net/fetch-types.ts';
import { hostKey } from '../../text/urls/sites.ts';
import { crawlUrl } from '../../text/urls/url-spelling.ts';
import { sitemapPages } from '../robots/read-sitemaps.ts';
import type { RobotsOfHosts } from '../robots/robots-of-hosts.ts';
import type { Politeness } from '../visit/politeness.ts';
import { timedOut, type Visited, visit } from '../visit/visit-page.ts';
import type { SiteOptions, SiteParts, SiteRequest } from './open-site.ts';

/** What the steps of one walk share. */
export type WalkTools = {
  parts: SiteParts;
  request: SiteRequest;
  options: SiteOptions;
  robotsOf: RobotsOfHosts;
  politeness: Politeness;
  /** Fires when the time is up. */
  ending: AbortSignal;
};

/** A start page that was read, and what the sitemaps beside it list. */
export type SiteStart = { visited: ReadStart; sitemaps: string[] };
type ReadStart = Visited & { read: IndexedPage; outcome: Visited['outcome'] & { state: 'done' } };

/** Milliseconds for one page of a site. */
export const PAGE_MS = 10_000;
/** For the first of two addresses: a host that does not speak https often does not answer there at all. */
const GUESS_MS = 5_000;
/** Failures of https after which http may be what the host speaks. */
const MAY_SPEAK_OTHERWISE = new Set(['connect', 'protocol', 'timeout', 'aborted']);
/** Sitemaps may take this long, at most the given share of the time there is. */
const SITEMAPS_MS = 8_000;
const SITEMAPS_SHARE = 0.25;
const SITEMAP_URLS_MAX = 20_000;

/**
 * Reads the first start address that can be read, and the sitemaps of its host at the same time. Throws
 * `Failure('url_not_allowed')` and `Failure('fetch_failed')`.
 */
export async function readStart(tools: WalkTools): Promise<SiteStart> {
  const starts = tools.request.starts.map((start) => spelledStart(tools.parts.checkUrl, start));
  for (const [place, start] of starts.entries()) {
    const isGuess = place < starts.length - 1;
    const signal = isGuess ? AbortSignal.any([tools.ending, AbortSignal.timeout(GUESS_MS)]) : tools.ending;
    const { visited, sitemaps } = await readBoth(tools, start, signal);
    if (isRead(visited)) {
      const { finalUrl } = visited.outcome;
      const isThere = new URL(finalUrl).origin === new URL(start).origin;
      return { visited, sitemaps: isThere ? sitemaps : await listSitemaps(tools, finalUrl, tools.ending) };
    }
    if (!isGuess || !MAY_SPEAK_OTHERWISE.has(reasonOf(visited))) throw startFailure(start, reasonOf(visited));
  }
  throw new Error('there is no start address');
}

/** The page and the sitemaps at the same time; nobody waits for sitemaps of a page that cannot be had. */
async function readBoth(
  tools: WalkTools,
  start: string,
  signal: AbortSignal,
): Promise<{ visited: Visited; sitemaps: string[] }> {
  const lost = new AbortController();
  const visiting = async (): Promise<Visited> => {
    try {
      const visited = await visitStart(tools, start, signal);
      if (!isRead(visited)) lost.abort();
      return visited;
    } catch (error) {
      lost.abort();
      throw error;
    }
  };
  // Begun first: the time that a robots.txt has is that of the page.
  const page = visiting();
  const listing = listSitemaps(tools, start, AbortSignal.any([tools.ending, lost.signal]));
  const [visited, sitemaps] = await Promise.all([page, listing]);
  return { visited, sitemaps };
}

const isRead = (visited: Visited): visited is ReadStart =>
  visited.outcome.state === 'done' && visited.read !== null;

function reasonOf({ outcome }: Visited): string {
  return 'reason' in outcome ? outcome.reason : outcome.state;
}

async function visitStart(
  { parts, robotsOf, politeness }: WalkTools,
  url: string,
  signal: AbortSignal,
): Promise<Visited> {
  const row = { id: 0, url, host: hostKey(url), depth: 0, attempts: 0, not_before: 0 };
  const anywhere = { covers: () => true, toVisit: (links: string[]) => links };
  const pages = { titleOf: () => undefined, claim() {}, isClaimed: () => false };
  const { openPage, clock } = parts;
  try {
    return await visit(
      {
        ...{
          openPage,
          robotsOf,
          politeness,
          clock,
          pages,
          scope: anywhere,
          depthMax: null,
          takesPrivate: true,
        },
        timeoutMs: PAGE_MS,
      },
      row,
      signal,
    );
  } catch (error) {
    if (!(error instanceof Failure) || !signal.aborted) throw error;
    return timedOut(row);
  }
}

function startFailure(url: string, reason: string): Failure {
  if (reason === 'not_allowed')
    return new Failure('url_not_allowed', `${url} leads to an address that is not public`);
  if (reason === 'robots_txt') return fetchFailed('not_allowed', `robots.txt does not let ${url} be fetched`);
  const [, status] = /^http_(\d+)$/.exec(reason) ?? [];
  return fetchFailed(status === undefined ? 'connect' : 'http_status', `${url} cannot be read: ${reason}`, {
    httpStatus: status === undefined ? null : Number(status),
  });
}

/** What the sitemaps of an address's host list by the time that is given to them; empty when there are none. */
async function listSitemaps(
  { parts, request, robotsOf }: Pick<WalkTools, 'parts' | 'request' | 'robotsOf'>,
  url: string,
  ending: AbortSignal,
): Promise<string[]> {
  const pages: string[] = [];
  if (request.depthMax === 0 || request.pagesMax === 1) return pages;
  const timeMs = Math.min(SITEMAPS_MS, Math.round(request.budgetMs * SITEMAPS_SHARE));
  const signal = AbortSignal.any([ending, AbortSignal.timeout(timeMs)]);
  try {
    const robots = await robotsOf(url, signal);
    if (!robots.reached) return pages;
    const sitemaps = robots.sitemaps.length > 0 ? robots.sitemaps : [new URL('/sitemap.xml', url).href];
    for await (const listed of sitemapPages(parts, { sitemaps, signal })) {
      pages.push(...listed.slice(0, SITEMAP_URLS_MAX - pages.length));
      if (pages.length >= SITEMAP_URLS_MAX) break;
    }
  } catch (error) {
    if (!(error instanceof Failure) || !signal.aborted) throw error;
  }
  return pages;
}

function spelledStart(checkUrl: CheckUrl, start: string): string {
  const url = crawlUrl(checkUrl(start).href);
  if (url === null) throw new Failure('url_not_allowed', `${start} is no address that can be crawled`);
  return url;
}
