import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FetchReason } from '../../contract/errors.ts';
import { toStatus } from './contents.ts';

const id = 'https://example.org/';
const OURS = { timeoutByCaller: false };

test('a page that loaded is crawled or cached', () => {
  assert.deepEqual(toStatus({ ok: true, id, cache: 'miss' }, OURS), {
    id,
    status: 'success',
    source: 'crawled',
  });
  for (const cache of ['hit', 'stale'] as const)
    assert.deepEqual(toStatus({ ok: true, id, cache }, OURS), { id, status: 'success', source: 'cached' });
});

const cases: [reason: FetchReason, httpStatus: number | null, tag: string, httpStatusCode: number | null][] =
  [
    ['http_status', 404, 'CRAWL_NOT_FOUND', 404],
    ['http_status', 410, 'CRAWL_NOT_FOUND', 410],
    ['http_status', 401, 'SOURCE_NOT_AVAILABLE', 401],
    ['http_status', 403, 'SOURCE_NOT_AVAILABLE', 403],
    ['http_status', 407, 'SOURCE_NOT_AVAILABLE', 407],
    ['http_status', 451, 'SOURCE_NOT_AVAILABLE', 451],
    ['http_status', 429, 'CRAWL_UNKNOWN_ERROR', 429],
    ['http_status', 500, 'CRAWL_UNKNOWN_ERROR', 500],
    ['wall', 200, 'SOURCE_NOT_AVAILABLE', 403],
    ['wall', 503, 'SOURCE_NOT_AVAILABLE', 503],
    ['wall', null, 'SOURCE_NOT_AVAILABLE', 403],
    ['timeout', null, 'CRAWL_TIMEOUT', 504],
    ['aborted', null, 'CRAWL_TIMEOUT', 504],
    ['dns', null, 'CRAWL_UNKNOWN_ERROR', null],
    ['connect', null, 'CRAWL_UNKNOWN_ERROR', null],
    ['too_large', 200, 'CRAWL_UNKNOWN_ERROR', null],
    ['too_many_redirects', 302, 'CRAWL_UNKNOWN_ERROR', null],
    ['undecodable', 200, 'CRAWL_UNKNOWN_ERROR', null],
    ['empty', 200, 'CRAWL_UNKNOWN_ERROR', null],
    ['unsupported_type', 200, 'UNSUPPORTED_URL', null],
    ['not_allowed', null, 'UNSUPPORTED_URL', null],
    ['not_kept', null, 'SOURCE_NOT_AVAILABLE', null],
  ];
for (const [reason, httpStatus, tag, httpStatusCode] of cases)
  test(`${reason} with ${httpStatus} is ${tag} with ${httpStatusCode}`, () => {
    const status = toStatus({ ok: false, id, reason, httpStatus, message: 'why' }, OURS);
    assert.deepEqual(status, { id, status: 'error', source: 'crawled', error: { tag, httpStatusCode } });
  });

test('a timeout set by the caller has its own tag', () => {
  const status = { ok: false, id, reason: 'timeout', httpStatus: null, message: 'why' } as const;
  assert.deepEqual(toStatus(status, { timeoutByCaller: true }).error, {
    tag: 'CRAWL_LIVECRAWL_TIMEOUT',
    httpStatusCode: 504,
  });
});
