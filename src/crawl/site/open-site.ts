/**
 * A site that is read for one request, with its frontier in memory: what `createSiteCrawl` and `createSiteMap` share. A page that fails
 * never makes it fail, only the start page does. Nothing survives the request; see `crawl/background` for crawls into the index.
 */
import { createHash } from 'node:crypto';
import { Failure } from '../../contract/errors.ts';
import type { IndexedPage } from '../../index/local-index-types.ts';
import { toVisibleText } from '../../text/markup/visible-text.ts';
import { toCrawlableUrl } from '../../text/urls/crawlable.ts';
import { hasPublicName, toHostKey } from '../../text/urls/sites.ts';
import type { Frontier, FrontierRow } from '../frontier/frontier-types.ts';
import { createNoiseParameters } from '../frontier/noise-parameters.ts';
import { createPoliteness } from '../frontier/politeness.ts';
import { createRobotsOfHosts } from '../robots/host-robots.ts';
import { isAllowed } from '../robots/robots.ts';
import { visitAll, waitForTimer } from '../visit/visit-all.ts';
import { buildTimeoutResult, type VisitDeps, type VisitResult, visitPage } from '../visit/visit-page.ts';
import { extractAddressWords, extractLinkTexts } from './instructions.ts';
import { PAGE_MS, readStart, type SiteStart } from './read-start.ts';
import { createSiteQueues } from './site-queues.ts';
import { createSiteRows, type SiteRowsOptions } from './site-rows.ts';
import { createSiteRules, type SiteRules } from './site-rules.ts';
import type { SiteContext, SiteDeps, SiteOptions, SiteRequest, SiteRow } from './site-types.ts';

const LINKS_PER_PAGE_MAX = 5_000;

const DIGEST_CHARS = 50_000;

/** A page that was read, with its address in the answer. */
export type SitePage = { row: SiteRow; url: string; page: IndexedPage };

type VisitBounds = {
  /** Maximum wanted pages to read, including the start page. */
  pagesMax: number;
  /** Returns whether the crawl may end; called after each batch of visits. */
  isEnough(): boolean | Promise<boolean>;
  /** Awaited for each page that was read, before the page is settled. */
  onRead?(page: IndexedPage, signal: AbortSignal): Promise<void>;
};

/** A site whose start page has been read. */
export type Site = {
  frontier: SiteFrontier;
  /** Returns whether robots.txt of the start page's origin allows the address; true for other origins, whose robots.txt was not read. */
  mayRead(url: string): boolean;
  /** Returns the wanted pages in the order in which they were read, each address once. */
  pages(): SitePage[];
  /** Visits pages until there are enough or the time is up. A page that fails never makes it reject. */
  visitPages(bounds: VisitBounds): Promise<void>;
};

/** Delay between two requests to a public host, and concurrent requests to one host. Faster than a background crawl: a caller waits. */
const DELAY_MS = 100;
const PER_HOST_MAX = 4;
/** Time limit for a page of another site. */
const OUTSIDE_MS = 4_000;
const URLS_MAX = 50_000;
/** Maximum visits of unwanted pages that lead to others, per wanted page. */
const PASSES_PER_PAGE = 1;
const PASSES_MIN = 20;

/**
 * Reads the start page and the sitemaps of a site. Throws `Failure('url_not_allowed')`, and `Failure('fetch_failed')` when the
 * start page cannot be read or its robots.txt forbids it.
 */
export async function openSite(deps: SiteDeps, request: SiteRequest, options: SiteOptions): Promise<Site> {
  const { signal, budgetMs } = request;
  const ending = AbortSignal.any([signal, AbortSignal.timeout(budgetMs)]);
  const politeness = createPoliteness((host) => ({
    perHostMax: PER_HOST_MAX,
    delayMs: hasPublicName(`http://${host}`) ? DELAY_MS : 0,
  }));
  const sharing = bindTenant(deps, request);
  const context: SiteContext = {
    deps: sharing,
    request,
    options,
    robotsOf: createRobotsOfHosts(sharing),
    politeness,
    ending,
  };
  return createSite(context, await readStart(context));
}

/** Returns dependencies that fetch on behalf of the request's tenant, and keep pages only if the request allows it. */
function bindTenant(deps: SiteDeps, { tenant, keep }: SiteRequest): SiteDeps {
  return {
    ...deps,
    fetch: (request) => deps.fetch({ ...request, tenant }),
    openPage: (url, options) => deps.openPage(url, { ...options, tenant, keep }),
  };
}

