import type { AnswerSubject, PageMetadata, PageOrigin } from '../index/local-index-types.ts';
import type { Tenant } from '../platform/sharing/fair-queue.ts';
import type { Filters } from '../text/query/filters.ts';
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
  /** What the local index knows that the page declares; absent if nothing. */
  declared?: PageMetadata;
  /** The corpus that the local index has the page from; absent if unknown. */
  origin?: PageOrigin;
};

export type RecallQuery = Filters & {
  query: Query;
  /** Maximum candidates. */
  limit: number;
  /** Absent: any kind of page. */
  topic?: SearchTopic | undefined;
  fileType?: FileType | undefined;
  signal: AbortSignal;
  /** Whose query it is, for fair shares; absent: the service's own. */
  tenant?: Tenant;
  /** Whether answers of sources may be kept and shared with other callers; absent: yes. */
  keep?: boolean | undefined;
};

/** The local index as a source of candidates with scores of its own, weak ones last. `find` rejects when the index is down. */
export type LocalSource = {
  name: string;
  find(query: RecallQuery): Promise<Candidate[]>;
  /** Changes whenever the source may answer differently than before; absent if that is unknown. */
  version?(): string | Promise<string>;
  /** Whether what changed between two versions has nothing to do with an answer; absent: any change may. */
  isUnaffected?(since: string, now: string, subject: AnswerSubject): Promise<boolean>;
  /** Whether the source holds nothing at all, so an empty answer means nothing; absent if that is unknown. */
  isEmpty?(): Promise<boolean>;
};

/** The part of one source in a search. */
export type SourceReport =
  /** `note`: explains an empty answer. */
  | { ok: true; results: number; ms: number; cache?: 'hit'; note?: string }
  /** `staleResults`: how many of its older results were used instead. */
  | { ok: false; error: SourceError; ms: number; staleResults?: number };

export type RecallResult = {
  /** A list for each source that returned results. */
  lists: SourceList[];
  /** Every source that was asked. */
  reports: Record<string, SourceReport>;
  /** `stale`: no source answered; the lists are their answers from the last hours. */
  cache: 'miss' | 'stale';
  /** Whether the terms of all contributing sources allow the results to be kept. */
  mayBeKept: boolean;
  /** Whether the local index was asked, and did not answer in time or had no room for the query. */
  isIndexLate: boolean;
};

/** Asks every source that fits the query at once. Throws `Failure('recall_unavailable')` if none answers and no kept answer fits. */
export type RecallAll = (query: RecallQuery, page?: number) => Promise<RecallResult>;
