import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ENTRIES_MAX, ITEMS_MAX } from '../responses/read-json.ts';
import type { SourceAnswer, SourceResponse } from '../source.ts';
import { ALL_SOURCES } from './all-sources.ts';

const json = (value: unknown, more: Partial<SourceResponse> = {}): SourceResponse => ({
  status: 200,
  headers: {},
  body: JSON.stringify(value),
  ...more,
});

function read(name: string, response: SourceResponse): SourceAnswer {
  const spec = ALL_SOURCES.find((one) => one.name === name);
  assert.ok(spec !== undefined);
  return spec.read(response);
}

describe('errors that sources report in their own words', () => {
  const mojeek = (status: string): SourceResponse => json({ response: { status } });
  const stackexchange = (error_id: number, error_message = ''): SourceResponse =>
    json({ error_id, error_message, error_name: 'x' }, { status: 400 });
  const table: [name: string, response: SourceResponse, answer: SourceAnswer][] = [
    ['mojeek', mojeek('ERROR: Daily Limit Reached'), { kind: 'throttled', retryAfterMs: 3_600_000 }],
    ['mojeek', mojeek('ERROR: Rate limit'), { kind: 'throttled', retryAfterMs: null }],
    ['mojeek', mojeek('ERROR: Invalid API Key'), { kind: 'refused', why: 'the key is not taken' }],
    ['mojeek', mojeek('ERROR: Something'), { kind: 'failed', why: 'status ERROR' }],
    [
      'stackexchange',
      stackexchange(502, 'too many requests from this IP, more requests available in 512 seconds'),
      { kind: 'throttled', retryAfterMs: 512_000 },
    ],
    ['stackexchange', stackexchange(502), { kind: 'throttled', retryAfterMs: null }],
    ['stackexchange', stackexchange(403), { kind: 'refused', why: 'Stack Exchange error 403' }],
    ['stackexchange', stackexchange(500), { kind: 'failed', why: 'Stack Exchange error 500' }],
    [
      'kagi',
      json({ data: null, error: [{ code: 101, msg: 'x' }] }, { status: 402 }),
      { kind: 'refused', why: 'Kagi error 101' },
    ],
    ['kagi', json({ data: null, error: [{ code: 0, msg: 'x' }] }), { kind: 'failed', why: 'Kagi error 0' }],
    [
      'brave',
      json({ type: 'ErrorResponse', error: { code: 'SUBSCRIPTION_TOKEN_INVALID' } }, { status: 422 }),
      { kind: 'refused', why: 'the key is not taken' },
    ],
    [
      'brave',
      json({ error: { code: 'VALIDATION' } }, { status: 422 }),
      { kind: 'failed', why: 'VALIDATION' },
    ],
    [
      'wikipedia',
      json({ error: { code: 'maxlag', info: 'Waiting' } }, { headers: { 'retry-after': '5' } }),
      { kind: 'throttled', retryAfterMs: 5_000 },
    ],
    ['wikipedia', json({ error: { code: 'badvalue' } }), { kind: 'failed', why: 'MediaWiki error badvalue' }],
    [
      'github',
      json(
        { message: 'API rate limit exceeded' },
        {
          status: 403,
          headers: {
            'x-ratelimit-remaining': '0',
            'x-ratelimit-reset': '1767225660',
            date: 'Thu, 01 Jan 2026 00:00:00 GMT',
          },
        },
      ),
      { kind: 'throttled', retryAfterMs: 60_000 },
    ],
    [
      'github',
      json({ message: 'You have exceeded a secondary rate limit.' }, { status: 403 }),
      { kind: 'throttled', retryAfterMs: 60_000 },
    ],
    ['github', json({ message: 'Bad credentials' }, { status: 401 }), { kind: 'refused', why: 'status 401' }],
    [
      'github',
      json({ message: 'Validation Failed' }, { status: 422 }),
      { kind: 'failed', why: 'the query was not understood' },
    ],
    ['marginalia', json({}, { status: 503 }), { kind: 'throttled', retryAfterMs: null }],
    [
      'arxiv',
      {
        status: 200,
        headers: {},
        body: '<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/api/errors#x</id><title>Error</title><summary>max_results must be non-negative</summary></entry></feed>',
      },
      { kind: 'failed', why: 'max_results must be non-negative' },
    ],
    [
      'searxng',
      json({}, { status: 403, body: '<!doctype html><title>403 Forbidden</title>' }),
      { kind: 'refused', why: 'status 403' },
    ],
  ];
  for (const [name, response, answer] of table) {
    test(`${name}: ${response.status} ${response.body.slice(0, 60)}`, () =>
      assert.deepEqual(read(name, response), answer));
  }
});

