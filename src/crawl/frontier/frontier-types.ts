import type { Selectable } from 'kysely';
import type { CrawlUrlTable } from '../../platform/store/tables.ts';

/** An address waiting to be visited. */
export type FrontierRow = Pick<
  Selectable<CrawlUrlTable>,
  'id' | 'url' | 'host' | 'depth' | 'attempts' | 'not_before'
>;

/** How a visit of a row ended, and the addresses that its page links to. */
export type VisitOutcome = { row: FrontierRow; found: string[] } & (
  | {
      state: 'done';
      pageUrl: string;
      title: string;
      /** Where a redirect ended. */
      finalUrl: string;
      /** The address that this page declares as its canonical one, if the page there has not been read; else null. */
      claims: string | null;
      /** Whether pages that claimed the address of this one, or were indexed under it, must be read again. */
      overrules: boolean;
    }
  | { state: 'duplicate'; pageUrl: string }
  | { state: 'skipped'; reason: string }
  | { state: 'failed'; reason: string }
  | { state: 'retry'; reason: string; notBefore: number }
);

export type StateCounts = Record<CrawlUrlTable['state'], number>;

/** Everything a crawl knows, kept in the store: settled rows are written, rows being visited are still pending there. */
export type Frontier = {
  /** True when an unfinished crawl from the same addresses was found. */
  readonly resumed: boolean;
  /** Hosts that may have a row to visit, those asked last at the end. */
  hosts(): Iterable<string>;
  /** All hosts of the crawl. */
  knownHosts(): Iterable<string>;
  /** Whether an address of the host has been visited, in an earlier run too. */
  hasVisited(host: string): boolean;
  counts(): StateCounts;
  /** Title by the address under which a page was indexed in this crawl. */
  titleOf(pageUrl: string): string | undefined;
  /** Whether a page at another address declared this one as its canonical one. */
  isClaimed(pageUrl: string): boolean;
  /** Notes at once that a page will be indexed at the address, or (null) that one declared it, for concurrent visits to see. */
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
  /** Whether this process may visit the host: not where another one has taken it over. */
  holds(host: string): boolean;
  /** The ids of those rows whose outcomes this process may write. */
  ours(rows: FrontierRow[]): Promise<Set<number>>;
  /** Writes outcomes and the addresses found in one transaction. */
  settle(outcomes: VisitOutcome[]): Promise<void>;
  reasons(): Promise<{ state: 'skipped' | 'failed'; reason: string; urls: number; example: string }[]>;
};
