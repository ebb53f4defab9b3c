import type { CacheState } from './page.ts';
import type { DomainFilters } from './recall/recall.ts';

/** What of each page is wanted beside its address and title. A part that is null was not asked for. */
export type ContentsWanted = {
  text: { charsMax: number | null } | null;
  highlights: { query: string | null; perUrl: number; charsMax: number | null } | null;
  pruned: { query: string | null } | null;
};

export type SearchRequest = DomainFilters & {
  query: string;
  numResults: number;
  /** YYYY-MM-DD, inclusive. */
  publishedFrom: string | null;
  publishedTo: string | null;
  contents: ContentsWanted | null;
  signal: AbortSignal;
};

/** The parts of a page that were asked for; a part that was not asked for is absent. */
export type PageParts = {
  text?: string;
  highlights?: string[];
  highlightScores?: number[];
  prunedContext?: string;
};

export type SearchResult = PageParts & {
  url: string;
  title: string;
  score: number;
  publishedDay: string | null;
};

export type SourceReport =
  | { ok: true; results: number; ms: number }
  | { ok: false; error: string; ms: number };

export type SearchAnswer = {
  results: SearchResult[];
  cache: CacheState;
  /** Whole milliseconds per stage, and `total`. */
  timingsMs: Record<string, number>;
  /** By ceil(chars / 4): of the sources of the opened pages, and of what the answer carries. */
  tokens: { raw: number; output: number };
  sources: Record<string, SourceReport>;
};

/** Throws `Failure('recall_unavailable')` when every source fails. */
export type Search = (request: SearchRequest) => Promise<SearchAnswer>;
