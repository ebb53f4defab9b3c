import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from '../platform/metrics.ts';
import { watchSources } from './source-metrics.ts';
import { NOTHING_KNOWN, type SourceReading } from './upstream/upstream-types.ts';

const reading = (parts: Partial<SourceReading>): SourceReading => ({
  ...NOTHING_KNOWN,
  name: 'plain',
  about: 'for tests',
  scope: 'web',
  terms: null,
  state: 'on',
  why: null,
  ...parts,
});

test('the current figures of the sources that are on', async (t) => {
  let readings = [
    reading({ calls: 4, p50Ms: 50, p95Ms: 90, successShare: 0.75, quotaLeft: 9 }),
    reading({ name: 'new' }),
    reading({ name: 'absent', state: 'off' }),
  ];
  const metrics = createMetrics();
  t.after(() => metrics.close());
  watchSources(metrics, () => readings);
  const { body } = await metrics.text();
  for (const line of [
    'sanderling_source_calls{source="plain"} 4',
    'sanderling_source_success_share{source="plain"} 0.75',
    'sanderling_source_p50_seconds{source="plain"} 0.05',
    'sanderling_source_p95_seconds{source="plain"} 0.09',
    'sanderling_source_quota_left{source="plain"} 9',
    'sanderling_source_breaker{source="plain",state="closed"} 1',
    'sanderling_source_breaker{source="plain",state="open"} 0',
    'sanderling_source_calls{source="new"} 0',
  ])
    assert.ok(body.split('\n').includes(line), line);
  assert.doesNotMatch(body, /quota_left\{source="new"\}|source="absent"/);
  readings = [reading({ breaker: 'open' })];
  const later = (await metrics.text()).body;
  assert.match(later, /source_breaker\{source="plain",state="open"\} 1/);
  assert.doesNotMatch(later, /source="new"/);
});
