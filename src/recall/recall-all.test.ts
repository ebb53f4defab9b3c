import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBackground } from '../platform/background.ts';
import { createLog } from '../platform/log.ts';
import { readQuery } from '../text/query/read-query.ts';
import type { RecallQuery } from './recall.ts';
import { createRecallAll } from './recall-all.ts';
import type { Upstream, UpstreamResponse } from './upstream/upstream-types.ts';

const QUERY: RecallQuery = {
  query: readQuery('waders'),
  limit: 10,
  includeDomains: [],
  excludeDomains: [],
  publishedFrom: null,
  publishedTo: null,
  signal: new AbortController().signal,
};

test('further results have a deadline of their own', async () => {
  let release = (_: UpstreamResponse): void => {};
  const web: Upstream = {
    name: 'web',
    scope: 'web',
    mayBeCached: true,
    fitOf: () => 1,
    isWaitedFor: () => true,
    isClosed: () => true,
    markSlow: () => {},
    ask: () =>
      new Promise((resolve) => {
        release = resolve;
      }),
    kept: () => null,
    reading: () => assert.fail('not read here'),
  };
  const background = createBackground(createLog('silent'));
  const limits = { softMs: 60_000, hardMs: 60_000, furtherMs: 5 };
  const recall = createRecallAll({ local: null, upstreams: [web], background, limits });
  assert.deepEqual(await recall(QUERY, 1), {
    lists: [],
    reports: { web: { ok: false, error: 'timeout', ms: 5 } },
    cache: 'miss',
    mayBeKept: true,
    isIndexLate: false,
  });
  release({ ok: true, items: [], cache: 'miss' });
  await background.drain();
});
