import type { Selectable } from 'kysely';
import type { CrawlUrlTable } from '../../platform/store/tables.ts';
import { hostKey } from '../../text/urls/sites.ts';
import type { FrontierRow, Settled, StateCounts } from './frontier.ts';

/** A row of the frontier, as far as it is known in memory. */
export type KnownRow = Pick<Selectable<CrawlUrlTable>, 'url' | 'host' | 'state' | 'page_url' | 'title'>;

/** What a crawl knows in memory, so that a link met a thousand times costs no query. */
export type KnownUrls = {
  readonly counts: StateCounts;
  /** Title by the address under which a page was indexed. */
  readonly titles: Map<string, string>;
  /** Addresses that pages which stand elsewhere named as their canonical ones. */
  readonly claimed: Set<string>;
  /** Notes the title of the page at an address; null: the address was only named. */
  claim(pageUrl: string, title: string | null): void;
  clear(): void;
  hosts(): string[];
  /** Rows of a host that wait and are not taken. */
  pendingOf(host: string): number;
  takePending(host: string, rows: number): void;
  /** The addresses that are new and fit the bounds; they count as known and pending from now on. */
  admit(urls: string[]): string[];
  settle(outcome: Settled): void;
  /** Rows that were done are to be visited again. */
  reopen(rows: Pick<FrontierRow, 'host'>[]): void;
};

/** Queries of one path beyond this are a calendar or a filter, not pages. */
const QUERIES_PER_PATH_MAX = 200;

/** What the store knows of a crawl, in memory. `urlsMax` bounds the addresses of the whole crawl. */
export function createKnownUrls(rows: KnownRow[], urlsMax: number): KnownUrls {
  const seen = createSeen(urlsMax);
  const waiting = new Map<string, number>();
  const titles = new Map<string, string>();
  const claimed = new Set<string>();
  const counts: StateCounts = { pending: 0, done: 0, duplicate: 0, skipped: 0, failed: 0 };
  const wait = (host: string, more: number): void => {
    waiting.set(host, (waiting.get(host) ?? 0) + more);
  };
  const claim = (pageUrl: string, title: string | null): void => {
    if (title === null) claimed.add(pageUrl);
    else titles.set(pageUrl, title);
  };
  for (const { url, host, state, page_url, title } of rows) {
    seen.remember(url);
    wait(host, state === 'pending' ? 1 : 0);
    counts[state] += 1;
    if (state === 'done' && page_url !== null) claim(page_url, title);
  }
  return {
    counts,
    titles,
    claimed,
    claim,
    clear() {
      for (const known of [seen, waiting, titles, claimed]) known.clear();
      Object.assign(counts, { pending: 0, done: 0, duplicate: 0, skipped: 0, failed: 0 });
    },
    hosts: () => [...waiting.keys()],
    pendingOf: (host) => waiting.get(host) ?? 0,
    takePending: (host, taken) => wait(host, -taken),
    admit(urls) {
      const fresh: string[] = [];
      for (const url of urls) {
        if (!seen.fits(url)) continue;
        seen.remember(url);
        wait(hostKey(url), 1);
        fresh.push(url);
      }
      counts.pending += fresh.length;
      return fresh;
    },
    settle(outcome) {
      if (outcome.state === 'retry') {
        wait(outcome.row.host, 1);
        return;
      }
      counts.pending -= 1;
      counts[outcome.state] += 1;
      if (outcome.state !== 'done') return;
      // Where a redirect ended has been read by reading where it began.
      seen.remember(outcome.finalUrl);
    },
    reopen(reopened) {
      for (const { host } of reopened) wait(host, 1);
      counts.done -= reopened.length;
      counts.pending += reopened.length;
    },
  };
}

/** Addresses met so far, within bounds. */
type Seen = {
  remember(url: string): void;
  fits(url: string): boolean;
  clear(): void;
};

/** `urlsMax` bounds the addresses; of one path with many queries only the first QUERIES_PER_PATH_MAX fit. */
export function createSeen(urlsMax: number): Seen {
  const urls = new Set<string>();
  const queries = new Map<string, number>();
  return {
    remember(url) {
      if (urls.has(url)) return;
      urls.add(url);
      const path = pathWithQuery(url);
      if (path !== null) queries.set(path, (queries.get(path) ?? 0) + 1);
    },
    fits(url) {
      if (urls.has(url) || urls.size >= urlsMax) return false;
      const path = pathWithQuery(url);
      return path === null || (queries.get(path) ?? 0) < QUERIES_PER_PATH_MAX;
    },
    clear() {
      urls.clear();
      queries.clear();
    },
  };
}

function pathWithQuery(url: string): string | null {
  const query = url.indexOf('?');
  return query === -1 ? null : url.slice(0, query);
}
