import { PAGE_REDIRECTS_MAX, PAGE_TIMEOUT_MS } from '../../contract/limits.ts';

/** The bounds of fetching that are not promised to callers one by one. Times in milliseconds. */
export type FetchLimits = {
  /** Over waiting, look-up, connects, all hops and the body. */
  timeoutMs: number;
  redirectsMax: number;
  dnsTryMs: number;
  dnsTries: number;
  connectMs: number;
  headersMs: number;
  /** Without a byte of the body. */
  idleMs: number;
  headerBytesMax: number;
  /** Exchanges at once, with one host and in all. */
  perHostMax: number;
  totalMax: number;
  /** Exchanges that wait for a turn; beyond it one of the tenant that has most of them fails. */
  waitingMax: number;
  /** An unused connection is kept so long. */
  keepAliveMs: number;
};

export const FETCH_LIMITS: FetchLimits = Object.freeze({
  timeoutMs: PAGE_TIMEOUT_MS,
  redirectsMax: PAGE_REDIRECTS_MAX,
  dnsTryMs: 2_000,
  dnsTries: 2,
  connectMs: 5_000,
  // A slow page has all of its time; only the connect may end a fetch before.
  headersMs: PAGE_TIMEOUT_MS,
  idleMs: PAGE_TIMEOUT_MS,
  headerBytesMax: 16_384,
  perHostMax: 4,
  totalMax: 64,
  waitingMax: 500,
  keepAliveMs: 4_000,
});