async function createSite(context: SiteContext, { visited, sitemaps }: SiteStart): Promise<Site> {
  const { request, options, robotsOf, ending } = context;
  const { finalUrl } = visited.outcome;
  const rules = createSiteRules(finalUrl, request.filters);
  const { instructions } = request;
  const frontier = createSiteFrontier({
    rules,
    depthMax: request.depthMax,
    breadthMax: request.breadthMax,
    signal: ending,
    urlsMax: URLS_MAX,
    pagesMax: request.pagesMax,
    passesMax: Math.max(PASSES_MIN, PASSES_PER_PAGE * request.pagesMax),
    visitsLeaves: options.visitsLeaves,
    interestOf: (url, text) => instructions?.coverage(`${extractAddressWords(url)} ${text}`) ?? 0,
    linkTexts: instructions === null ? () => new Map() : extractLinkTexts,
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
    visitPages: (bounds) => visitPages(context, { rules, frontier, answer }, bounds),
  };
}

type SiteAnswer = { settle(visited: VisitResult): Promise<void>; count(): number; pages(): SitePage[] };

/** Collects the wanted pages, each under one address. */
function createAnswer(rules: SiteRules, frontier: SiteFrontier): SiteAnswer {
  /** Pages by the address that they are indexed under. */
  const byPage = new Map<string, SitePage & { finalUrl: string; claims: string | null }>();
  return {
    async settle(visited) {
      const { outcome, read } = visited;
      const row = await frontier.settle(visited);
      if (row === null || read === null || outcome.state !== 'done') return;
      const { pageUrl, finalUrl, claims } = outcome;
      const claimant = byPage.get(pageUrl);
      if (claimant !== undefined) byPage.set(claimant.finalUrl, { ...claimant, url: claimant.finalUrl });
      const isOwnName = rules.judge(pageUrl)?.wanted === true && toHostKey(pageUrl) === toHostKey(finalUrl);
      byPage.set(pageUrl, { row, page: read, finalUrl, claims, url: isOwnName ? pageUrl : finalUrl });
    },
    count: () => byPage.size,
    pages() {
      const byUrl = new Map<string, SitePage>();
      for (const read of byPage.values()) {
        if (read.claims !== null && byPage.get(read.claims)?.page.title === read.page.title) continue;
        const url = frontier.spell(read.url);
        if (!byUrl.has(url)) byUrl.set(url, { ...read, url });
      }
      return [...byUrl.values()];
    },
  };
}

async function visitPages(
  { deps, robotsOf, politeness, ending }: SiteContext,
  { rules, frontier, answer }: { rules: SiteRules; frontier: SiteFrontier; answer: SiteAnswer },
  { pagesMax, isEnough, onRead }: VisitBounds,
): Promise<void> {
  const enough = new AbortController();
  const check = async (): Promise<void> => {
    if (await isEnough()) enough.abort();
  };
  const { openPage, steady: clock } = deps;
  const visiting = { openPage, robotsOf, politeness, clock, pages: frontier, timeoutMs: PAGE_MS };
  await check();
  await visitAll({
    frontier,
    politeness,
    clock,
    wait: deps.wait ?? waitForTimer,
    pagesLeft: () => pagesMax - answer.count(),
    signal: AbortSignal.any([ending, enough.signal]),
    async visit(row, signal) {
      const scope = {
        covers: (url: string) => isInCrawl(rules, row.host, url),
        toVisit: (links: string[]) => links,
      };
      const within = { ...visiting, scope, depthMax: null, takesPrivate: true };
      const isInside = rules.judge(row.url)?.inside !== false;
      const visited = await visitWithTimeout(within, { row, isInside }, signal);
      if (visited.outcome.state === 'done' && visited.read !== null) await onRead?.(visited.read, signal);
      return visited;
    },
    async settle(batch) {
      for (const visited of batch) await answer.settle(visited);
      await check();
    },
  });
}

/** Visits a page; a page of another site gets at most OUTSIDE_MS, including its robots.txt. */
async function visitWithTimeout(
  deps: VisitDeps,
  { row, isInside }: { row: FrontierRow; isInside: boolean },
  signal: AbortSignal,
): Promise<VisitResult> {
  if (isInside) return visitPage(deps, row, signal);
  try {
    return await visitPage(deps, row, AbortSignal.any([signal, AbortSignal.timeout(OUTSIDE_MS)]));
  } catch (error) {
    if (!(error instanceof Failure) || signal.aborted) throw error;
    return buildTimeoutResult(row);
  }
}

/** Returns whether the target of a redirect belongs to the crawl; on another site, it must be on the requested host. */
function isInCrawl(rules: SiteRules, host: string, finalUrl: string): boolean {
  const verdict = rules.judge(finalUrl);
  return verdict !== null && (verdict.inside || toHostKey(finalUrl) === host);
}

/** The frontier of one site crawl, in memory. */
type SiteFrontier = Pick<Frontier, 'hosts' | 'peek' | 'take' | 'putBack' | 'titleOf' | 'claim'> & {
  /** Adds the start address and takes it. */
  begin(url: string): SiteRow;
  /** Adds addresses from outside the pages, such as those of sitemaps. */
  add(urls: string[], depthOf: (url: string) => number): Promise<void>;
  /** Records a visit. Returns its row when the page is new and wanted, else null. */
  settle(visited: VisitResult): Promise<SiteRow | null>;
  /** Returns the address without parameters that are known not to change the page. */
  spell(url: string): string;
  rows(): SiteRow[];
};

type SiteFrontierOptions = SiteRowsOptions & {
  /** Maximum pages in the answer of the crawl. */
  pagesMax: number;
  /** Visits of pages that are not wanted but lead to others. */
  passesMax: number;
  /** True if pages are visited even if their links are not followed: a crawl reads such pages, a map only lists them. */
  visitsLeaves: boolean;
  /** Returns the text of each link of a page. */
  linkTexts(markdown: string): Map<string, string>;
};

function createSiteFrontier(options: SiteFrontierOptions): SiteFrontier {
  const titles = new Map<string, string>();
  const noise = createNoiseParameters();
  let done = 0;
  const queues = createSiteQueues({
    ...options,
    room: () => options.pagesMax - done,
    // True for a row found before the parameter was known to be noise: its page is known under another address.
    isSpent: ({ url }) => noise.strip(url) !== url && rows.get(noise.strip(url)) !== undefined,
  });
  const rows = createSiteRows(options, { queues, noise });
  const judge = options.rules.judge;
  return {
    hosts: queues.hosts,
    peek: queues.peek,
    take: queues.take,
    putBack: queues.putBack,
    titleOf: (url) => titles.get(url),
    // No page is read twice: the answer leaves out a page whose claim turns out to be true.
    claim: (url, title) => void titles.set(url, title),
    spell: noise.strip,
    rows: rows.all,
    add: rows.admit,
    begin(url) {
      const verdict = judge(url) ?? { inside: true, wanted: false };
      const row = rows.insert(url, 0, { verdict, interest: 0 });
      if (row === null) throw new Error('a site crawl begins once');
      queues.take(row);
      return row;
    },
    async settle({ outcome, read }) {
      const row = rows.get(outcome.row.url);
      if (row === undefined) throw new Error('the visit is of another site crawl');
      if (outcome.state === 'retry' && shouldRetry(row, outcome.reason)) {
        queues.retry(row, outcome.notBefore);
        return null;
      }
      queues.settled(row);
      const isCopy = read !== null && noise.note(row.url, computeTextDigest(read));
      if (outcome.state === 'done') {
        rows.foundAt(row, outcome.finalUrl);
        row.verdict = judge(outcome.finalUrl) ?? row.verdict;
        if (!isCopy) row.state = 'done';
      }
      row.links = normalizeLinks(outcome.found);
      await rows.follow(row, options.linkTexts(read?.markdown ?? ''));
      if (row.state !== 'done' || !row.verdict.wanted) return null;
      done += 1;
      return row;
    },
  };
}

/** Pages of other sites and pages that timed out are not retried, because a caller waits. */
function shouldRetry({ verdict }: SiteRow, reason: string): boolean {
  return verdict.inside && reason !== 'timeout';
}

/** Computes a digest of the page's text, ignoring link targets. */
function computeTextDigest({ title, markdown }: IndexedPage): string {
  const text = toVisibleText(markdown.slice(0, DIGEST_CHARS));
  return createHash('sha256')
    .update(`${title}\n${markdown.length > DIGEST_CHARS ? markdown.length : ''}\n${text}`)
    .digest('base64');
}

function normalizeLinks(links: string[]): string[] {
  const urls = links.slice(0, LINKS_PER_PAGE_MAX).map(toCrawlableUrl);
  return [...new Set(urls.filter((url) => url !== null))];
}
