import { Failure } from '../../contract/errors.ts';
import type { IndexedPage } from '../../index/local-index-types.ts';
import type { OpenPage } from '../../pages/open-page-types.ts';
import type { Clock } from '../../platform/clock.ts';
import type { CheckUrl, GuardedFetch } from '../../platform/net/fetch-types.ts';
import type { FairQueue } from '../../platform/sharing/fair-queue.ts';
import type { Tenant } from '../../platform/sharing/fair-shares.ts';
import { hasPublicName, hostKey } from '../../text/urls/sites.ts';
import type { FrontierRow } from '../frontier/frontier.ts';
import { isAllowed } from '../robots/robots.ts';
import { createRobotsOfHosts } from '../robots/robots-of-hosts.ts';
import type { ReadSitemapFile } from '../robots/sitemap-worker.ts';
import { createPoliteness } from '../visit/politeness.ts';
import { visitAll, type Wait, waitForTimer } from '../visit/visit-all.ts';
import { timedOut, type VisitDeps, type Visited, visit } from '../visit/visit-page.ts';
import { type Instructions, linkTexts, wordsOfAddress } from './instructions.ts';
import { PAGE_MS, readStart, type SiteStart, type WalkTools } from './read-start.ts';
import { createSiteFrontier, type SiteFrontier } from './site-frontier.ts';
import type { SiteRow } from './site-rows.ts';
import { createSiteRules, type SiteRules, type SiteWishes } from './site-rules.ts';

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
  /** Whose walk it is, for fair shares. */
  tenant?: Tenant;
};

export type SiteParts = {
  fetch: GuardedFetch;
  readSitemapFile: ReadSitemapFile;
  checkUrl: CheckUrl;
  /** Indexes what it opens. */
  openPage: OpenPage;
  /** Bounds how many walks there are at once. */
  walks: FairQueue;
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

type WalkBounds = {
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
/** For a page of another site: nothing hangs on it, and somebody waits. */
const OUTSIDE_MS = 4_000;
const URLS_MAX = 50_000;
/** Visits of pages that only lead on: so many per page that is wanted. */
const PASSES_PER_PAGE = 1;
const PASSES_MIN = 20;

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
  const own = inShareOf(parts, request.tenant);
  const tools: WalkTools = {
    parts: own,
    request,
    options,
    robotsOf: createRobotsOfHosts(own),
    politeness,
    ending,
  };
  return openedSite(tools, await readStart(tools));
}

/** The same parts, fetching in the share of a tenant. */
function inShareOf(parts: SiteParts, tenant: Tenant): SiteParts {
  return {
    ...parts,
    fetch: (request) => parts.fetch({ ...request, tenant }),
    openPage: (url, options) => parts.openPage(url, { ...options, tenant }),
  };
}

async function openedSite(tools: WalkTools, { visited, sitemaps }: SiteStart): Promise<Site> {
  const { request, options, robotsOf, ending } = tools;
  const { finalUrl } = visited.outcome;
  const rules = createSiteRules(finalUrl, request.wishes);
  const { instructions } = request;
  const frontier = createSiteFrontier({
    ...{ rules, depthMax: request.depthMax, breadthMax: request.breadthMax, signal: ending },
    urlsMax: URLS_MAX,
    pagesMax: request.pagesMax,
    passesMax: Math.max(PASSES_MIN, PASSES_PER_PAGE * request.pagesMax),
    visitsLeaves: options.visitsLeaves,
    interestOf: (url, text) => instructions?.coverage(`${wordsOfAddress(url)} ${text}`) ?? 0,
    linkTexts: instructions === null ? () => new Map() : linkTexts,
  });
  const answer = createAnswer(rules, frontier);
  const start = frontier.begin(finalUrl);
  frontier.claim(visited.outcome.pageUrl, visited.outcome.title);
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
  const byPage = new Map<string, WalkedPage & { finalUrl: string; claims: string | null }>();
  return {
    async settle(visited) {
      const { outcome, read } = visited;
      const row = await frontier.settle(visited);
      if (row === null || read === null || outcome.state !== 'done') return;
      const { pageUrl, finalUrl, claims } = outcome;
      const usurper = byPage.get(pageUrl);
      if (usurper !== undefined) byPage.set(usurper.finalUrl, { ...usurper, url: usurper.finalUrl });
      const isNamed = rules.judge(pageUrl)?.wanted === true && hostKey(pageUrl) === hostKey(finalUrl);
      byPage.set(pageUrl, { row, page: read, finalUrl, claims, url: isNamed ? pageUrl : finalUrl });
    },
    count: () => byPage.size,
    pages() {
      const byUrl = new Map<string, WalkedPage>();
      for (const walked of byPage.values()) {
        if (walked.claims !== null && byPage.get(walked.claims)?.page.title === walked.page.title) continue;
        const url = frontier.spell(walked.url);
        if (!byUrl.has(url)) byUrl.set(url, { ...walked, url });
      }
      return [...byUrl.values()];
    },
  };
}

async function walk(
  { parts, robotsOf, politeness, ending }: WalkTools,
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
      const within = { ...visiting, scope, depthMax: null, takesPrivate: true };
      const isInside = rules.judge(row.url)?.inside !== false;
      const visited = await visitInTime(within, { row, isInside }, signal);
      if (visited.outcome.state === 'done' && visited.read !== null) await onRead?.(visited.read, signal);
      return visited;
    },
    async settle(batch) {
      for (const visited of batch) await answer.settle(visited);
      check();
    },
  });
}

/** A page of another site gets less time than one of the site, its robots.txt included. */
async function visitInTime(
  parts: VisitDeps,
  { row, isInside }: { row: FrontierRow; isInside: boolean },
  signal: AbortSignal,
): Promise<Visited> {
  if (isInside) return visit(parts, row, signal);
  try {
    return await visit(parts, row, AbortSignal.any([signal, AbortSignal.timeout(OUTSIDE_MS)]));
  } catch (error) {
    if (!(error instanceof Failure) || signal.aborted) throw error;
    return timedOut(row);
  }
}

/** Whether the page that stands where a redirect ended belongs to the walk: another site's page does only under its own host. */
function isOfWalk(rules: SiteRules, host: string, finalUrl: string): boolean {
  const verdict = rules.judge(finalUrl);
  return verdict !== null && (verdict.inside || hostKey(finalUrl) === host);
}
