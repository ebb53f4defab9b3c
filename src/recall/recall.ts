import type { Filters } from '../text/query/filters.ts';
import type { SourceList } from './fusion/fuse.ts';
import type { SourceError } from './upstream/upstream-types.ts';

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

export type RecallQuery = Filters & {
  query: string;
  /** Candidates wanted at most. */
  limit: number;
  signal: AbortSignal;
};

/** The local index, as a source of candidates with scores of its own. Rejects when it is down. */
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
