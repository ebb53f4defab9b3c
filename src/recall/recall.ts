/**
 * Recall finds candidates for a query: from the local index, with scores of its own, and from all upstream sources that fit.
 * These are its types; `recall-all.ts` is the implementation. Recall neither opens pages nor ranks across sources: fusion and search do.
 */
import type { AnswerSubject, PageMetadata, PageOrigin } from '../index/local-index-types.ts';
import type { Tenant } from '../platform/fairness/fair-queue.ts';
import type { Filters } from '../text/query/filters.ts';
import type { PageLibrary } from '../text/query/library-filter.ts';
import type { Query } from '../text/query/read-query.ts';
import type { SourceList } from './fusion/fuse.ts';
import type { FileType, SearchTopic } from './source.ts';
import type { SourceError } from './upstream/upstream-types.ts';

/** A page that a source proposes for a query. */
export type Candidate = {
  url: string;
  title: string;
  /** A passage of plain text from the page, at most about 300 characters; may be empty. */
  snippet: string;
  /** YYYY-MM-DD, or null when unknown. */
  publishedDay: string | null;
  /** 0..1 within its source, higher is better. */
  score: number;
  /** It is unlikely to be relevant; absent: that is not known. */
  isWeak?: boolean;
  source: string;
  /** Metadata that the page declares, as the local index has it; absent if none. */
  declared?: PageMetadata;
  /** The corpus from which the local index imported the page; absent if unknown. */
  origin?: PageOrigin;
  /** What it documents, as the local index has it; absent if it documents no library. */
  library?: PageLibrary;
};

export type RecallQuery = Filters & {
  query: Query;
  /** Maximum candidates. */
  limit: number;
  /** Absent: any kind of page. */
  topic?: SearchTopic | undefined;
  fileType?: FileType | undefined;
  signal: AbortSignal;
  /** The tenant for fair shares; absent: the service itself. */
  tenant?: Tenant;
  /** Whether answers of sources may be cached and shared with other callers; default true. */
  keep?: boolean | undefined;
  /** The ids of the servers that the search has passed; absent: it is a caller's own. */
  via?: readonly string[] | undefined;
};

/** The local index as a source of candidates with its own scores, weak ones last. `find` rejects when the index is down. */
export type LocalSource = {
  name: string;
  find(query: RecallQuery): Promise<Candidate[]>;
  /** A version that changes whenever the source may answer differently; absent if unknown. */
  version?(): string | Promise<string>;
  /** Returns true if the changes between two versions cannot affect an answer; absent: any change may. */
  isUnaffected?(since: string, now: string, subject: AnswerSubject): Promise<boolean>;
  /** Returns true if the source holds no pages, so that an empty answer says nothing; absent if unknown. */
  isEmpty?(): Promise<boolean>;
};

/** Outcome of one source in a search. */
export type SourceReport =
  /** `note`: explains an empty answer. */
  | { ok: true; results: number; ms: number; cache?: 'hit'; note?: string }
  /** `staleResults`: the number of its older results that were used instead. */
  | { ok: false; error: SourceError; ms: number; staleResults?: number };

export type RecallResult = {
  /** A list for each source that returned results. */
  lists: SourceList[];
  /** A report for every source that was asked. */
  reports: Record<string, SourceReport>;
  /** `stale`: no source answered, so the lists are cached answers from the last hours. */
  cache: 'miss' | 'stale';
  /** True if the terms of all contributing sources allow the results to be cached. */
  mayBeKept: boolean;
  /** True if the local index was asked, but did not answer in time or had no room for the query. */
  isIndexLate: boolean;
};

/** Asks every source that fits the query at once. Throws `Failure('recall_unavailable')` if none answers and no cached answer fits. */
export type RecallAll = (query: RecallQuery, page?: number) => Promise<RecallResult>;
