import { Failure } from '../../contract/errors.ts';
import { toIndexedPage } from '../../index/indexed-page.ts';
import type { IndexedPage } from '../../index/local-index-types.ts';
import { hasOtherCanonicalUrl, listPrivateAddresses } from '../../index/own-address.ts';
import type { Page } from '../../pages/article.ts';
import type { OpenOptions, OpenPage } from '../../pages/open-page-types.ts';
import type { Clock } from '../../platform/clock.ts';
import { toCrawlUrl } from '../../text/urls/url-spelling.ts';
import type { Frontier, FrontierRow, VisitOutcome } from '../frontier/frontier-types.ts';
import type { Politeness } from '../frontier/politeness.ts';
import type { RobotsOfHosts } from '../robots/host-robots.ts';
import { isAllowed, type RobotsRules } from '../robots/robots.ts';

/** The result of a visit: `put` and `remove` are for the index, `outcome` is for the frontier; all are written in one batch. */
export type VisitResult = {
  outcome: VisitOutcome;
  put: IndexedPage | null;
  remove: string[];
  /** The page if it loaded, even if `put` is null because the page is indexed under another address. */
  read: IndexedPage | null;
};

/** Decides which addresses belong to a crawl. */
export type VisitScope = {
  covers(url: string): boolean;
  /** Links as written in a page -> the addresses to visit, as `toCrawlUrl` spells them, each once. */
  toVisit(links: string[]): string[];
};

export type VisitDeps = {
  openPage: OpenPage;
  robotsOf: RobotsOfHosts;
  politeness: Politeness;
  scope: VisitScope;
  clock: Clock;
  /** True for a site crawl, which may read private pages because it returns them only to its caller. */
  takesPrivate?: boolean;
  pages: Pick<Frontier, 'titleOf' | 'claim'>;
  /** Links of pages at this depth are not followed; null: no bound. */
  depthMax: number | null;
  /** Milliseconds for which a cached copy will do; absent: the default of `openPage`. */
  freshMs?: number;
  /** Milliseconds for one page; absent: the default of `openPage`. */
  timeoutMs?: number;
};

/** Attempts at one page: after a transient failure, and when the host asks for a later retry. */
const TRIES_MAX = 2;
const TRIES_MAX_PUSHED_BACK = 5;
const RETRY_MS = 5_000;

/** Failures that are transient. */
const PASSING = new Set(['timeout', 'connect', 'protocol', 'dns', 'overloaded']);

/** Visits one address. Expected failures are outcomes; throws any other, and when `signal` fires. */
export async function visitPage(
  deps: VisitDeps,
  row: FrontierRow,
  signal: AbortSignal,
): Promise<VisitResult> {
  const robots = await deps.robotsOf(row.url, signal);
  const now = deps.clock.now();
  if (!robots.reached) {
    if (robots.reason === 'http_status') deps.politeness.pushedBack(row.host, now, robots.retryAfterMs);
    const reason = robots.reason === 'http_status' ? 'robots_unreachable' : robots.reason;
    return buildFailedResult(row, reason, computeRetryTime(row, now, TRIES_MAX));
  }
  const { rules } = robots;
  if (rules.crawlDelayMs !== null) deps.politeness.askedDelay(row.host, rules.crawlDelayMs);
  if (!isAllowed(rules, row.url)) return buildSkippedResult(row, 'robots_txt');
  try {
    const askedAt = deps.clock.now();
    const page = await deps.openPage(row.url, { signal, elsewhere: false, ...pickOpenOptions(deps) });
    if (page.cache === 'stale')
      return buildFailedResult(row, 'origin_failed', computeRetryTime(row, now, TRIES_MAX));
    const tookMs = page.cache === 'miss' ? deps.clock.now() - askedAt : undefined;
    deps.politeness.answered(row.host, tookMs);
    const finalUrl = toCrawlUrl(page.article.url) ?? row.url;
    if (!deps.scope.covers(finalUrl)) return buildSkippedResult(row, 'redirected_elsewhere');
    if (!(await isAllowedThere(deps, { rules, row, finalUrl }, signal)))
      return buildSkippedResult(row, 'robots_txt');
    return buildVisitResult(deps, { row, page, finalUrl });
  } catch (error) {
    if (!(error instanceof Failure) || signal.aborted) throw error;
    return toFailureResult(deps, row, error);
  }
}

function pickOpenOptions({ freshMs, timeoutMs }: VisitDeps): Partial<OpenOptions> {
  return { ...(freshMs === undefined ? {} : { freshMs }), ...(timeoutMs === undefined ? {} : { timeoutMs }) };
}

/** Resolves to whether robots.txt allows the target of a redirect; another origin has its own robots.txt. */
async function isAllowedThere(
  deps: VisitDeps,
  { rules, row, finalUrl }: { rules: RobotsRules; row: FrontierRow; finalUrl: string },
  signal: AbortSignal,
): Promise<boolean> {
  if (new URL(finalUrl).origin === new URL(row.url).origin) return isAllowed(rules, finalUrl);
  const robots = await deps.robotsOf(finalUrl, signal);
  return robots.reached && isAllowed(robots.rules, finalUrl);
}

