import { createFetchFailure, type Failure } from '../contract/errors.ts';
import type { FetchedResponse } from '../platform/net/fetch-types.ts';
import { parseRetryAfter } from '../platform/net/fetch-types.ts';

/** Statuses that may come with a block page; only the body shows it. */
const REFUSALS = new Set([401, 403, 429, 503]);

/** Temporary failures of an address rather than its site: an older copy may be served. */
const PASSING_STATUSES = new Set([408, 425, 429]);
const PASSING_REASONS = new Set([
  'timeout',
  'dns',
  'connect',
  'protocol',
  'too_many_redirects',
  'overloaded',
  'wall',
]);

/** Returns 'read' when the body is the page and 'block_page?' when it may be a block page; throws `fetch_failed` otherwise. */
export function judgeResponse(response: FetchedResponse, now: number): 'read' | 'block_page?' {
  const { status, headers, body } = response;
  if (REFUSALS.has(status) && body.length > 0 && /html/i.test(headers['content-type'] ?? ''))
    return 'block_page?';
  if (status < 200 || status >= 300) throw createStatusFailure(response, now);
  if (body.length === 0 || status === 204 || status === 205)
    throw createFetchFailure('empty', 'the page is empty', { httpStatus: status });
  return 'read';
}

/** Creates `fetch_failed` 'http_status' with the target's Retry-After (seconds or a date). */
export function createStatusFailure({ status, headers }: FetchedResponse, now: number): Failure {
  return createFetchFailure('http_status', `the page answered with status ${status}`, {
    httpStatus: status,
    retryAfterMs: parseRetryAfter(headers['retry-after'], now),
  });
}

/** Whether the origin failed to answer, so that an older copy is better than nothing. */
export function mayServeStale(failure: Failure): boolean {
  if (failure.code === 'overloaded') return true;
  const { fetch } = failure;
  if (failure.code !== 'fetch_failed' || fetch === null) return false;
  if (fetch.reason !== 'http_status') return PASSING_REASONS.has(fetch.reason);
  const status = fetch.httpStatus ?? 0;
  return status >= 500 || PASSING_STATUSES.has(status);
}

/** Whether the origin answered that the page does not exist (404 or 410). */
export function isGone(failure: Failure): boolean {
  const status = failure.fetch?.httpStatus;
  return failure.fetch?.reason === 'http_status' && (status === 404 || status === 410);
}
