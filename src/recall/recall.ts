import type { Candidate } from '../pages/article.ts';
import type { SourceList } from './fusion/fuse.ts';
import type { SourceError } from './upstream/upstream-types.ts';

export type DomainFilters = {
  /** Hosts (`example.com` covers its subdomains) or host and path prefix (`example.com/docs`); empty = all. */
  includeDomains: string[];
  excludeDomains: string[];
};

export type RecallQuery = DomainFilters & {
  query: string;
  /** Candidates wanted at most. */
  limit: number;
  /** YYYY-MM-DD, inclusive; a page without a date never passes a date filter. */
  publishedFrom: string | null;
  publishedTo: string | null;
  signal: AbortSignal;
};

/** The own index, as a source of candidates with scores of its own. Rejects when it is down. */
export type Recall = {
  name: string;
  find(query: RecallQuery): Promise<Candidate[]>;
  /** Changes whenever the source may answer differently than before; absent when it cannot tell. */
  version?(): Promise<string>;
  /** Whether it holds nothing at all, so that finding nothing says nothing; absent when it cannot tell. */
  isEmpty?(): Promise<boolean>;
};

/** How one source took part in a search. */
export type SourceReport =
  /** `note`: what to know of an answer that says nothing. */
  | { ok: true; results: number; ms: number; cache?: 'hit'; note?: string }
  /** `staleResults`: so many older ones of its own stood in. */
  | { ok: false; error: SourceError; ms: number; staleResults?: number };

export type Recalled = {
  /** A list for each source that gave results. */
  lists: SourceList[];
  /** Every source that was asked. */
  reports: Record<string, SourceReport>;
  /** `stale`: nobody answered, and what they answered within the last hours stands in. */
  cache: 'miss' | 'stale';
  /** Whether the terms of all that contributed let the results be kept. */
  mayBeKept: boolean;
};

/** Asks every source that the query fits at once. Throws `Failure('recall_unavailable')` when none answers and nothing kept fits. */
export type RecallAll = (query: RecallQuery, page?: number) => Promise<Recalled>;
