import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOTHING_KNOWN, type SourceReading } from '../../recall/upstream/upstream-types.ts';
import { createSourcesHandler } from './sources.ts';

const terms = { url: 'https://plain.org/terms', note: 'be gentle' };
const reading: SourceReading = {
  ...NOTHING_KNOWN,
  name: 'plain',
  about: 'for tests',
  scope: 'web',
  terms,
  state: 'on',
  why: null,
};

test('a source reports its state, its latency and its terms', async () => {
  const asked = {
    ...reading,
    calls: 9,
    p50Ms: 41.4,
    p90Ms: 80,
    p95Ms: 99.6,
    successShare: 2 / 3,
    quotaLeft: 7,
  };
  const off: SourceReading = {
    ...reading,
    name: 'other',
    state: 'off',
    why: 'OTHER_URL is not set',
    terms: null,
  };
  assert.deepEqual((await createSourcesHandler(() => [asked, off])()).body, {
    sources: [
      {
        name: 'plain',
        about: 'for tests',
        scope: 'web',
        state: 'on',
        terms,
        breaker: 'closed',
        calls: 9,
        p50Ms: 41,
        p95Ms: 100,
        successShare: 0.667,
        quotaLeft: 7,
      },
      {
        name: 'other',
        about: 'for tests',
        scope: 'web',
        state: 'off',
        why: 'OTHER_URL is not set',
        breaker: 'closed',
        calls: 0,
        p50Ms: null,
        p95Ms: null,
        successShare: null,
        quotaLeft: null,
      },
    ],
  });
});
