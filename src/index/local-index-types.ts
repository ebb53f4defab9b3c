import type { Filters } from '../text/query/filters.ts';
import type { PageLibrary } from '../text/query/library-filter.ts';
import type { Query } from '../text/query/read-query.ts';
import type { TermFrequencies } from '../text/query/topic-terms.ts';
import type {
  HostRanking,
  HostStanding,
  OutlinesStep,
  StandingsPart,
  StandingsQuery,
} from './hosts/host-ranker.ts';

/** The subject of an answer: the query texts, and the pages that it shows. */
export type AnswerSubject = {
  texts: readonly string[];
  urls: ReadonlySet<string>;
  /** The page versions that the answer was made from: address -> time of fetching. */
  read: ReadonlyMap<string, number>;
};

/** Metadata that a page declares: the day of its last change, its canonical address if it differs, its image and its icon. */
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
  /** Absent unless the page documents a library. */
  library?: PageLibrary;
  /** Characters of the source the Markdown was made from. */
  rawChars: number;
  /** Milliseconds since the epoch. */
  fetchedAt: number;
};

export type IndexQuery = Filters & { query: Query; limit: number };

/**
 * A search result; `score` is the probability that it is relevant. Results are in descending order, with near-duplicates merged into
 * the best of them. Results that are unlikely to be relevant are `isWeak` and come last.
 */
export type FoundPage = {
  url: string;
  title: string;
  snippet: string;
  publishedDay: string | null;
  score: number;
  isWeak: boolean;
  /** The same as in `IndexedPage`. */
  declared?: PageMetadata;
  origin?: PageOrigin;
  library?: PageLibrary;
};

/** Progress of a rebuild: `pages` of the `of` pages of older indexes have been taken over. */
export type Rebuilding = { pages: number; of: number };

/** Location of an index: the path of a file, or the addresses of a cluster without credentials. */
export type IndexPlace = { engine: 'sqlite' | 'opensearch'; at: string };

/** Selects pages: one page in every spelling of its address, a host with its subdomains, or all addresses with a prefix. */
export type PageSelector = { url: string } | { host: string } | { prefix: string };

/** A page as shown in lists; times in milliseconds since the epoch. */
export type HeldPage = { url: string; title: string; fetchedAt: number; usedAt: number; bytes: number };

/** Statistics of the index. */
export type IndexStats = {
  pages: number;
  hosts: number;
  /** Size of the file and its write-ahead log. */
  bytes: number;
  /** Approximate size of the texts with their words. */
  textBytes: number;
  /** Pages by age: fetched at most `daysMax` days ago, the youngest first; null: older than all others. */
  ages: { daysMax: number | null; pages: number }[];
  languages: { language: string; pages: number }[];
  largestHosts: { host: string; pages: number }[];
};

/** Selects up to `limit` pages whose address sorts after `after` (exclusive). */
export type HoldingsQuery = { selector: PageSelector | null; after: string | null; limit: number };

/**
 * The local index behind one small interface that several engines implement. Worker threads answer the calls, so none blocks the
 * event loop; `version` and `epoch` are read on the event loop itself, which takes microseconds.
 */
export type LocalIndex = {
  place(): IndexPlace;
  /** Inserts or replaces by `url`. Resolves once committed: the pages are searchable and survive a kill. */
  put(pages: IndexedPage[]): Promise<void>;
  /** Deletes by `url`; resolves to the number of pages deleted. */
  remove(urls: string[]): Promise<number>;
  /** Deletes the selected pages; resolves to their number. `epoch` changes even if there were none, because copies may exist elsewhere. */
  forget(selector: PageSelector): Promise<number>;
  /** Resolves when the file is within its bound and contains nothing of what was forgotten. */
  tidy(): Promise<void>;
  get(url: string): Promise<IndexedPage | null>;
  /** Rejects when the signal fires; a search that has not begun, or that waits for others, is abandoned. */
  search(query: IndexQuery, signal?: AbortSignal): Promise<FoundPage[]>;
  /** Document frequency of each term (terms as `wordsOf` gives them, at most some thousands), and the number of pages. */
  frequencies(terms: string[]): Promise<TermFrequencies>;
  /** Names a state of the index: the part before the first slash changes with every committed change, by whichever process. */
  version(): string | Promise<string>;
  /** Returns whether only pages unrelated to the subject changed between two versions; false if that is unknown. */
  isUnaffected(since: string, now: string, subject: AnswerSubject): Promise<boolean>;
  /** Changes whenever any process forgets pages: copies in memory must be dropped. */
  epoch(): number | Promise<number>;
  size(): Promise<{ pages: number; hosts: number }>;
  /** Pages in the order of their addresses. */
  list(query: HoldingsQuery): Promise<HeldPage[]>;
  /** The pages that were fetched last, the newest first. */
  recent(limit: number): Promise<HeldPage[]>;
  pages(query: HoldingsQuery): Promise<IndexedPage[]>;
  stats(): Promise<IndexStats>;
  /** Outlines of pages for ranking hosts, in the order of their addresses. */
  outlines(query: HoldingsQuery): Promise<OutlinesStep>;
  /** Stores a part of a ranking of hosts; the last part puts the ranking into force. */
  putStandings(part: StandingsPart): Promise<void>;
  /** The last complete ranking of hosts; null if there is none. */
  hostRanking(): Promise<HostRanking | null>;
  standings(query: StandingsQuery): Promise<HostStanding[]>;
  /** Records that the pages were shown in results or read, so that others are evicted first. Unknown addresses are ignored. */
  use(urls: string[]): Promise<void>;
  /** Addresses whose next visit is due, the longest overdue first. */
  due(limit: number): Promise<string[]>;
  /** Records that the origin confirmed the pages as unchanged. */
  confirm(pages: { url: string; fetchedAt: number }[]): Promise<void>;
  /** Postpones the next visits to a time in milliseconds since the epoch. */
  postpone(urls: string[], until: number): Promise<void>;
  /** Compares the tables with each other and with the postings; empty when all agree. */
  problems(): Promise<string[]>;
  /** Null unless the index is being rebuilt; during a rebuild, searches find only a part of its pages. */
  rebuilding(): Rebuilding | null;
  /** Resolves when the index is rebuilt, or closed. */
  rebuilt(): Promise<void>;
  /** Called before the users of the index close: makes calls that wait for another machine fail soon. Absent where no call does. */
  endSoon?(): void;
  close(): Promise<void>;
};
