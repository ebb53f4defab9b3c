import { Failure } from '../../contract/errors.ts';
import { toIndexedPage } from '../../index/indexed-page.ts';
import type { IndexedPage } from '../../index/local-index-types.ts';
import { declaresAnother, privateAddresses } from '../../index/own-address.ts';
import type { Page } from '../../pages/article.ts';
import type { OpenOptions, OpenPage } from '../../pages/open-page-types.ts';
import type { Clock } from '../../platform/clock.ts';
import { crawlUrl } from '../../text/urls/url-spelling.ts';
import type { CrawlScope } from '../background/crawl-scope.ts';
import type { Frontier, FrontierRow, Settled } from '../frontier/frontier.ts';
import { isAllowed, type RobotsRules } from '../robots/robots.ts';
import type { RobotsOfHosts } from '../robots/robots-of-hosts.ts';
import type { Politeness } from './politeness.ts';

/** What a visit leads to, to be written together: the page into the index, the outcome into the frontier. */
export type Visited = {
  outcome: Settled;
  put: IndexedPage | null;
  remove: string[];
  /** The page as it was read, where it loaded; `put` is null beside it when another address already stands for it. */
  read: IndexedPage | null;
};

export type VisitDeps = {
  openPage: OpenPage;
  robotsOf: RobotsOfHosts;
  politeness: Politeness;
  scope: CrawlScope;
  clock: Clock;
  /** Whether a private page counts as read: for a walk that hands its pages to the caller alone. */
  takesPrivate?: boolean;
  pages: Pick<Frontier, 'titleOf' | 'claim' | 'isClaimed'>;
  /** Links of pages at this depth are not followed; null: no bound. */
  depthMax: number | null;
  /** A copy younger than this (milliseconds) is as good as the page; absent: the default of `openPage`. */
  freshMs?: number;
  /** Milliseconds for one page; absent: the default of `openPage`. */
  timeoutMs?: number;
};

/** Tries of one page: for what passes by itself, and for a host that asks to come later. */
const TRIES_MAX = 2;
const TRIES_MAX_PUSHED_BACK = 5;
const RETRY_MS = 5_000;

const PASSING = new Set(['timeout', 'connect', 'protocol', 'dns', 'overloaded']);

/** Visits one address; every expected failure is an outcome. Throws what is none, and when `signal` has ended the visit. */
export async function visit(parts: VisitDeps, row: FrontierRow, signal: AbortSignal): Promise<Visited> {
  const robots = await parts.robotsOf(row.url, signal);
  const now = parts.clock.now();
  if (!robots.reached) {
    if (robots.reason === 'http_status') parts.politeness.pushedBack(row.host, now, robots.retryAfterMs);
    const reason = robots.reason === 'http_status' ? 'robots_unreachable' : robots.reason;
    return lost(row, reason, retryAt(row, now, TRIES_MAX));
  }
  const { rules } = robots;
  if (rules.crawlDelayMs !== null) parts.politeness.askedDelay(row.host, rules.crawlDelayMs);
  if (!isAllowed(rules, row.url)) return skipped(row, 'robots_txt');
  try {
    const page = await parts.openPage(row.url, { signal, ...boundsOf(parts) });
    if (page.cache === 'stale') return lost(row, 'origin_failed', retryAt(row, now, TRIES_MAX));
    parts.politeness.answered(row.host);
    const finalUrl = crawlUrl(page.article.url) ?? row.url;
    if (!parts.scope.covers(finalUrl)) return skipped(row, 'redirected_elsewhere');
    if (!(await isAllowedThere(parts, { rules, row, finalUrl }, signal))) return skipped(row, 'robots_txt');
    return judge(parts, { row, page, finalUrl });
  } catch (error) {
    if (!(error instanceof Failure) || signal.aborted) throw error;
    return failed(parts, row, error);
  }
}

function boundsOf({ freshMs, timeoutMs }: VisitDeps): Partial<OpenOptions> {
  return { ...(freshMs === undefined ? {} : { freshMs }), ...(timeoutMs === undefined ? {} : { timeoutMs }) };
}

/** Where a redirect ended; another origin has a robots.txt of its own. */
async function isAllowedThere(
  parts: VisitDeps,
  { rules, row, finalUrl }: { rules: RobotsRules; row: FrontierRow; finalUrl: string },
  signal: AbortSignal,
): Promise<boolean> {
  if (new URL(finalUrl).origin === new URL(row.url).origin) return isAllowed(rules, finalUrl);
  const robots = await parts.robotsOf(finalUrl, signal);
  return robots.reached && isAllowed(robots.rules, finalUrl);
}

