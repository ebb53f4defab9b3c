import type { Filters } from '../text/query/filters.ts';
import type { Query } from '../text/query/read-query.ts';
import type { TermFrequencies } from '../text/query/topic-terms.ts';
import type {
  HostRanking,
  HostStanding,
  OutlinesStep,
  StandingsPart,
  StandingsQuery,
} from './hosts/host-types.ts';

/** What an answer is about: the texts that were searched for, and the pages it shows. */
export type AnswerSubject = {
  texts: readonly string[];
  urls: ReadonlySet<string>;
  /** The readings that the answer was made from: addresses of pages, and when they were fetched. */
  read: ReadonlyMap<string, number>;
};

/** What a page declares of itself: the day of its last change, its canonical address where it is another, its picture and its icon. */
export type PageMetadata = {
  modifiedDay: string | null;
  canonicalUrl: string | null;
  image: string | null;
  favicon: string | null;
};

/** The corpus that a page was imported from, and its licence as the corpus words it; null if it states none. */
export type PageOrigin = { source: string; licence: string | null };

/** A page as the index keeps it; its key is `url` (the canonical address). */
export type IndexedPage = {
  url: string;
  title: string;
  headings: string[];
  markdown: string;
  publishedDay: string | null;
  language: string | null;
  site: string | null;
  author: string | null;
  /** Absent if the page declares nothing, or was written by an earlier version. */
  declared?: PageMetadata;
  /** Absent unless the page was imported from a corpus. */
  origin?: PageOrigin;
  /** Characters of the source the Markdown was made from. */
  rawChars: number;
  /** Milliseconds since the epoch. */
  fetchedAt: number;
};

export type IndexQuery = Filters & { query: Query; limit: number };

/**
 * A found page; `score` is the probability that it is relevant, descending, near-duplicates already folded into their best.
 * Those that are unlikely to be relevant are `isWeak`; they come last.
 */
export type FoundPage = {
  url: string;
  title: string;
  snippet: string;
  publishedDay: string | null;
  score: number;
  isWeak: boolean;
  /** As of the `IndexedPage`. */
  declared?: PageMetadata;
  origin?: PageOrigin;
};

/** How many of the pages of an older index are taken over into this one. */
export type Rebuilding = { pages: number; of: number };

/** Where an index is kept: the path of a file, or the addresses of a cluster without credentials. */
export type IndexPlace = { engine: 'sqlite' | 'opensearch'; at: string };

/** Which pages are meant: one page in every spelling of its address, a host with its subdomains, or all addresses that begin with a text. */
export type PageSelector = { url: string } | { host: string } | { prefix: string };

/** A page as lists show it; times in milliseconds since the epoch. */
export type HeldPage = { url: string; title: string; fetchedAt: number; usedAt: number; bytes: number };

/** What the index holds. */
export type IndexStats = {
  pages: number;
  hosts: number;
  /** Of the file and its log. */
  bytes: number;
  /** Of the texts alone, with their words; about. */
  textBytes: number;
  /** Pages by age: fetched at most so many days ago, the youngest first; null: older than all others. */
  ages: { daysMax: number | null; pages: number }[];
  languages: { language: string; pages: number }[];
  largestHosts: { host: string; pages: number }[];
};

/** Which pages, from which address on (exclusive), and how many. */
export type HoldingsQuery = { selector: PageSelector | null; after: string | null; limit: number };

/**
 * The local index behind one small interface, so that a bigger engine can stand behind it.
 * Calls are answered by worker threads and do not block the event loop; it reads `version` and `epoch` itself, which takes microseconds.
 */
export type LocalIndex = {
  place(): IndexPlace;
  /** Inserts or replaces by `url`. Resolves once committed: the pages are searchable and survive a kill. */
  put(pages: IndexedPage[]): Promise<void>;
  /** Deletes by `url`; resolves to how many there were. */
  remove(urls: string[]): Promise<number>;
  /** Deletes the selected pages; resolves to how many there were. `epoch` changes even if there were none, because copies may be elsewhere. */
  forget(selector: PageSelector): Promise<number>;
  /** Resolves when the file keeps to its bound and holds no word of what was forgotten. */
  tidy(): Promise<void>;
  get(url: string): Promise<IndexedPage | null>;
  /** Rejects when the signal fires; the search is given up, as far as it has not begun or waits for others. */
  search(query: IndexQuery, signal?: AbortSignal): Promise<FoundPage[]>;
  /** In how many pages each term stands (terms as `wordsOf` gives them, at most some thousands), and how many pages there are. */
  frequencies(terms: string[]): Promise<TermFrequencies>;
  /** Names a state of the index: up to the first stroke it changes with every committed change, by whichever process. */
  version(): string | Promise<string>;
  /** Whether all that changed between two versions are pages that have nothing to do with the subject; false if that is not known. */
  isUnaffected(since: string, now: string, subject: AnswerSubject): Promise<boolean>;
  /** Changes whenever something was forgotten, by whichever process: copies in memory must be dropped. */
  epoch(): number | Promise<number>;
  size(): Promise<{ pages: number; hosts: number }>;
  /** Pages in the order of their addresses. */
  list(query: HoldingsQuery): Promise<HeldPage[]>;
  /** The pages that were fetched last, the newest first. */
  recent(limit: number): Promise<HeldPage[]>;
  pages(query: HoldingsQuery): Promise<IndexedPage[]>;
  stats(): Promise<IndexStats>;
  /** What ranking hosts reads of pages, in the order of their addresses. */
  outlines(query: HoldingsQuery): Promise<OutlinesStep>;
  /** Keeps a part of a ranking of hosts; the last part makes it the one in force. */
  putStandings(part: StandingsPart): Promise<void>;
  /** The last complete ranking of hosts; null: there was none. */
  hostRanking(): Promise<HostRanking | null>;
  standings(query: StandingsQuery): Promise<HostStanding[]>;
  /** Notes that the pages were shown in results or read, so that others are dropped before them. Unknown addresses are ignored. */
  use(urls: string[]): Promise<void>;
  /** Addresses whose next visit is due, the longest overdue first. */
  due(limit: number): Promise<string[]>;
  /** Notes that the origin has confirmed a page as unchanged. */
  confirm(pages: { url: string; fetchedAt: number }[]): Promise<void>;
  /** Puts off the next visits to a time in milliseconds since the epoch. */
  postpone(urls: string[], until: number): Promise<void>;
  /** Compares the tables with each other and with the postings; empty when all agree. */
  problems(): Promise<string[]>;
  /** Null unless the index is being rebuilt: until then searches find only a part of its pages. */
  rebuilding(): Rebuilding | null;
  /** Resolves when the index is rebuilt, or closed. */
  rebuilt(): Promise<void>;
  /** Before what uses the index is closed: calls that wait for another machine fail soon. Absent where none does. */
  endSoon?(): void;
  close(): Promise<void>;
};
