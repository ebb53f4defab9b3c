import type { Filters } from '../text/query/filters.ts';
import type { Query } from '../text/query/read-query.ts';
import type { TermFrequencies } from '../text/query/topic-terms.ts';

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
  /** Characters of the source the Markdown was made from. */
  rawChars: number;
  /** Milliseconds since the epoch. */
  fetchedAt: number;
};

export type IndexQuery = Filters & { query: Query; limit: number };

/** A found page; `score` is 0..1, descending, near-duplicates already folded into their best. */
export type FoundPage = {
  url: string;
  title: string;
  snippet: string;
  publishedDay: string | null;
  score: number;
};

/** How many of the pages of an older index are taken over into this one. */
export type Rebuilding = { pages: number; of: number };

/**
 * The local index behind one small interface, so that a bigger engine can stand behind it.
 * Every call is answered by a worker thread; none blocks the event loop.
 */
export type LocalIndex = {
  /** Inserts or replaces by `url`. Resolves once committed: the pages are searchable and survive a kill. */
  put(pages: IndexedPage[]): Promise<void>;
  /** Deletes by `url`; resolves to how many there were. */
  remove(urls: string[]): Promise<number>;
  get(url: string): Promise<IndexedPage | null>;
  search(query: IndexQuery): Promise<FoundPage[]>;
  /** In how many pages each term stands (terms as `wordsOf` gives them, at most some thousands), and how many pages there are. */
  frequencies(terms: string[]): Promise<TermFrequencies>;
  /** Changes with every committed change, by whichever process. */
  version(): Promise<string>;
  size(): Promise<{ pages: number; hosts: number }>;
  /** Compares the tables with each other and with the full-text index; empty when all agree. */
  problems(): Promise<string[]>;
  /** Null unless the index is being rebuilt: until then searches find only a part of its pages. */
  rebuilding(): Rebuilding | null;
  /** Resolves when the index is rebuilt, or closed. */
  rebuilt(): Promise<void>;
  close(): Promise<void>;
};
