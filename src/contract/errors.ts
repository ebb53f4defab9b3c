/** Every failure that a caller can meet, and the HTTP status that the first shape gives it. The table is closed. */
export const STATUS_OF = {
  url_not_allowed: 400,
  bad_signature: 400,
  invalid_api_key: 401,
  insufficient_credits: 402,
  keyless_limit: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  free_key_already_issued: 409,
  no_payment_method: 409,
  request_too_large: 413,
  unsupported_media_type: 415,
  validation_error: 422,
  internal: 500,
  fetch_failed: 502,
  recall_unavailable: 503,
  payment_unavailable: 503,
  overloaded: 503,
} as const;

export type FailureCode = keyof typeof STATUS_OF;

/** Why a page could not be fetched or read; decides the tag that a URL gets in the `statuses` of a contents answer. */
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
  | 'wall'
  | 'empty'
  | 'not_allowed'
  | 'not_kept'
  | 'overloaded'
  | 'aborted';

type FetchProblem = {
  reason: FetchReason;
  httpStatus: number | null;
  /** Milliseconds after which the target asks to be tried again (Retry-After), where it said so. */
  retryAfterMs?: number | null;
};

export type FieldProblem = { field: string; message: string };

/** Settings of auto-reload; what is absent was not asked for. */
type ReloadAsked = {
  threshold?: number | undefined;
  pack?: string | undefined;
  capCents?: number | undefined;
};

type FailureDetails = {
  cause?: unknown;
  /** Set on `fetch_failed` and on a `url_not_allowed` that a redirect or a name look-up showed. */
  fetch?: FetchProblem;
  /** Set on `validation_error`. */
  fields?: FieldProblem[];
  /** Set on `insufficient_credits` and `no_payment_method`: the key that asked. */
  keyId?: string;
  /** Set on `no_payment_method`: the settings of auto-reload that were asked for. */
  reload?: ReloadAsked;
  /** Set on `keyless_limit`, and on `overloaded` where it is known when it will be over. */
  retryAfterSeconds?: number;
};

/** An expected failure that ends the request: its code decides the status, its message is shown to the caller. */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly fetch: FetchProblem | null;
  readonly fields: FieldProblem[];
  readonly keyId: string | null;
  readonly reload: ReloadAsked | null;
  readonly retryAfterSeconds: number | null;

  constructor(code: FailureCode, message: string, details: FailureDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'Failure';
    this.code = code;
    this.fetch = details.fetch ?? null;
    this.fields = details.fields ?? [];
    this.keyId = details.keyId ?? null;
    this.reload = details.reload ?? null;
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
  }
}

/** The store cannot be reached, does not answer in time or cannot write. What it was asked may or may not have happened. */
export class StoreUnavailable extends Failure {
  constructor(message: string, { cause }: { cause?: unknown } = {}) {
    super('overloaded', message, { cause });
  }
}

/** A `fetch_failed` with its reason; `httpStatus` is the status of the target page where there was one. */
export function fetchFailed(
  reason: FetchReason,
  message: string,
  details: { httpStatus?: number | null; retryAfterMs?: number | null; cause?: unknown } = {},
): Failure {
  const { httpStatus = null, retryAfterMs = null, cause } = details;
  return new Failure('fetch_failed', message, { cause, fetch: { reason, httpStatus, retryAfterMs } });
}
