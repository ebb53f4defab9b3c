import type { Tenant } from '../sharing/fair-shares.ts';

/**
 * The one way out to foreign addresses. Everything that fetches takes a `GuardedFetch` as an argument.
 */
export type FetchRequest = {
  /** Absolute http(s) address as the caller gave it. */
  url: string;
  /** Ends the fetch early; the deadline of the fetch itself (15 s in all) holds as well. */
  signal?: AbortSignal;
  /**
   * Lower-case names. `accept`, `accept-language` and `user-agent` go to every host, all others (`if-none-match` ...) to
   * the first host only. Credentials, framing and `accept-encoding` are asserted not to be among them.
   */
  headers?: Record<string, string>;
  /** Credentials, which go to the origin of `url` only and along no redirect that leaves it. */
  authorization?: string;
  /** Bytes at most, on the wire and decoded, each counted by itself; default PAGE_BYTES_MAX. */
  bytesMax?: number;
  /** Whose fetch it is, for fair shares; absent: the service's own. */
  tenant?: Tenant;
  /** Milliseconds over waiting, look-up, connects, all hops and the body; default PAGE_TIMEOUT_MS. */
  timeoutMs?: number;
};

/** An address that answered with a redirect, and its headers. */
export type Redirect = { url: string; headers: Record<string, string> };

export type FetchedResponse = {
  /** The address that answered, after redirects. */
  url: string;
  status: number;
  /** As in `ExchangeResponse`. `content-encoding` tells what was undone. */
  headers: Record<string, string>;
  /** The redirects on the way, in order. */
  redirects: readonly Redirect[];
  /** Content coding undone. Empty for 204 and 304. In memory of its own, so that it may be transferred to a worker. */
  body: Uint8Array<ArrayBuffer>;
};

/**
 * Fetches with every hop judged. Any final status is a value (404 and 500 too, and a redirect without `location`).
 * Throws `Failure('url_not_allowed')` for an address that is not public: without `fetch` when the text of the URL
 * tells, with `fetch.reason` 'not_allowed' when a look-up or a redirect showed it (then with the redirect's status).
 * Throws `Failure('fetch_failed')` with its reason for all else:
 * 'timeout' (any time limit), 'dns', 'connect', 'protocol' (broken, truncated or oddly compressed answers, oversized
 * headers), 'too_large', 'too_many_redirects', 'overloaded' (too many wait for the host), 'aborted' (signal, shutdown).
 * Messages never tell a resolved address.
 */
export type GuardedFetch = (request: FetchRequest) => Promise<FetchedResponse>;

/** Judges an address before anything is fetched, without a name look-up; throws `Failure('url_not_allowed')`. */
export type CheckUrl = (url: string) => URL;
