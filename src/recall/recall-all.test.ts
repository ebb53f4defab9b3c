import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createBackground } from '../platform/background.ts';
import { createLog } from '../platform/log.ts';
import { readQuery } from '../text/query/read-query.ts';
import type { LocalSource, RecallQuery, RecallResult } from './recall.ts';
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

const ITEM = { url: 'https://birds.example/knot', title: 'Red knot', snippet: '', publishedDay: null };

const buildUpstream = (ask: Upstream['ask']): Upstream => ({
  name: 'web',
  scope: 'web',
  mayBeCached: true,
  fitOf: () => 1,
  isWaitedFor: () => true,
  isClosed: () => true,
  markSlow: () => {},
  ask,
  kept: () => null,
  reading: () => assert.fail('not read here'),
});

describe('sources outside, with an index that may suffice', () => {
  const background = createBackground(createLog('silent'));
  const found = (score: number, isWeak = false): LocalSource => ({
    name: 'index',
    find: async () => [{ ...ITEM, score, isWeak, source: 'index' }],
  });
  /** Names the sources that were asked. */
  const ask = async (
    local: LocalSource,
    outsideBelow: number,
    query: Partial<RecallQuery> = {},
  ): Promise<{ asked: string[]; result: RecallResult }> => {
    const asked: string[] = [];
    const web = buildUpstream(async () => {
      asked.push('web');
      return { ok: true, items: [], cache: 'miss' };
    });
    const recall = createRecallAll({ local, upstreams: [web], background, outsideBelow });
    return { result: await recall({ ...QUERY, ...query }), asked };
  };

  test('are not asked when it has a likely result, which the answer says', async () => {
    const { asked, result } = await ask(found(0.6), 0.5);
    assert.deepEqual(asked, []);
    assert.deepEqual(
      result.lists.map(({ source }) => source),
      ['index'],
    );
    assert.match(JSON.stringify(result.reports.web), /"ok":true,"results":0.*not asked: the local index/);
  });

  const CASES: [when: string, local: LocalSource, below: number, query: Partial<RecallQuery>][] = [
    ['its best result is unlikely', found(0.4), 0.5, {}],
    ['its results are weak', found(0.9, true), 0.5, {}],
    ['it finds nothing', { name: 'index', find: async () => [] }, 0, {}],
    ['it fails', { name: 'index', find: () => Promise.reject(new Error('is down')) }, 0, {}],
    ['news are asked for', found(0.9), 0.5, { topic: 'news' }],
    ['nothing is set', found(1), 1, {}],
  ];
  for (const [when, local, below, query] of CASES)
    test(`are asked when ${when}`, async () => {
      assert.deepEqual((await ask(local, below, query)).asked, ['web']);
    });
});

test('further results have a deadline of their own', async () => {
  let release = (_: UpstreamResponse): void => {};
  const web = buildUpstream(
    () =>
      new Promise((resolve) => {
        release = resolve;
      }),
  );
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
