import type { Selectable } from 'kysely';
import type { CrawlUrlTable } from '../../platform/store/tables.ts';
import { toHostKey } from '../../text/urls/sites.ts';
import type { FrontierRow, StateCounts, VisitOutcome } from './frontier-types.ts';
import { createUrlSet } from './url-set.ts';

/** The columns of a row that are kept in memory. */
export type KnownRow = Pick<Selectable<CrawlUrlTable>, 'url' | 'host' | 'state' | 'page_url' | 'title'>;

/** The addresses of a crawl in memory, so that a link found a thousand times costs no query. */
export type KnownUrls = {
  readonly counts: StateCounts;
  /** Title by the address under which a page was indexed. */
  readonly titles: Map<string, string>;
  /** Addresses that pages elsewhere declared as their canonical ones. */
  readonly claimed: Set<string>;
  /** Records the title of the page at an address; null: a page only declared the address. */
  claim(pageUrl: string, title: string | null): void;
  clear(): void;
  /** Adds rows of the store. */
  remember(rows: readonly KnownRow[]): void;
  /** Hosts with waiting rows; the host that a row was taken from most recently is last. */
  hosts(): Iterable<string>;
  /** Hosts with any rows. */
  knownHosts(): Iterable<string>;
  /** Returns whether a row of the host has been settled. */
  hasSettled(host: string): boolean;
  /** Number of waiting rows of a host that are not taken. */
  pendingOf(host: string): number;
  takePending(host: string, rows: number): void;
  /** Adds the addresses that are new and within the bounds as pending, and returns them. */
  admit(urls: string[]): string[];
  /** Adds the addresses that are new and within the bounds as skipped, and returns them. */
  skip(urls: string[]): string[];
  settle(outcome: VisitOutcome): void;
  /** Marks rows that were done as pending again. */
  reopen(rows: Pick<FrontierRow, 'host'>[]): void;
};

/** Maximum queries per path; a path with more is a calendar or a filter, not pages. */
const QUERIES_PER_PATH_MAX = 200;

/** Maximum addresses of a crawl, in total and per host. */
type UrlBounds = { urlsMax: number; hostUrlsMax?: number };

export function createKnownUrls({ urlsMax, hostUrlsMax = urlsMax }: UrlBounds): KnownUrls {
  const seen = createSeenUrls(urlsMax);
  const hosts = createHostCounts();
  const titles = new Map<string, string>();
  const claimed = new Set<string>();
  const counts: StateCounts = { pending: 0, done: 0, duplicate: 0, skipped: 0, failed: 0 };
  const claim = (pageUrl: string, title: string | null): void => {
    if (title === null) claimed.add(pageUrl);
    else titles.set(pageUrl, title);
  };
  const isNew = createUrlAdmission(seen, hosts, hostUrlsMax);
  return {
    counts,
    titles,
    claimed,
    claim,
    clear() {
      for (const known of [seen, hosts, titles, claimed]) known.clear();
      Object.assign(counts, { pending: 0, done: 0, duplicate: 0, skipped: 0, failed: 0 });
    },
    remember(rows) {
      for (const { url, host, state, page_url, title } of rows) {
        seen.remember(url);
        hosts.addUrl(host);
        if (state === 'pending') hosts.wait(host, 1);
        else hosts.markSettled(host);
        counts[state] += 1;
        if (state === 'done' && page_url !== null) claim(page_url, title);
      }
    },
    hosts: hosts.waiting,
    knownHosts: hosts.all,
    hasSettled: hosts.hasSettled,
    pendingOf: hosts.pendingOf,
    takePending: hosts.take,
    admit(urls) {
      const fresh = urls.filter(isNew);
      for (const url of fresh) hosts.wait(toHostKey(url), 1);
      counts.pending += fresh.length;
      return fresh;
    },
    skip(urls) {
      const fresh = urls.filter(isNew);
      for (const url of fresh) hosts.markSettled(toHostKey(url));
      counts.skipped += fresh.length;
      return fresh;
    },
    settle(outcome) {
      if (outcome.state === 'retry') return hosts.wait(outcome.row.host, 1);
      counts.pending -= 1;
      hosts.markSettled(outcome.row.host);
      counts[outcome.state] += 1;
      // Visiting the start of a redirect has read its end as well.
      if (outcome.state === 'done') seen.remember(outcome.finalUrl);
    },
    reopen(reopened) {
      for (const { host } of reopened) hosts.wait(host, 1);
      counts.done -= reopened.length;
      counts.pending += reopened.length;
    },
  };
}

