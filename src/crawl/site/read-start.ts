import { createFetchFailure, Failure } from '../../contract/errors.ts';
import type { IndexedPage } from '../../index/local-index-types.ts';
import { toHostKey } from '../../text/urls/sites.ts';
import { streamSitemapPages } from '../robots/read-sitemaps.ts';
import { parseStartUrl } from '../visit/start-url.ts';
import { buildTimeoutResult, type VisitResult, visitPage } from '../visit/visit-page.ts';
import type { SiteContext } from './site-types.ts';

/** A start page that was read, and the addresses that the sitemaps of its host list. */
export type SiteStart = { visited: StartVisit; sitemaps: string[] };
type StartVisit = VisitResult & { read: IndexedPage; outcome: VisitResult['outcome'] & { state: 'done' } };

/** Time limit for one page of a site. */
export const PAGE_MS = 10_000;
/** Time limit for an address that may be wrong: a host without https often does not answer on that port at all. */
const GUESS_MS = 5_000;
/** Failures of https after which http is tried. */
const TRY_OTHER_SCHEME = new Set(['connect', 'protocol', 'timeout', 'aborted']);
/** Time limit for sitemaps, absolute and as a share of the whole crawl's time. */
const SITEMAPS_MS = 8_000;
const SITEMAPS_SHARE = 0.25;
const SITEMAP_URLS_MAX = 20_000;

/**
 * Reads the first start address that can be read and, at the same time, the sitemaps of its host. Throws
 * `Failure('url_not_allowed')` and `Failure('fetch_failed')`.
 */
export async function readStart(context: SiteContext): Promise<SiteStart> {
  const starts = context.request.starts.map((start) => parseStartUrl(context.deps.checkUrl, start));
  for (const [place, start] of starts.entries()) {
    const isGuess = place < starts.length - 1;
    const signal = isGuess
      ? AbortSignal.any([context.ending, AbortSignal.timeout(GUESS_MS)])
      : context.ending;
    const { visited, sitemaps } = await readBoth(context, start, signal);
    if (isRead(visited)) {
      const { finalUrl } = visited.outcome;
      const isSameOrigin = new URL(finalUrl).origin === new URL(start).origin;
      return {
        visited,
        sitemaps: isSameOrigin ? sitemaps : await listSitemaps(context, finalUrl, context.ending),
      };
    }
    if (!isGuess || !TRY_OTHER_SCHEME.has(findReason(visited)))
      throw createStartFailure(start, findReason(visited));
  }
  throw new Error('there is no start address');
}

/** Reads the page and the sitemaps at the same time, and drops the sitemaps when the page cannot be read. */
async function readBoth(
  context: SiteContext,
  start: string,
  signal: AbortSignal,
): Promise<{ visited: VisitResult; sitemaps: string[] }> {
  const lost = new AbortController();
  const visitOrAbort = async (): Promise<VisitResult> => {
    try {
      const visited = await visitStart(context, start, signal);
      if (!isRead(visited)) lost.abort();
      return visited;
    } catch (error) {
      lost.abort();
      throw error;
    }
  };
  // Started first, so that robots.txt is read within the time limit of the page.
  const page = visitOrAbort();
  const listing = listSitemaps(context, start, AbortSignal.any([context.ending, lost.signal]));
  const [visited, sitemaps] = await Promise.all([page, listing]);
  return { visited, sitemaps };
}

const isRead = (visited: VisitResult): visited is StartVisit =>
  visited.outcome.state === 'done' && visited.read !== null;

function findReason({ outcome }: VisitResult): string {
  return 'reason' in outcome ? outcome.reason : outcome.state;
}

async function visitStart(
  { deps, robotsOf, politeness }: SiteContext,
  url: string,
  signal: AbortSignal,
): Promise<VisitResult> {
  const row = { id: 0, url, host: toHostKey(url), depth: 0, attempts: 0, not_before: 0 };
  const anywhere = { covers: () => true, toVisit: (links: string[]) => links };
  const pages = { titleOf: () => undefined, claim() {}, isClaimed: () => false };
  const { openPage, steady: clock } = deps;
  try {
    return await visitPage(
      {
        openPage,
        robotsOf,
        politeness,
        clock,
        pages,
        scope: anywhere,
        depthMax: null,
        takesPrivate: true,
        timeoutMs: PAGE_MS,
      },
      row,
      signal,
    );
  } catch (error) {
    if (!(error instanceof Failure) || !signal.aborted) throw error;
    return buildTimeoutResult(row);
  }
}

function createStartFailure(url: string, reason: string): Failure {
  if (reason === 'not_allowed')
    return new Failure('url_not_allowed', `${url} leads to an address that is not public`);
  if (reason === 'robots_txt') return createFetchFailure('not_allowed', `robots.txt does not allow ${url}`);
  const [, status] = /^http_(\d+)$/.exec(reason) ?? [];
  return createFetchFailure(
    status === undefined ? 'connect' : 'http_status',
    `${url} cannot be read: ${reason}`,
    {
      httpStatus: status === undefined ? null : Number(status),
    },
  );
}

/** Returns the pages that the sitemaps of a host list, as far as they are read in time. */
async function listSitemaps(
  { deps, request, robotsOf }: Pick<SiteContext, 'deps' | 'request' | 'robotsOf'>,
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
    for await (const listed of streamSitemapPages(deps, { sitemaps, signal })) {
      pages.push(...listed.slice(0, SITEMAP_URLS_MAX - pages.length));
      if (pages.length >= SITEMAP_URLS_MAX) break;
    }
  } catch (error) {
    if (!(error instanceof Failure) || !signal.aborted) throw error;
  }
  return pages;
}
