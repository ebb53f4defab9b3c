import { Failure, fetchFailed } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { CheckUrl, GuardedFetch } from '../platform/net/fetch-types.ts';
import type { OpenPage } from '../retrieval/open/open-page-types.ts';
import { type Visited, visit } from './crawl-visit.ts';
import { type Instructions, linkTexts, wordsOfAddress } from './instructions.ts';
import { crawlUrl, hasPublicName, hostKey } from './links.ts';
import type { IndexedPage } from './own-index-types.ts';
import { createPoliteness, type Politeness } from './politeness.ts';
import { sitemapPages } from './read-sitemaps.ts';
import { isAllowed } from './robots.ts';
import { createRobotsOfHosts, type RobotsOfHosts } from './robots-of-hosts.ts';
import { createSiteFrontier, type SiteFrontier, type SiteRow } from './site-frontier.ts';
import { createSiteRules, type SiteRules, type SiteWishes } from './site-rules.ts';
import { visitAll, type Wait, waitForTimer } from './visit-all.ts';

/** What one call wants of a site. */
export type SiteRequest = {
  /** Absolute addresses of the page to start from, tried one after the other: `https` before `http` where nobody said which. */
  starts: string[];
  wishes: SiteWishes;
  /** Links from the start page at most, and new links that are followed from one page. */
  depthMax: number;
  breadthMax: number;
  /** Addresses in the answer at most. */
  pagesMax: number;
  instructions: Instructions | null;
  /** Milliseconds for all of it; then the answer is what is there. */
  budgetMs: number;
  signal: AbortSignal;
};

export type SiteParts = {
  fetch: GuardedFetch;
  checkUrl: CheckUrl;
  /** Indexes what it opens. */
  openPage: OpenPage;
  clock: Clock;
  /** For tests that move the clock. */
  wait?: Wait;
};

export type SiteOptions = {
  /** Whether pages that cannot lead on are visited. */
  visitsLeaves: boolean;
  /** Depth that a page of a sitemap counts with. */
  sitemapDepth(url: string): number;
  /** Whether the pages of sitemaps come before the links of the start page. */
  sitemapsFirst: boolean;
};

/** A page that was read, under the address that it is answered with. */
export type WalkedPage = { row: SiteRow; url: string; page: IndexedPage };

export type WalkBounds = {
  /** Pages read and wanted, the start page included; never more. */
  pagesMax: number;
  /** Asked after each batch of visits: whether what is there will do. */
  isEnough(): boolean;
  /** Waits with a page that was read until this is done with it. */
  onRead?(page: IndexedPage, signal: AbortSignal): Promise<void>;
};

/** A site whose start page has been read. */
export type Site = {
  frontier: SiteFrontier;
  /** Whether the robots.txt of the start page's host lets an address of it be read; true for other hosts, which were not asked. */
  mayRead(url: string): boolean;
  /** The wanted pages in the order in which they were read; no address stands twice. */
  pages(): WalkedPage[];
  /** Visits what there is until the pages are enough or the time is up; what pages do never makes it reject. */
  walk(bounds: WalkBounds): Promise<void>;
};

/** Between two requests to a host of the public web, and requests to one host at once: a caller waits, a site must not suffer. */
const DELAY_MS = 100;
const PER_HOST_MAX = 4;
const PAGE_MS = 10_000;
/** For the first of two addresses: a host that does not speak https often does not answer there at all. */
const GUESS_MS = 5_000;
/** Sitemaps may take this long, at most the given share of the time there is. */
const SITEMAPS_MS = 8_000;
const SITEMAPS_SHARE = 0.25;
const URLS_MAX = 50_000;
const SITEMAP_URLS_MAX = 20_000;
/** Visits of pages that only lead on: so many per page that is wanted. */
const PASSES_PER_PAGE = 1;
const PASSES_MIN = 20;
/** Failures of https after which http may be what the host speaks. */
const MAY_SPEAK_OTHERWISE = new Set(['connect', 'protocol', 'timeout', 'aborted']);

/**
 * Reads the start page and the sitemaps of a site. Throws `Failure('url_not_allowed')`, and `Failure('fetch_failed')` when the
 * start page cannot be had or its robots.txt forbids it.
 */
