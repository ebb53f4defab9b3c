/**
 * Failures that callers can get: the closed list of codes, their HTTP status in the first shape, and the error classes that carry them. How
 * each API shape words a failure is decided in http/.
 */

/** Every failure that a caller can get, with its HTTP status in the first shape. The list is closed. */
export const STATUS_OF = {
  bad_request: 400,
  url_not_allowed: 400,
  bad_signature: 400,
  invalid_api_key: 401,
  expired_api_key: 401,
  insufficient_credits: 402,
  keyless_limit: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  free_key_already_issued: 409,
  no_payment_method: 409,
  job_ended: 409,
  idempotency_conflict: 409,
  request_too_large: 413,
  unsupported_media_type: 415,
  validation_error: 422,
  rate_limited: 429,
  headers_too_large: 431,
  internal: 500,
  fetch_failed: 502,
  recall_unavailable: 503,
  payment_unavailable: 503,
  overloaded: 503,
} as const;

export type FailureCode = keyof typeof STATUS_OF;

/** Reasons why a page could not be fetched or read; each decides the URL's tag in the `statuses` of a contents response. */
export type FetchReason =
  | 'http_status'
  | 'timeout'
  | 'dns'
  | 'connect'
  | 'protocol'
  | 'too_large'
  | 'too_many_redirects'
  | 'unsupported_type'
  | 'undecodable'
  /** A block page; crawls store this word. */
  | 'wall'
  | 'empty'
  | 'not_allowed'
  | 'not_kept'
  | 'overloaded'
  | 'aborted';

type FetchProblem = {
  reason: FetchReason;
  httpStatus: number | null;
  /** Milliseconds until the target asks to be retried, if it sent Retry-After. */
  retryAfterMs?: number | null;
};

export type FieldProblem = { field: string; message: string };

/** The auto-reload settings that the caller requested; absent ones were not requested. */
type RequestedReload = {
  threshold?: number | undefined;
  pack?: string | undefined;
  capCents?: number | undefined;
};

type FailureDetails = {
  cause?: unknown;
  /** Set on `fetch_failed`, and on `url_not_allowed` when a redirect or DNS lookup revealed it. */
  fetch?: FetchProblem;
  /** Set on `validation_error`. */
  fields?: FieldProblem[];
  /** Set on `invalid_api_key` when a key is required and the call has none. */
  keyMissing?: true;
  /** Set on `insufficient_credits` and `no_payment_method`: the calling key. */
  keyId?: string;
  /** Set on `insufficient_credits` when a payment of the account has an open dispute, which no purchase ends. */
  isDisputed?: true;
  /** Set on `no_payment_method`: the requested auto-reload settings. */
  reload?: RequestedReload;
  /** Set on `keyless_limit`, `rate_limited` and a call under way (`idempotency_conflict`), and on `overloaded` if it is known when the overload will end. */
  retryAfterSeconds?: number;
};

/**
 * Failures that come in floods. They carry no stack trace: it says nothing useful, and capturing it costs more than the rest of a refusal.
 */
const REFUSALS: ReadonlySet<FailureCode> = new Set(['insufficient_credits', 'keyless_limit', 'rate_limited']);

/** An expected failure that ends the request: its code decides the status, its message is shown to the caller. */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly fetch: FetchProblem | null;
  readonly fields: FieldProblem[];
  readonly keyMissing: boolean;
  readonly keyId: string | null;
  readonly isDisputed: boolean;
  readonly reload: RequestedReload | null;
  readonly retryAfterSeconds: number | null;

  constructor(code: FailureCode, message: string, details: FailureDetails = {}) {
    const limit = Error.stackTraceLimit;
    if (REFUSALS.has(code)) Error.stackTraceLimit = 0;
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    Error.stackTraceLimit = limit;
    this.name = 'Failure';
    this.code = code;
    this.fetch = details.fetch ?? null;
    this.fields = details.fields ?? [];
    this.keyMissing = details.keyMissing ?? false;
    this.keyId = details.keyId ?? null;
    this.isDisputed = details.isDisputed ?? false;
    this.reload = details.reload ?? null;
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
  }
}

/** The store is unreachable, timed out or cannot write. The operation may or may not have taken effect. */
export class StoreUnavailable extends Failure {
  constructor(message: string, { cause }: { cause?: unknown } = {}) {
    super('overloaded', message, { cause });
  }
}

/** Creates a `fetch_failed` failure; `httpStatus` is the target page's status, if it responded. */
export function createFetchFailure(
  reason: FetchReason,
  message: string,
  details: { httpStatus?: number | null; retryAfterMs?: number | null; cause?: unknown } = {},
): Failure {
  const { httpStatus = null, retryAfterMs = null, cause } = details;
  return new Failure('fetch_failed', message, { cause, fetch: { reason, httpStatus, retryAfterMs } });
}
