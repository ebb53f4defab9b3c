import { type Failure, fetchFailed } from '../contract/errors.ts';
import type { FetchedResponse } from '../platform/net/fetch-types.ts';

/** Statuses under which a wall may stand in place of a page; told apart by reading the body. */
const REFUSALS = new Set([401, 403, 429, 503]);

/** A failure status that says nothing of the site as a whole and passes: an older copy may stand in. */
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

/** 'read' when the body is the page, 'wall?' when it may only tell what refused us; throws `fetch_failed` otherwise. */
export function judgeResponse(response: FetchedResponse, now: number): 'read' | 'wall?' {
  const { status, headers, body } = response;
  if (REFUSALS.has(status) && body.length > 0 && /html/i.test(headers['content-type'] ?? '')) return 'wall?';
  if (status < 200 || status >= 300) throw statusFailure(response, now);
  if (body.length === 0 || status === 204 || status === 205)
    throw fetchFailed('empty', 'the page is empty', { httpStatus: status });
  return 'read';
}

/** `fetch_failed` 'http_status' with what the target asks for (Retry-After: seconds or a date). */
export function statusFailure({ status, headers }: FetchedResponse, now: number): Failure {
  return fetchFailed('http_status', `the page answered with status ${status}`, {
    httpStatus: status,
    retryAfterMs: retryAfterMs(headers['retry-after'], now),
  });
}

/** True when the origin failed rather than spoke: an older copy is better than nothing then. */
export function mayServeStale(failure: Failure): boolean {
  if (failure.code === 'overloaded') return true;
  const { fetch } = failure;
  if (failure.code !== 'fetch_failed' || fetch === null) return false;
  if (fetch.reason !== 'http_status') return PASSING_REASONS.has(fetch.reason);
  const status = fetch.httpStatus ?? 0;
  return status >= 500 || PASSING_STATUSES.has(status);
}

/** True when the origin said that there is no such page. */
export function isGone(failure: Failure): boolean {
  const status = failure.fetch?.httpStatus;
  return failure.fetch?.reason === 'http_status' && (status === 404 || status === 410);
}

function retryAfterMs(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  if (/^\s*\d{1,9}\s*$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
