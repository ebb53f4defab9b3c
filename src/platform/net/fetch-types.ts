import type { Tenant } from '../fairness/fair-queue.ts';

/**
 * A request to a foreign address. Everything that fetches takes a `GuardedFetch`, the only way to foreign addresses, as an argument.
 */
export type FetchRequest = {
  /** Absolute http(s) address as the caller wrote it. */
  url: string;
  /** Ends the fetch early; the fetch's own deadline applies as well. */
  signal?: AbortSignal;
  /**
   * Lower-case names. `accept`, `accept-language` and `user-agent` are sent to every host, all others (`if-none-match` ...)
   * only to the first. Credentials, framing and `accept-encoding` are not allowed (asserted).
   */
  headers?: Record<string, string>;
  /** Credentials, sent only to the origin of `url`, also after redirects. */
  authorization?: string;
  /** Further headers, lower-case names, sent only to the origin of `url`; here credentials are allowed, framing is not (asserted). */
  ownHeaders?: Record<string, string>;
  /** Makes the request a POST with this body, which is sent once: no redirect is followed. */
  /** Receives each piece of the decoded body of a 200 as it arrives; the response still has the whole. */
  onPiece?: ((piece: Uint8Array) => void) | undefined;
  body?: string | Uint8Array;
  /** Limit for the bytes on the wire and for the decoded bytes, each; default PAGE_BYTES_MAX. */
  bytesMax?: number;
  /** The tenant, for fair shares; absent: the service itself. */
  tenant?: Tenant;
  /** Milliseconds for waiting, lookup, connects, all hops and the body together; default PAGE_TIMEOUT_MS. */
  timeoutMs?: number;
};

/** An address that responded with a redirect, and the response's headers. */
export type Redirect = { url: string; headers: Record<string, string> };

export type FetchedResponse = {
  /** The address that responded, after redirects. */
  url: string;
  status: number;
  /** Headers as in `ExchangeResponse`. `content-encoding` names the coding that was removed from the body. */
  headers: Record<string, string>;
  /** The redirects that were followed, in order. */
  redirects: readonly Redirect[];
  /** Decoded. Empty for 204 and 304. Has its own memory, so that it can be transferred to a worker. */
  body: Uint8Array<ArrayBuffer>;
};

/**
 * Fetches an address and checks every hop. Any final status is a value, including 404, 500 and a redirect without `location`.
 * Throws `Failure('url_not_allowed')` for an address that is not public: without `fetch` if the URL itself shows it, with
 * `fetch.reason` 'not_allowed' if a lookup or a redirect showed it (then with the redirect's status).
 * Throws `Failure('fetch_failed')` with a reason for everything else:
 * 'timeout' (any time limit), 'dns', 'connect', 'protocol' (broken, truncated or oddly compressed responses, oversized
 * headers), 'too_large', 'too_many_redirects', 'overloaded' (too many fetches wait), 'aborted' (signal, shutdown).
 * Messages never reveal a resolved address.
 */
export type GuardedFetch = (request: FetchRequest) => Promise<FetchedResponse>;

/** Checks an address before anything is fetched, without a name lookup; throws `Failure('url_not_allowed')`. */
export type CheckUrl = (url: string) => URL;

/**
 * Parses a Retry-After header, seconds or a date (RFC 9110, 10.2.3), to milliseconds from now; null if it is absent or invalid, or `now` is NaN
 * and it is a date. Some sources send fractions of a second.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  if (/^\s*\d{1,9}(?:\.\d{1,9})?\s*$/.test(value)) return Number(value) * 1_000;
  const ms = Date.parse(value) - now;
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