export async function openSite(parts: SiteParts, request: SiteRequest, options: SiteOptions): Promise<Site> {
  const { signal, budgetMs } = request;
  const ending = AbortSignal.any([signal, AbortSignal.timeout(budgetMs)]);
  const politeness = createPoliteness((host) => ({
    perHostMax: PER_HOST_MAX,
    delayMs: hasPublicName(`http://${host}`) ? DELAY_MS : 0,
  }));
  const tools = { parts, request, options, robotsOf: createRobotsOfHosts(parts), politeness, ending };
  const starts = request.starts.map((start) => spelledStart(parts.checkUrl, start));
  const { visited, sitemaps } = await readStart(tools, starts);
  return openedSite(tools, visited, sitemaps);
}

type Tools = {
  parts: SiteParts;
  request: SiteRequest;
  options: SiteOptions;
  robotsOf: RobotsOfHosts;
  politeness: Politeness;
  /** Fires when the time is up. */
  ending: AbortSignal;
};

function spelledStart(checkUrl: CheckUrl, start: string): string {
  const url = crawlUrl(checkUrl(start).href);
  if (url === null) throw new Failure('url_not_allowed', `${start} is no address that can be crawled`);
  return url;
}

type Start = { visited: ReadStart; sitemaps: string[] };
type ReadStart = Visited & { read: IndexedPage; outcome: Visited['outcome'] & { state: 'done' } };

async function readStart(tools: Tools, starts: string[]): Promise<Start> {
  for (const [place, start] of starts.entries()) {
    const isGuess = place < starts.length - 1;
    const signal = isGuess ? AbortSignal.any([tools.ending, AbortSignal.timeout(GUESS_MS)]) : tools.ending;
    const sitemaps: Promise<string[]> = listSitemaps(tools, start);
    const visited = await visitStart(tools, start, signal);
    if (isRead(visited)) {
      const { finalUrl } = visited.outcome;
      const isThere = new URL(finalUrl).origin === new URL(start).origin;
      return { visited, sitemaps: await (isThere ? sitemaps : listSitemaps(tools, finalUrl)) };
    }
    if (!isGuess || !MAY_SPEAK_OTHERWISE.has(reasonOf(visited))) throw startFailure(start, reasonOf(visited));
  }
  throw new Error('there is no start address');
}

const isRead = (visited: Visited): visited is ReadStart =>
  visited.outcome.state === 'done' && visited.read !== null;

function reasonOf({ outcome }: Visited): string {
  return 'reason' in outcome ? outcome.reason : outcome.state;
}

