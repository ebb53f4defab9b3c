import { toHostKey } from '../../text/urls/sites.ts';
import type { StateCounts, VisitOutcome } from './frontier-types.ts';
import { createUrlSet } from './url-set.ts';

/** The columns of a row that are kept in memory. */
export type KnownRow = {
  url: string;
  host: string;
  state: keyof StateCounts;
  page_url: string | null;
  title: string | null;
};

/** The addresses of a crawl in memory, so that a link found a thousand times costs no query. */
export type KnownUrls = {
  readonly counts: StateCounts;
  /** Title by the address under which a page was indexed. */
  readonly titles: Map<string, string>;
  /** Hosts with waiting rows; the host that a row was taken from most recently is last. */
  hosts(): Iterable<string>;
  /** Number of waiting rows of a host that are not taken. */
  pendingOf(host: string): number;
  /** Takes waiting rows of a host and moves the host to the end of the line; negative: gives them back. */
  takePending(host: string, rows: number): void;
  /** Adds the addresses that are new and within the bounds as pending, and returns them. */
  admit(urls: string[]): string[];
  settle(outcome: VisitOutcome): void;
};

/** Maximum queries per path; a path with more is a calendar or a filter, not pages. */
const QUERIES_PER_PATH_MAX = 200;

/** Knows `rows` of the store from the start. */
export function createKnownUrls(rows: readonly KnownRow[], urlsMax: number): KnownUrls {
  const seen = createSeenUrls(urlsMax);
  const waiting = new Map<string, number>();
  const titles = new Map<string, string>();
  const counts: StateCounts = { pending: 0, done: 0, duplicate: 0, skipped: 0, failed: 0 };
  const takePending = (host: string, taken: number): void => {
    const left = (waiting.get(host) ?? 0) - taken;
    // Inserting it again moves the host to the end of the line.
    if (taken > 0 || left <= 0) waiting.delete(host);
    if (left > 0) waiting.set(host, left);
  };
  for (const { url, host, state, page_url: pageUrl, title } of rows) {
    seen.remember(url);
    counts[state] += 1;
    if (state === 'pending') takePending(host, -1);
    if (state === 'done' && pageUrl !== null && title !== null) titles.set(pageUrl, title);
  }
  return {
    counts,
    titles,
    hosts: () => waiting.keys(),
    pendingOf: (host) => waiting.get(host) ?? 0,
    takePending,
    admit(urls) {
      const fresh = urls.filter((url) => {
        if (!seen.fits(url)) return false;
        seen.remember(url);
        return true;
      });
      for (const url of fresh) takePending(toHostKey(url), -1);
      counts.pending += fresh.length;
      return fresh;
    },
    settle(outcome) {
      if (outcome.state === 'retry') return takePending(outcome.row.host, -1);
      counts.pending -= 1;
      counts[outcome.state] += 1;
      // Visiting the start of a redirect has read its end as well.
      if (outcome.state === 'done') seen.remember(outcome.finalUrl);
    },
  };
}

/** Addresses found so far, within bounds. */
type SeenUrls = {
  remember(url: string): void;
  fits(url: string): boolean;
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
  };
}

function findQueryPath(url: string): string | null {
  const query = url.indexOf('?');
  return query === -1 ? null : url.slice(0, query);
}