/** The returned function records an address and returns true if it is new and within the bounds. */
function createUrlAdmission(
  seen: SeenUrls,
  hosts: HostCounts,
  hostUrlsMax: number,
): (url: string) => boolean {
  return (url) => {
    const host = toHostKey(url);
    if (!seen.fits(url) || hosts.urlsOf(host) >= hostUrlsMax) return false;
    seen.remember(url);
    hosts.addUrl(host);
    return true;
  };
}

/** Address counts per host: known, and waiting. */
type HostCounts = {
  addUrl(host: string): void;
  urlsOf(host: string): number;
  wait(host: string, more: number): void;
  /** Takes waiting rows of a host and moves the host to the end of the line. */
  take(host: string, rows: number): void;
  pendingOf(host: string): number;
  /** Hosts with waiting rows. */
  waiting(): Iterable<string>;
  all(): Iterable<string>;
  markSettled(host: string): void;
  hasSettled(host: string): boolean;
  clear(): void;
};

function createHostCounts(): HostCounts {
  const waiting = new Map<string, number>();
  const hosts = new Map<string, { urls: number; isSettled: boolean }>();
  return {
    addUrl(host) {
      const known = hosts.get(host);
      if (known === undefined) hosts.set(host, { urls: 1, isSettled: false });
      else known.urls += 1;
    },
    urlsOf: (host) => hosts.get(host)?.urls ?? 0,
    wait(host, more) {
      const left = (waiting.get(host) ?? 0) + more;
      if (left > 0) waiting.set(host, left);
      else waiting.delete(host);
    },
    take(host, rows) {
      const left = (waiting.get(host) ?? 0) - rows;
      // Inserting it again moves the host to the end of the line.
      waiting.delete(host);
      if (left > 0) waiting.set(host, left);
    },
    pendingOf: (host) => waiting.get(host) ?? 0,
    waiting: () => waiting.keys(),
    all: () => hosts.keys(),
    markSettled(host) {
      const known = hosts.get(host);
      if (known !== undefined) known.isSettled = true;
    },
    hasSettled: (host) => hosts.get(host)?.isSettled ?? false,
    clear() {
      waiting.clear();
      hosts.clear();
    },
  };
}

/** Addresses found so far, within bounds. */
type SeenUrls = {
  remember(url: string): void;
  fits(url: string): boolean;
  clear(): void;
};

/** Accepts at most `urlsMax` addresses, and at most QUERIES_PER_PATH_MAX queries per path. */
export function createSeenUrls(urlsMax: number): SeenUrls {
  const urls = createUrlSet();
  const queries = new Map<string, number>();
  return {
    remember(url) {
      if (urls.has(url)) return;
      urls.add(url);
      const path = findQueryPath(url);
      if (path !== null) queries.set(path, (queries.get(path) ?? 0) + 1);
    },
    fits(url) {
      if (urls.has(url) || urls.size >= urlsMax) return false;
      const path = findQueryPath(url);
      return path === null || (queries.get(path) ?? 0) < QUERIES_PER_PATH_MAX;
    },
    clear() {
      urls.clear();
      queries.clear();
    },
  };
}

function findQueryPath(url: string): string | null {
  const query = url.indexOf('?');
  return query === -1 ? null : url.slice(0, query);
}