type VisitedPage = { row: FrontierRow; page: Page; finalUrl: string };

function buildVisitResult(deps: VisitDeps, { row, page, finalUrl }: VisitedPage): VisitResult {
  const { article, privacy } = page;
  const follow = article.robots.follow && (deps.depthMax === null || row.depth < deps.depthMax);
  const found = follow ? deps.scope.toVisit(article.links) : [];
  if (privacy !== null && !deps.takesPrivate)
    return {
      ...buildSkippedResult(row, privacy.reason, found),
      remove: listPrivateAddresses(article, privacy),
    };
  const indexed = toIndexedPage(article, page.fetchedAt);
  const claims = findCanonicalClaim(deps, article);
  if (claims?.isRead) {
    const outcome = { row, found, state: 'duplicate', pageUrl: claims.url } as const;
    return { outcome, put: null, remove: [indexed.url], read: indexed };
  }
  const { url: pageUrl, title } = indexed;
  if (claims !== null) {
    const named = [...new Set([...found, claims.url])];
    const outcome = { row, found: follow ? named : found, state: 'done', pageUrl, title, finalUrl } as const;
    return {
      outcome: { ...outcome, claims: claims.url },
      put: indexed,
      remove: [],
      read: indexed,
    };
  }
  return buildIndexedResult(deps, { row, found, finalUrl, indexed });
}

type IndexedVisit = { row: FrontierRow; found: string[]; finalUrl: string; indexed: IndexedPage };

/** Indexes a page under its own address. */
function buildIndexedResult(
  { pages }: VisitDeps,
  { row, found, finalUrl, indexed }: IndexedVisit,
): VisitResult {
  const { url: pageUrl, title } = indexed;
  const known = pages.titleOf(pageUrl);
  const put = { put: indexed, remove: [], read: indexed };
  if (known === title) return { outcome: { row, found, state: 'duplicate', pageUrl }, ...put };
  pages.claim(pageUrl, title);
  const outcome = { row, found, state: 'done', pageUrl, title, finalUrl, claims: null } as const;
  return { outcome, ...put };
}

/**
 * Returns the address that a page declares as its canonical one, if the claim is plausible: the page there has the same title, or has not
 * been read yet. Many sites declare their front page on every page. A claim that turns out to be true removes the claiming
 * page and never the declared one.
 */
function findCanonicalClaim(
  { pages, scope }: VisitDeps,
  article: Page['article'],
): { url: string; isRead: boolean } | null {
  const [url] = hasOtherCanonicalUrl(article) ? scope.toVisit([article.canonicalUrl]) : [];
  if (url === undefined) return null;
  const title = pages.titleOf(url);
  if (title === undefined) return { url, isRead: false };
  return title === article.title ? { url, isRead: true } : null;
}

function toFailureResult(deps: VisitDeps, row: FrontierRow, failure: Failure): VisitResult {
  const now = deps.clock.now();
  const reason = failure.fetch?.reason ?? (failure.code === 'overloaded' ? 'overloaded' : 'not_allowed');
  const status = failure.fetch?.httpStatus ?? null;
  if (reason !== 'http_status' || status === null) {
    return buildFailedResult(row, reason, PASSING.has(reason) ? computeRetryTime(row, now, TRIES_MAX) : null);
  }
  if (status === 429 || status === 503) {
    deps.politeness.pushedBack(row.host, now, failure.fetch?.retryAfterMs ?? null);
    return buildFailedResult(row, `http_${status}`, computeRetryTime(row, now, TRIES_MAX_PUSHED_BACK));
  }
  const gone = status === 404 || status === 410;
  const retry = status >= 500 ? computeRetryTime(row, now, TRIES_MAX) : null;
  return { ...buildFailedResult(row, `http_${status}`, retry), remove: gone ? [row.url] : [] };
}

function computeRetryTime(row: FrontierRow, now: number, triesMax: number): number | null {
  return row.attempts + 1 < triesMax ? now + RETRY_MS * (row.attempts + 1) : null;
}

function buildFailedResult(row: FrontierRow, reason: string, notBefore: number | null): VisitResult {
  const outcome: VisitOutcome =
    notBefore === null
      ? { row, found: [], state: 'failed', reason }
      : { row, found: [], state: 'retry', reason, notBefore };
  return { outcome, put: null, remove: [], read: null };
}

/** Builds the result of a visit that the caller's time limit ended. */
export function buildTimeoutResult(row: FrontierRow): VisitResult {
  return buildFailedResult(row, 'timeout', null);
}

function buildSkippedResult(row: FrontierRow, reason: string, found: string[] = []): VisitResult {
  return { outcome: { row, found, state: 'skipped', reason }, put: null, remove: [], read: null };
}
