/**
 * The one way out to foreign addresses. Everything that fetches takes a `GuardedFetch` as an argument.
 */
export type FetchRequest = {
  /** Absolute http(s) address as the caller gave it. */
  url: string;
  /** Ends the fetch early; the deadline of the fetch itself (15 s in all) holds as well. */
  signal?: AbortSignal;
  /** Sent to the first host only when `sameHostOnly` is not needed; never credentials. Lower-case names. */
  headers?: Record<string, string>;
  /** Decoded bytes at most; default PAGE_BYTES_MAX. */
  bytesMax?: number;
  /** Milliseconds over look-up, connects, all hops and the body; default PAGE_TIMEOUT_MS. */
  timeoutMs?: number;
};

export type FetchedResponse = {
  /** The address that answered, after redirects. */
  url: string;
  status: number;
  /** Lower-case names; repeated headers joined with ", ". */
  headers: Record<string, string>;
  /** Content coding undone. Empty for 304. */
  body: Uint8Array;
};

/**
 * Fetches with every hop judged. Any final status is a value (404 and 500 too).
 * Throws `Failure('url_not_allowed')` for an address that is not public, at the start or after a redirect
 * (`fetch.reason` is then 'not_allowed'), and `Failure('fetch_failed')` with its reason for all else.
 * Messages never tell a resolved address.
 */
export type GuardedFetch = (request: FetchRequest) => Promise<FetchedResponse>;

/** Judges an address before anything is fetched, without a name look-up; throws `Failure('url_not_allowed')`. */
export type CheckUrl = (url: string) => URL;