type Opened = { row: FrontierRow; page: Page; finalUrl: string };

function judge(parts: VisitDeps, { row, page, finalUrl }: Opened): Visited {
  const { article, privacy } = page;
  const follow = article.robots.follow && (parts.depthMax === null || row.depth < parts.depthMax);
  const found = follow ? parts.scope.toVisit(article.links) : [];
  if (privacy !== null && !parts.takesPrivate)
    return { ...skipped(row, privacy.reason, found), remove: privateAddresses(article, privacy) };
  const indexed = toIndexedPage(article, page.fetchedAt);
  const claims = claimOf(parts, article);
  if (claims?.isRead) {
    const outcome = { row, found, state: 'duplicate', pageUrl: claims.url } as const;
    return { outcome, put: null, remove: [indexed.url], read: indexed };
  }
  const { url: pageUrl, title } = indexed;
  if (claims !== null) {
    parts.pages.claim(claims.url, null);
    const named = [...new Set([...found, claims.url])];
    const outcome = { row, found: follow ? named : found, state: 'done', pageUrl, title, finalUrl } as const;
    return {
      outcome: { ...outcome, claims: claims.url, overrules: false },
      put: indexed,
      remove: [],
      read: indexed,
    };
  }
  return filed(parts, { row, found, finalUrl, indexed });
}

type Filed = { row: FrontierRow; found: string[]; finalUrl: string; indexed: IndexedPage };

/** A page under its own address; pages that claimed the address are read again. */
function filed({ pages }: VisitDeps, { row, found, finalUrl, indexed }: Filed): Visited {
  const { url: pageUrl, title } = indexed;
  const known = pages.titleOf(pageUrl);
  const put = { put: indexed, remove: [], read: indexed };
  if (known === title) return { outcome: { row, found, state: 'duplicate', pageUrl }, ...put };
  const overrules = known !== undefined || pages.isClaimed(pageUrl);
  pages.claim(pageUrl, title);
  const outcome = { row, found, state: 'done', pageUrl, title, finalUrl, claims: null, overrules } as const;
  return { outcome, ...put };
}

/**
 * The address that a page names as its canonical one, where that may be true: the page there was read and has the same
 * title, or it has yet to be read. Sites that name their front page on every page are common. A claim that proves true
 * costs the claiming page its place and never the named one.
 */
function claimOf(
  { pages, scope }: VisitDeps,
  article: Page['article'],
): { url: string; isRead: boolean } | null {
  const [url] = declaresAnother(article) ? scope.toVisit([article.canonicalUrl]) : [];
  if (url === undefined) return null;
  const title = pages.titleOf(url);
  if (title === undefined) return { url, isRead: false };
  return title === article.title ? { url, isRead: true } : null;
}

function failed(parts: VisitDeps, row: FrontierRow, failure: Failure): Visited {
  const now = parts.clock.now();
  const reason = failure.fetch?.reason ?? (failure.code === 'overloaded' ? 'overloaded' : 'not_allowed');
  const status = failure.fetch?.httpStatus ?? null;
  if (reason !== 'http_status' || status === null) {
    return lost(row, reason, PASSING.has(reason) ? retryAt(row, now, TRIES_MAX) : null);
  }
  if (status === 429 || status === 503) {
    parts.politeness.pushedBack(row.host, now, failure.fetch?.retryAfterMs ?? null);
    return lost(row, `http_${status}`, retryAt(row, now, TRIES_MAX_PUSHED_BACK));
  }
  const gone = status === 404 || status === 410;
  const retry = status >= 500 ? retryAt(row, now, TRIES_MAX) : null;
  return { ...lost(row, `http_${status}`, retry), remove: gone ? [row.url] : [] };
}

function retryAt(row: FrontierRow, now: number, triesMax: number): number | null {
  return row.attempts + 1 < triesMax ? now + RETRY_MS * (row.attempts + 1) : null;
}

function lost(row: FrontierRow, reason: string, notBefore: number | null): Visited {
  const outcome: Settled =
    notBefore === null
      ? { row, found: [], state: 'failed', reason }
      : { row, found: [], state: 'retry', reason, notBefore };
  return { outcome, put: null, remove: [], read: null };
}

/** What a visit led to that somebody else's time limit ended. */
export function timedOut(row: FrontierRow): Visited {
  return lost(row, 'timeout', null);
}

function skipped(row: FrontierRow, reason: string, found: string[] = []): Visited {
  return { outcome: { row, found, state: 'skipped', reason }, put: null, remove: [], read: null };
}
