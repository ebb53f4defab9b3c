import type { BreakerState } from '../../platform/circuit-breaker.ts';
import type { Filters } from '../../text/query/filters.ts';
import type { QueryTraits } from '../../text/query/query-traits.ts';
import type { Query } from '../../text/query/read-query.ts';
import type { FileType, SearchOrigin, SearchTopic, SourceItem } from '../source.ts';

/** The query that all upstream sources receive. */
export type UpstreamQuery = Filters & {
  query: Query;
  limit: number;
  topic?: SearchTopic | undefined;
  fileType?: FileType | undefined;
  /** The page of results, from 0. */
  page: number;
  /** Whether the answer may be cached and shared with other callers; default true. An answer that is already cached is used in any case. */
  keep?: boolean | undefined;
  /** The ids of the servers that the search has passed; absent: none. */
  via?: readonly string[] | undefined;
};

/** The reason why a source returned nothing. */
export type SourceError =
  | 'timeout'
  | 'rate_limited'
  | 'busy'
  | 'circuit_open'
  | 'refused'
  | 'blocked'
  | 'unreachable'
  | 'unsuitable_query'
  | 'failed';

export type UpstreamResponse =
  | { ok: true; items: SourceItem[]; cache: 'miss' | 'hit' }
  | { ok: false; error: SourceError; detail: string };

/** The state of one source, for operators. */
export type SourceReading = {
  name: string;
  about: string;
  scope: 'index' | 'web' | 'field';
  terms: { url: string; note: string } | null;
  /** If `off`, the source is not used, and `why` says what to set. */
  state: 'on' | 'off';
  why: string | null;
  breaker: BreakerState;
  calls: number;
  p50Ms: number | null;
  p90Ms: number | null;
  p95Ms: number | null;
  successShare: number | null;
  quotaLeft: number | null;
  /** The last call that failed; null: none since the start. */
  lastError: { error: SourceError; detail: string; at: number } | null;
};

/** The figures of a source that has not been called. */
export const NOTHING_KNOWN = {
  breaker: 'closed',
  calls: 0,
  p50Ms: null,
  p90Ms: null,
  p95Ms: null,
  successShare: null,
  quotaLeft: null,
  lastError: null,
} as const;

/** A running upstream source. */
export type Upstream = {
  readonly name: string;
  readonly scope: 'web' | 'field';
  /** True if its terms allow answers to be cached. */
  readonly mayBeCached: boolean;
  /** Weight of its first place, above 0 and at most 1; absent: 1. */
  readonly weight?: number;
  /** Whether it is asked for a search; absent: for every search. */
  readonly mayAsk?: (origin: SearchOrigin) => boolean;
  /** Scores how well the query fits its field, 0 to 1; 0 also if none of its results could be in the included domains. */
  fitOf(traits: QueryTraits, includeDomains: readonly string[]): number;
  /** Returns false while the source is being probed, or after a late answer: searches then do not wait for it while others answer. */
  isWaitedFor(): boolean;
  /** Records that a search continued without the source's answer: later searches do not wait for it until it answers in time. */
  markSlow(): void;
  /** Returns true if its breaker is closed: as far as is known, it answers. */
  isClosed(): boolean;
  /**
   * Asks the source. Never rejects, and has its own timeout of 5 s. `isLastResort`: no source of this search is known to answer. When
   * `until` fires, the call ends with it, unless its answer will be cached for the next search.
   */
  ask(
    query: UpstreamQuery,
    options?: { isLastResort?: boolean; until?: AbortSignal },
  ): Promise<UpstreamResponse>;
  /** Returns its cached answer from the last six hours; null if there is none. */
  kept(query: UpstreamQuery): SourceItem[] | null;
  reading(): SourceReading;
};
