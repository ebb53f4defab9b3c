/**
 * The values that flow through retrieval: Candidate -> (fetched bytes) -> Article -> Page -> Chunk -> Scored.
 */

/** A page that a recall source proposes. */
export type Candidate = {
  url: string;
  title: string;
  /** A passage of plain text from the page, at most some 300 characters; may be empty. */
  snippet: string;
  /** YYYY-MM-DD, or null when unknown. */
  publishedDay: string | null;
  /** 0..1 within its source, higher is better. */
  score: number;
  source: string;
};

/** Where a published date was read; a date without a place is never reported. */
type DateSource = 'json-ld' | 'meta' | 'time' | 'url' | 'text' | 'feed' | 'import';
export type PublishedDate = { day: string; from: DateSource };

export type ArticleKind = 'html' | 'text' | 'markdown' | 'json' | 'feed';

/** A page as Markdown with what it says of itself. Plain data: it is stored as JSON and sent between threads. */
export type Article = {
  /** The address the text was read from (after redirects). */
  url: string;
  /** The address that the page declares for itself when it lies on the same site, else `url`; no fragment. */
  canonicalUrl: string;
  kind: ArticleKind;
  title: string;
  author: string | null;
  site: string | null;
  /** BCP 47 primary language subtag in lower case, such as "en". */
  language: string | null;
  published: PublishedDate | null;
  description: string | null;
  /** Text of the headings of the main content in page order. */
  headings: string[];
  markdown: string;
  /** Absolute http(s) links of the whole page (menus too), without fragments, each once, nofollow left out. */
  links: string[];
  /** What the page asks of crawlers, by its markup or its headers. */
  robots: { index: boolean; follow: boolean };
  /** Characters of the decoded source, for the token figures. */
  rawChars: number;
};

export type CacheState = 'miss' | 'hit' | 'stale';

/** What keeps a page from other callers. */
export type PrivateReason = 'secret_in_address' | 'no_store' | 'private' | 'varies' | 'noindex';

/** `addresses`: those that by their own answers are not to be shared. */
export type Privacy = { reason: PrivateReason; addresses: string[] };

/**
 * An opened page: its article, when it was fetched (ms since the epoch) and how the cache served it. A page with a
 * `privacy` is for the caller who read it: no index, cache or answer kept for others may hold it.
 */
export type Page = { article: Article; fetchedAt: number; cache: CacheState; privacy: Privacy | null };

/**
 * A piece of a page: Markdown of 400 to 700 characters with the headings above it. `start` and `end` are offsets into the
 * page's Markdown; the slices of its chunks joined are the page.
 */
export type Chunk = {
  markdown: string;
  headingPath: string[];
  start: number;
  end: number;
  /** Where the headings of `headingPath` stand in the page. */
  headings?: readonly { start: number; end: number }[];
  /** What a cut made necessary around its slice: a table's header, a fence, quote marks. Absent: nothing. */
  added?: { before: string; after: string };
};
export type ScoredChunk = Chunk & { score: number };

/** A stretch of a page's Markdown and the headings above where it begins, outermost first. */
export type Place = { start: number; end: number; headingPath: string[] };
