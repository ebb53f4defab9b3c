import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { KeyTerms } from '../../../src/billing/limits/key-limits.ts';
import {
  type Answered,
  contentsAnswer,
  readAnswer,
  researchAnswer,
  searchAnswer,
  verifyAnswer,
} from '../../harness.ts';
import { type ChargedFixture, openChargedFixture } from './charged-service.ts';

const NOON = '2026-11-21T12:00:00Z';
const NO_TERMS: KeyTerms = { perMinute: null, perDay: null, expiresAt: null };
const READ = '/r/https://example.org/';

let fixture: ChargedFixture;
before(async () => {
  fixture = await openChargedFixture(null, {
    search: async () => searchAnswer(),
    similar: async () => searchAnswer(),
    contents: async () => contentsAnswer(),
    research: async () => researchAnswer(),
    read: async () => readAnswer(),
    verify: async () => verifyAnswer(),
    siteCrawl: async () => ({ pages: [], ms: 1 }) as never,
    siteMap: async () => [],
    balanceOf: (keyId) => fixture.billing.balanceOf(keyId),
  });
});
after(() => fixture.close());
beforeEach(() => fixture.clock.set(NOON));

async function keyWith(
  terms: Partial<KeyTerms>,
): Promise<{ keyId: string; headers: { 'x-api-key': string } }> {
  const created = { credits: 100, label: null, terms: { ...NO_TERMS, ...terms } };
  const { keyId, apiKey } = await fixture.billing.keys.create(created);
  return { keyId, headers: { 'x-api-key': apiKey } };
}

type Headers = Record<string, string>;
const post =
  (path: string, body: object) =>
  (headers: Headers): Promise<Answered> =>
    fixture.served.post(path, body, headers);
const tool = post('/mcp', {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'service_search', arguments: { query: 'q' } },
});

const url = 'https://example.org/';
const FIRST_SHAPE: [name: string, send: (headers: Headers) => Promise<Answered>][] = [
  ['POST /v1/search', post('/v1/search', { query: 'q' })],
  ['POST /v1/findSimilar', post('/v1/findSimilar', { url })],
  ['POST /v1/contents', post('/v1/contents', { urls: [url] })],
  ['POST /v1/research', post('/v1/research', { question: 'what is it' })],
  ['POST /v1/verify', post('/v1/verify', { url, quote: 'a quotation' })],
  ['GET /r', (headers) => fixture.served.get(READ, headers)],
];
const SECOND_SHAPE: typeof FIRST_SHAPE = [
  ['POST /shapeB/search', post('/shapeB/search', { query: 'q' })],
  ['POST /shapeB/extract', post('/shapeB/extract', { urls: [url] })],
  ['POST /shapeB/crawl', post('/shapeB/crawl', { url })],
  ['POST /shapeB/map', post('/shapeB/map', { url })],
];

describe('429: a key with limits', () => {
  for (const [name, send] of FIRST_SHAPE)
    test(`${name} names the limit and the wait, and takes no credits`, async () => {
      const { headers } = await keyWith({ perMinute: 1 });
      const first = await send(headers);
      assert.notEqual(first.status, 429);
      fixture.clock.set('2026-11-21T12:00:20Z');
      const refused = await send(headers);
      assert.equal(refused.status, 429);
      assert.equal(refused.headers.get('retry-after'), '40');
      assert.equal(refused.headers.get('x-credits-remaining'), first.headers.get('x-credits-remaining'));
      assert.equal(refused.json.error, 'rate_limited');
      assert.match(refused.json.message, /may make 1 call per minute \(UTC\); the count resets in 40 s/);
      assert.equal(refused.json.requestId, refused.headers.get('x-request-id'));
      fixture.clock.set('2026-11-21T12:01:00Z');
      assert.notEqual((await send(headers)).status, 429);
    });

  for (const [name, send] of SECOND_SHAPE)
    test(`${name} says it in the error format of its shape`, async () => {
      const { headers } = await keyWith({ perMinute: 1 });
      assert.notEqual((await send(headers)).status, 429);
      const refused = await send(headers);
      assert.equal(refused.status, 429);
      assert.equal(refused.headers.get('retry-after'), '60');
      assert.deepEqual(Object.keys(refused.json), ['detail']);
      assert.match(refused.json.detail.error, /^rate_limited: This key may make 1 call per minute/);
    });

  test('a tool call counts too, and tells the agent how long to wait', async () => {
    const { headers } = await keyWith({ perMinute: 1 });
    assert.equal((await tool(headers)).json.result.isError ?? false, false);
    const refused = (await tool(headers)).json.result;
    assert.equal(refused.isError, true);
    assert.match(
      refused.content[0].text,
      /^rate_limited: .*; retry after 60 s \(no credits were charged\)\.$/,
    );
  });

  test('a day is counted over all routes and ends at midnight UTC', async () => {
    const { headers } = await keyWith({ perDay: 2 });
    assert.equal((await fixture.served.get(READ, headers)).status, 200);
    assert.equal((await fixture.served.post('/v1/search', { query: 'q' }, headers)).status, 200);
    const refused = await fixture.served.get(READ, headers);
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get('retry-after'), '43200');
    fixture.clock.set('2026-11-22T00:00:00Z');
    assert.equal((await fixture.served.get(READ, headers)).status, 200);
  });

  test('an invalid call counts, an unreadable one does not; both keep their own error', async () => {
    const { headers } = await keyWith({ perMinute: 1 });
    const unreadable = await fixture.served.post('/v1/search', '{', headers);
    assert.equal(unreadable.status, 422);
    assert.equal(unreadable.headers.get('x-credits-remaining'), '100');
    assert.equal((await fixture.served.post('/v1/search', { query: 7 }, headers)).status, 422);
    assert.equal((await fixture.served.post('/v1/search', { query: 'q' }, headers)).status, 429);
    assert.equal((await fixture.served.post('/v1/search', '{', headers)).status, 422);
  });

  test('a change of the limits takes effect at once', async () => {
    const { keyId, headers } = await keyWith({ perMinute: 1 });
    for (const status of [200, 429]) assert.equal((await fixture.served.get(READ, headers)).status, status);
    await fixture.billing.keys.changeTerms(keyId, { perMinute: 2 });
    for (const status of [200, 429]) assert.equal((await fixture.served.get(READ, headers)).status, status);
    await fixture.billing.keys.changeTerms(keyId, { perMinute: null });
    assert.equal((await fixture.served.get(READ, headers)).status, 200);
  });
});

