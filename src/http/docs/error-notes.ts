import type { FailureCode } from '../../contract/errors.ts';

/** The meaning of a failure and its remedy. */
type ErrorNote = {
  when: string;
  remedy: string;
  /** The failure is about keys or credits, and occurs only where calls are metered. */
  metered?: true;
};

/** A note on every failure that a caller can get. */
export const ERROR_NOTES: Readonly<Record<FailureCode, ErrorNote>> = {
  bad_request: {
    when: 'What was sent is not valid HTTP.',
    remedy: 'Look at the proxy or program that sent it.',
  },
  headers_too_large: {
    when: 'The address and the headers take more than 32 KB.',
    remedy: 'Send long values in the body of a POST.',
  },
  url_not_allowed: {
    when: 'The URL is not a public http or https URL, or a redirect leads to one that is not.',
    remedy: 'Send a public URL. An operator can allow private networks with `FETCH_ALLOW_PRIVATE`.',
  },
  bad_signature: {
    when: 'The signature of a webhook does not match.',
    remedy: 'Check `STRIPE_WEBHOOK_SECRET`.',
    metered: true,
  },
  invalid_api_key: {
    when: 'The key is unknown, or a key is required and the call has none.',
    remedy: 'Send the key in `Authorization: Bearer` or `x-api-key`.',
    metered: true,
  },
  expired_api_key: {
    when: 'The key has expired.',
    remedy: 'Ask the operator of the server for a new key.',
    metered: true,
  },
  insufficient_credits: {
    when: 'The key has fewer credits than the call costs.',
    remedy: 'Buy credits: the `message` has the link.',
    metered: true,
  },
  keyless_limit: {
    when: 'The free requests of this IP address are used up for today.',
    remedy: 'Wait until midnight UTC (`Retry-After`), claim a free key or buy credits.',
    metered: true,
  },
  forbidden: {
    when: 'The page of another site calls a private server, or the call needs a token of the operator.',
    remedy: 'Set `BASE_URL` to the public URL of the server, or send the token.',
  },
  not_found: { when: 'There is no such route, job or page.', remedy: 'Check the path and the id.' },
  method_not_allowed: {
    when: 'The route does not serve this method.',
    remedy: 'Use a method from the `Allow` header.',
  },
  request_timeout: {
    when: 'The request took too long to arrive, or the work took longer than the `timeout` it named.',
    remedy: 'Try again, or allow more time.',
  },
  free_key_already_issued: {
    when: 'This network has claimed its free key.',
    remedy: 'Use that key, or buy credits.',
    metered: true,
  },
  no_payment_method: {
    when: 'Auto-reload was requested for a key without a saved card.',
    remedy: 'Buy a pack with auto-reload: the `message` has the link.',
    metered: true,
  },
  job_ended: { when: 'The job has already ended.', remedy: 'Nothing: there is nothing left to cancel.' },
  idempotency_conflict: {
    when: 'A call with this `Idempotency-Key` is still under way, or its response was not kept.',
    remedy: 'Repeat it after `Retry-After`; without that header, use a new key to run the call again.',
  },
  request_too_large: { when: 'The body is larger than 1 MB.', remedy: 'Send less at once.' },
  unsupported_media_type: {
    when: 'The `Content-Encoding` or the content type of the body cannot be read.',
    remedy: 'Send gzip, deflate, br or no encoding, and `content-type: application/json`.',
  },
  validation_error: {
    when: 'A field is missing, has the wrong type or is out of range.',
    remedy: 'Change the field that the `message` names; `details` lists all of them.',
  },
  rate_limited: {
    when: 'The key has used up a limit that its operator set.',
    remedy: 'Wait for as long as `Retry-After` says.',
    metered: true,
  },
  internal: {
    when: 'A fault of the service.',
    remedy: 'Try again; if it stays, report it with the `requestId`.',
  },
  fetch_failed: {
    when: 'The page could not be fetched or read: it is missing, too slow, too large, blocked or empty.',
    remedy: 'The `message` says which. Try another page, or try again later.',
  },
  recall_unavailable: {
    when: 'No search source answered.',
    remedy: 'Try again shortly. An operator can run `sanderling doctor`.',
  },
  payment_unavailable: {
    when: 'The payment provider does not answer.',
    remedy: 'Try again shortly.',
    metered: true,
  },
  overloaded: {
    when: 'The service is at capacity, is shutting down, or the caller has used up its share of it.',
    remedy: 'Try again after as long as `Retry-After` says, with fewer calls at once.',
  },
};
