import type { FetchReason } from '../../contract/errors.ts';
import type { UrlStatus } from '../../search/contents.ts';
import type { JsonObject } from '../calls/call.ts';

type UrlError = { tag: string; httpStatusCode: number | null };

/** Builds one element of `statuses`: the outcome for one requested URL. A timeout set by the caller has its own tag. */
export function toStatus(status: UrlStatus, { timeoutByCaller }: { timeoutByCaller: boolean }): JsonObject {
  if (status.ok)
    return { id: status.id, status: 'success', source: status.cache === 'miss' ? 'crawled' : 'cached' };
  const error =
    status.reason === 'timeout' && timeoutByCaller
      ? { tag: 'CRAWL_LIVECRAWL_TIMEOUT', httpStatusCode: 504 }
      : toUrlError(status.reason, status.httpStatus);
  return { id: status.id, status: 'error', source: 'crawled', error };
}

function toUrlError(reason: FetchReason, httpStatus: number | null): UrlError {
  switch (reason) {
    case 'http_status':
      return { tag: findStatusTag(httpStatus), httpStatusCode: httpStatus };
    case 'wall':
      // Block pages often come with a 200, but access to the page was still refused.
      return {
        tag: 'SOURCE_NOT_AVAILABLE',
        httpStatusCode: httpStatus !== null && httpStatus >= 400 ? httpStatus : 403,
      };
    case 'timeout':
    case 'aborted':
      return { tag: 'CRAWL_TIMEOUT', httpStatusCode: 504 };
    case 'not_kept':
      return { tag: 'SOURCE_NOT_AVAILABLE', httpStatusCode: null };
    case 'unsupported_type':
    case 'not_allowed':
      return { tag: 'UNSUPPORTED_URL', httpStatusCode: null };
    default:
      return { tag: 'CRAWL_UNKNOWN_ERROR', httpStatusCode: null };
  }
}

function findStatusTag(status: number | null): string {
  if (status === 404 || status === 410) return 'CRAWL_NOT_FOUND';
  if (status === 401 || status === 403 || status === 407 || status === 451) return 'SOURCE_NOT_AVAILABLE';
  return 'CRAWL_UNKNOWN_ERROR';
}
