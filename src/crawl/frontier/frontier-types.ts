import type { Selectable } from 'kysely';
import type { CrawlUrlTable } from '../../platform/store/tables.ts';

/** An address waiting to be visited. */
export type FrontierRow = Pick<
  Selectable<CrawlUrlTable>,
  'id' | 'url' | 'host' | 'depth' | 'attempts' | 'not_before'
>;

/** The outcome of visiting a row, and the addresses that its page links to. */
export type VisitOutcome = { row: FrontierRow; found: string[] } & (
  | {
      state: 'done';
      pageUrl: string;
      title: string;
      /** The address after redirects. */
      finalUrl: string;
      /** The address that this page declares as its canonical one, if the page there has not been read; else null. */
      claims: string | null;
      /** True if pages that claimed this page's address, or were indexed under it, must be read again. */
      overrules: boolean;
    }
  | { state: 'duplicate'; pageUrl: string }
  | { state: 'skipped'; reason: string }
  | { state: 'failed'; reason: string }
  | { state: 'retry'; reason: string; notBefore: number }
);

export type StateCounts = Record<CrawlUrlTable['state'], number>;

/** All addresses of a crawl, kept in the store. Settled rows are written; rows being visited are still pending there. */
export type Frontier = {
  /** True when an unfinished crawl from the same addresses was found. */
  readonly resumed: boolean;
  /** Hosts that may have a row to visit, those asked last at the end. */
  hosts(): Iterable<string>;
  /** All hosts of the crawl. */
  knownHosts(): Iterable<string>;
  /** Returns whether an address of the host has been visited, in this run or an earlier one. */
  hasVisited(host: string): boolean;
  counts(): StateCounts;
  /** Title by the address under which a page was indexed in this crawl. */
  titleOf(pageUrl: string): string | undefined;
  /** Returns whether a page at another address declared this address as its canonical one. */
  isClaimed(pageUrl: string): boolean;
  /** Records at once that a page will be indexed at the address, or (null) that a page declared it, so that concurrent visits see it. */
  claim(pageUrl: string, title: string | null): void;
  /** Adds addresses that are not known yet, within the bound. */
  add(urls: string[], depth: number): Promise<void>;
  /** Adds addresses that are not known yet as skipped: they are not visited. */
  skip(urls: string[], reason: string): Promise<void>;
  /** The next row of a host in breadth-first order, retries last; the same one until it is taken. */
  peek(host: string): Promise<FrontierRow | null>;
  take(row: FrontierRow): void;
  /** Returns a taken row unvisited. */
  putBack(row: FrontierRow): void;
  /** Returns whether this process may visit the host; false once another process has taken it over. */
  holds(host: string): boolean;
  /** The ids of those rows whose outcomes this process may write. */
  ours(rows: FrontierRow[]): Promise<Set<number>>;
  /** Writes outcomes and the addresses found in one transaction. */
  settle(outcomes: VisitOutcome[]): Promise<void>;
  reasons(): Promise<{ state: 'skipped' | 'failed'; reason: string; urls: number; example: string }[]>;
};