test('a key without limits, a free key among them, is never refused for its rate', async () => {
  const { apiKey: free } = await fixture.billing.keys.claimFree('203.0.113.77');
  const { headers } = await keyWith({});
  for (const key of [headers['x-api-key'], free]) {
    const calls = Array.from({ length: 60 }, () => fixture.served.get(READ, { 'x-api-key': key }));
    for (const { status } of await Promise.all(calls)) assert.equal(status, 200);
  }
  const rows = fixture.billing.ledgerStore.db.selectFrom('allowance').select('address');
  const { keyId } = await fixture.billing.keys.find(free).then((found) => found ?? assert.fail());
  assert.ok(!(await rows.execute()).some(({ address }) => address === keyId));
});

describe('401: an expired key', () => {
  const expiresAt = Date.parse('2026-11-21T13:00:00Z');

  test('works until its last instant, then says when it expired, in the error format of each shape', async () => {
    const { headers } = await keyWith({ expiresAt });
    fixture.clock.set('2026-11-21T12:59:59Z');
    assert.equal((await fixture.served.get(READ, headers)).status, 200);
    fixture.clock.set('2026-11-21T13:00:00Z');
    const first = await fixture.served.get(READ, headers);
    assert.deepEqual([first.status, first.json.error], [401, 'expired_api_key']);
    assert.equal(first.json.message, 'This API key expired at 2026-11-21T13:00:00.000Z.');
    const second = await fixture.served.post('/shapeB/search', { query: 'q' }, headers);
    assert.equal(second.status, 401);
    assert.match(second.json.detail.error, /^expired_api_key: This API key expired at 2026-11-21/);
    assert.equal((await fixture.served.get('/v1/balance', headers)).status, 401);
    assert.match(
      (await tool(headers)).json.result.content[0].text,
      /^expired_api_key: .*; ask the user for a new key/,
    );
  });

  test('a later expiry brings it back', async () => {
    const { keyId, headers } = await keyWith({ expiresAt });
    fixture.clock.set('2026-11-21T13:00:00Z');
    await fixture.billing.keys.changeTerms(keyId, { expiresAt: null });
    assert.equal((await fixture.served.get(READ, headers)).status, 200);
  });
});

test('GET /v1/balance and its tool show the limits, and nothing for a key without any', async () => {
  const limited = await keyWith({ perMinute: 60, perDay: 10, expiresAt: Date.parse('2026-12-31T00:00:00Z') });
  await fixture.served.get(READ, limited.headers);
  assert.deepEqual((await fixture.served.get('/v1/balance', limited.headers)).json.limits, {
    per_minute: 60,
    per_day: 10,
    calls_today: 1,
    expires_at: '2026-12-31T00:00:00.000Z',
  });
  const params = { name: 'service_balance', arguments: {} };
  const asked = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const { json } = await fixture.served.post('/mcp', asked, limited.headers);
  assert.match(
    json.result.content[0].text,
    /Calls per minute: at most 60\nCalls today \(UTC\): 1 of 10\nExpires: 2026-12-31/,
  );
  const { headers } = await keyWith({});
  assert.ok(!('limits' in (await fixture.served.get('/v1/balance', headers)).json));
});