async function visitStart(
  { parts, robotsOf, politeness }: Tools,
  url: string,
  signal: AbortSignal,
): Promise<Visited> {
  const row = { id: 0, url, host: hostKey(url), depth: 0, attempts: 0, not_before: 0 };
  const anywhere = { covers: () => true, toVisit: (links: string[]) => links };
  const pages = { titleOf: () => undefined, claim() {} };
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
          takesNoindex: true,
        },
        timeoutMs: PAGE_MS,
      },
      row,
      signal,
    );
  } catch (error) {
    if (!(error instanceof Failure) || !signal.aborted) throw error;
    return {
      outcome: { row, found: [], state: 'failed', reason: 'timeout' },
      put: null,
      remove: [],
      read: null,
    };
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
async function listSitemaps({ parts, request, robotsOf, ending }: Tools, url: string): Promise<string[]> {
  const pages: string[] = [];
  if (request.depthMax === 0 || request.pagesMax === 1) return pages;
  const timeMs = Math.round(Math.min(SITEMAPS_MS, request.budgetMs * SITEMAPS_SHARE));
  const signal = AbortSignal.any([ending, AbortSignal.timeout(timeMs)]);
  try {
    const robots = await robotsOf(url, signal);
    if (!robots.reached) return pages;
    const sitemaps = robots.sitemaps.length > 0 ? robots.sitemaps : [new URL('/sitemap.xml', url).href];
    for await (const listed of sitemapPages(parts.fetch, { sitemaps, signal })) {
      pages.push(...listed.slice(0, SITEMAP_URLS_MAX - pages.length));
      if (pages.length >= SITEMAP_URLS_MAX) break;
    }
  } catch (error) {
    if (!(error instanceof Failure) || !signal.aborted) throw error;
  }
  return pages;
}

async function openedSite(tools: Tools, visited: ReadStart, sitemaps: string[]): Promise<Site> {
  const { request, options, robotsOf, ending } = tools;
  const { finalUrl } = visited.outcome;
  const rules = createSiteRules(finalUrl, request.wishes);
  const { instructions } = request;
  const frontier = createSiteFrontier({
    ...{ rules, depthMax: request.depthMax, breadthMax: request.breadthMax, signal: ending },
    urlsMax: URLS_MAX,
    passesMax: Math.max(PASSES_MIN, PASSES_PER_PAGE * request.pagesMax),
    visitsLeaves: options.visitsLeaves,
    interestOf: (url, text) => instructions?.coverage(`${wordsOfAddress(url)} ${text}`) ?? 0,
    linkTexts: instructions === null ? () => new Map() : linkTexts,
  });
  const answer = createAnswer(rules, frontier);
  const start = frontier.begin(finalUrl);
  const settled = { ...visited, outcome: { ...visited.outcome, row: start } };
  if (options.sitemapsFirst) await frontier.add(sitemaps, options.sitemapDepth);
  await answer.settle(settled);
  if (!options.sitemapsFirst) await frontier.add(sitemaps, options.sitemapDepth);
  const robots = await robotsOf(finalUrl, ending);
  return {
    frontier,
    mayRead: (url) =>
      new URL(url).origin !== new URL(finalUrl).origin || !robots.reached || isAllowed(robots.rules, url),
    pages: answer.pages,
    walk: (bounds) => walk(tools, { rules, frontier, answer }, bounds),
  };
}

type Answer = { settle(visited: Visited): Promise<void>; count(): number; pages(): WalkedPage[] };

/** Gathers the wanted pages, each under one address. */
function createAnswer(rules: SiteRules, frontier: SiteFrontier): Answer {
  /** By the address that the page is indexed under. */
  const byPage = new Map<string, WalkedPage & { finalUrl: string }>();
  return {
    async settle(visited) {
      const { outcome, read } = visited;
      const row = await frontier.settle(visited);
      if (row === null || read === null || outcome.state !== 'done') return;
      const { pageUrl, finalUrl } = outcome;
      const usurper = byPage.get(pageUrl);
      if (usurper !== undefined) byPage.set(usurper.finalUrl, { ...usurper, url: usurper.finalUrl });
      const isNamed = rules.judge(pageUrl)?.wanted === true && hostKey(pageUrl) === hostKey(finalUrl);
      byPage.set(pageUrl, { row, page: read, finalUrl, url: isNamed ? pageUrl : finalUrl });
    },
    count: () => byPage.size,
    pages() {
      const byUrl = new Map<string, WalkedPage>();
      for (const walked of byPage.values()) {
        const url = frontier.spell(walked.url);
        if (!byUrl.has(url)) byUrl.set(url, { ...walked, url });
      }
      return [...byUrl.values()];
    },
  };
}

async function walk(
  { parts, robotsOf, politeness, ending }: Tools,
  { rules, frontier, answer }: { rules: SiteRules; frontier: SiteFrontier; answer: Answer },
  { pagesMax, isEnough, onRead }: WalkBounds,
): Promise<void> {
  const enough = new AbortController();
  const check = (): void => {
    if (isEnough()) enough.abort();
  };
  const { openPage, clock } = parts;
  const visiting = { openPage, robotsOf, politeness, clock, pages: frontier, timeoutMs: PAGE_MS };
  check();
  await visitAll({
    ...{ frontier, politeness, clock, wait: parts.wait ?? waitForTimer, pagesMax },
    signal: AbortSignal.any([ending, enough.signal]),
    pagesDone: answer.count,
    async visit(row, signal) {
      const scope = {
        covers: (url: string) => isOfWalk(rules, row.host, url),
        toVisit: (links: string[]) => links,
      };
      const visited = await visit({ ...visiting, scope, depthMax: null, takesNoindex: true }, row, signal);
      if (visited.outcome.state === 'done' && visited.read !== null) await onRead?.(visited.read, signal);
      return visited;
    },
    async settle(batch) {
      for (const visited of batch) await answer.settle(visited);
      check();
    },
  });
}

/** Whether the page that stands where a redirect ended belongs to the walk: another site's page does only under its own host. */
function isOfWalk(rules: SiteRules, host: string, finalUrl: string): boolean {
  const verdict = rules.judge(finalUrl);
  return verdict !== null && (verdict.inside || hostKey(finalUrl) === host);
}
