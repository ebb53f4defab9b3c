import type { Selectable } from 'kysely';
import type { CrawlUrlTable } from '../../platform/store/crawls/open-crawl-store.ts';

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
    }
  | { state: 'duplicate'; pageUrl: string }
  | { state: 'skipped'; reason: string }
  | { state: 'failed'; reason: string }
  | { state: 'retry'; reason: string; notBefore: number }
);

export type StateCounts = Record<CrawlUrlTable['state'], number>;

/** All addresses of a crawl, kept in the store. Settled rows are written; rows being visited are still pending there. */
export type Frontier = {
  readonly id: string;
  /** True when an unfinished crawl from the same addresses was found. */
  readonly resumed: boolean;
  /** Hosts of this process that may have a row to visit, those asked last at the end. */
  hosts(): Iterable<string>;
  /** All hosts of the crawl. */
  knownHosts(): Iterable<string>;
  /** Returns whether an address of the host had been visited when this process claimed it. */
  hasVisited(host: string): boolean;
  counts(): StateCounts;
  /** Title by the address under which a page was indexed in this crawl. */
  titleOf(pageUrl: string): string | undefined;
  /** Records at once that a page will be indexed at the address, so that concurrent visits see it. */
  claim(pageUrl: string, title: string): void;
  /** Adds addresses that are not known yet, within the bounds. */
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
  /** Claims hosts and renews leases where that is due. Call often; the first call starts taking part. */
  keep(): Promise<void>;
  /** Returns whether nothing is left for any process. */
  isOver(): boolean;
  /** Returns whether any process still wants the crawl. */
  isWanted(): boolean;
  /** Returns whether all remaining addresses are on hosts that pushed back too often. */
  isGivenUp(): boolean;
  /** Number of pages that this process may still begin or write. */
  pagesLeft(): number;
  /** Number of processes that read the crawl, including this one. */
  processes(): number;
  /** Releases the claimed hosts. */
  leave(): Promise<void>;
};