describe('SearXNG answers 200 whatever happened', () => {
  test('nothing found with failed engines is a failure that names them', () => {
    const answer = read(
      'searxng',
      json({ results: [], unresponsive_engines: [['tide', 'timeout'], [7], 'x'] }),
    );
    assert.deepEqual(answer, { kind: 'failed', why: 'no engine answered: tide, unnamed, unnamed' });
  });
  test('nothing found without a named engine is an unproven empty answer', () => {
    const answer = read('searxng', json({ results: [], unresponsive_engines: [] }));
    assert.deepEqual(answer, { kind: 'ok', items: [], proven: false, quotaLeft: null });
  });
});

describe('quota and pauses', () => {
  test('Brave puts the monthly quota last', () => {
    const answer = read(
      'brave',
      json({ type: 'search' }, { headers: { 'x-ratelimit-remaining': '0, 1832' } }),
    );
    assert.deepEqual(answer, { kind: 'ok', items: [], proven: true, quotaLeft: 1832 });
  });
  test('Stack Exchange asks for a pause along with its results', () => {
    const answer = read('stackexchange', json({ items: [], backoff: 10, quota_remaining: 3 }));
    assert.deepEqual(answer, { kind: 'ok', items: [], proven: true, quotaLeft: 3, pauseMs: 10_000 });
  });
  test('Semantic Scholar omits its list if it is empty', () => {
    const answer = read('semanticscholar', json({ total: 0, offset: 0 }));
    assert.deepEqual(answer, { kind: 'ok', items: [], proven: true, quotaLeft: null });
  });
});

describe('bounds', () => {
  const result = (at: number): unknown => ({
    url: `https://a.example.org/${at}`,
    title: `T${at}`,
    description: 'd',
  });
  test('10,000 results are cut to the maximum', () => {
    const answer = read(
      'marginalia',
      json({ results: Array.from({ length: 10_000 }, (_, at) => result(at)) }),
    );
    assert.ok(answer.kind === 'ok' && answer.items.length === ITEMS_MAX);
  });
  test('the same address counts once, its first place', () => {
    const answer = read(
      'marginalia',
      json({ results: [result(1), result(2), { url: 'https://a.example.org/1', title: 'again' }] }),
    );
    assert.ok(answer.kind === 'ok');
    assert.deepEqual(
      answer.items.map(({ title }) => title),
      ['T1', 'T2'],
    );
  });
  test('a bounded number of entries is read', () => {
    const broken = Array.from({ length: ENTRIES_MAX }, () => null);
    const answer = read('marginalia', json({ results: [result(1), ...broken, result(2)] }));
    assert.ok(answer.kind === 'ok' && answer.items.length === 1);
  });
  test('entries without an address or a title are not results; without any result the answer has an unexpected shape', () => {
    const answer = read(
      'marginalia',
      json({ results: [{ url: 'https://a.example.org/' }, { title: 'x' }, 7, null] }),
    );
    assert.equal(answer.kind, 'failed');
  });
  test('JSON nested too deep is broken JSON', () => {
    for (const body of ['['.repeat(1_000_000), `${'{"a":'.repeat(500_000)}1${'}'.repeat(500_000)}`])
      assert.equal(read('marginalia', { status: 200, headers: {}, body }).kind, 'failed');
  });
});
