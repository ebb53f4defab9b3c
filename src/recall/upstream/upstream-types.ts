import type { Filters } from '../../text/query/filters.ts';
import type { QueryTraits } from '../../text/query/query-traits.ts';
import type { SourceItem } from '../source.ts';
import type { BreakerState } from './breaker.ts';

/** What all upstream sources are asked alike. */
export type UpstreamQuery = Filters & {
  query: string;
  limit: number;
  /** 0 is the first. */
  page: number;
};

/** Why a source gave nothing; `detail` is for operators. */
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
  /** `off`: it is not asked, and `why` says what to set. */
  state: 'on' | 'off';
  why: string | null;
  breaker: BreakerState;
  calls: number;
  p50Ms: number | null;
  p90Ms: number | null;
  p95Ms: number | null;
  successShare: number | null;
  quotaLeft: number | null;
};

/** The figures of a source that has not been asked. */
export const NOTHING_KNOWN = {
  breaker: 'closed',
  calls: 0,
  p50Ms: null,
  p90Ms: null,
  p95Ms: null,
  successShare: null,
  quotaLeft: null,
} as const;

/** An upstream source that runs. */
export type Upstream = {
  readonly name: string;
  readonly scope: 'web' | 'field';
  /** Whether its terms let answers be kept. */
  readonly mayBeCached: boolean;
  /** How well the query lies in its field, 0 to 1; 0 also when none of its results could pass the included domains. */
  fitOf(traits: QueryTraits, includeDomains: readonly string[]): number;
  /** False while it is being probed or has just let a call run out of time: then nobody waits for it while others answer. */
  isWaitedFor(): boolean;
  /** A search has gone on without its answer: the next one will not wait for it until it has answered in time. */
  markSlow(): void;
  /** Whether its breaker is closed: it answers, as far as is known. */
  isClosed(): boolean;
  /** Never rejects, and has its own time limit of 5 s. `isLastResort`: no source that was asked is known to answer. */
  ask(query: UpstreamQuery, isLastResort?: boolean): Promise<UpstreamResponse>;
  /** What it answered within the last six hours; null when nothing is kept. */
  kept(query: UpstreamQuery): SourceItem[] | null;
  reading(): SourceReading;
};
