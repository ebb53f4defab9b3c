import { PAGE_REDIRECTS_MAX, PAGE_TIMEOUT_MS } from '../../contract/limits.ts';

/** Limits of fetching, most of which are not promised to callers. Times in milliseconds. */
export type FetchLimits = {
  /** Time limit for waiting, lookup, connects, all hops and the body together. */
  timeoutMs: number;
  redirectsMax: number;
  dnsTryMs: number;
  dnsTries: number;
  connectMs: number;
  headersMs: number;
  /** Time limit between two pieces of the body. */
  idleMs: number;
  headerBytesMax: number;
  /** Maximum concurrent exchanges, with one host and in total. */
  perHostMax: number;
  totalMax: number;
  /** Maximum exchanges that wait for a turn; beyond it, one of the tenant with the most fails. */
  waitingMax: number;
  /** Time for which an idle connection is kept. */
  keepAliveMs: number;
};

export const FETCH_LIMITS: FetchLimits = Object.freeze({
  timeoutMs: PAGE_TIMEOUT_MS,
  redirectsMax: PAGE_REDIRECTS_MAX,
  dnsTryMs: 2_000,
  dnsTries: 2,
  connectMs: 5_000,
  // A slow page may use all of its time; only connecting has a shorter limit.
  headersMs: PAGE_TIMEOUT_MS,
  idleMs: PAGE_TIMEOUT_MS,
  headerBytesMax: 16_384,
  perHostMax: 4,
  totalMax: 64,
  waitingMax: 500,
  keepAliveMs: 4_000,
});
