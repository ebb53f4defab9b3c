import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { describeOnStores } from '../../fixtures/postgres.ts';
import { searchAnswer } from '../../harness.ts';
import { type ChargedFixture, openChargedFixture } from '../calls/charged-service.ts';

let fixture: ChargedFixture;
const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address });

await describeOnStores('accounts', (databaseUrl) => {
  before(async () => {
    fixture = await openChargedFixture(databaseUrl, { trustProxy: 1, search: async () => searchAnswer() });
  });
  after(() => fixture.close());

  describe('POST /v1/keys/free', () => {
    const claim = (address: string, body: unknown = {}) =>
      fixture.served.post('/v1/keys/free', body, from(address));

    test('200: a key with 2,500 credits that works at once and is stored as a hash only', async () => {
      const { status, json, headers } = await claim('203.0.113.9');
      assert.equal(status, 200);
      assert.deepEqual(Object.keys(json).toSorted(), ['apiKey', 'credits']);
      assert.equal(json.credits, 2_500);
      assert.match(json.apiKey, /^sdl_[\w-]{43}$/);
      assert.equal(headers.get('cache-control'), 'no-store');
      const search = await fixture.served.post('/v1/search', { query: 'q' }, { 'x-api-key': json.apiKey });
      assert.equal(search.headers.get('x-credits-remaining'), '2499');
      const rows = await fixture.billing.ledgerStore.db.selectFrom('api_key').selectAll().execute();
      assert.ok(!JSON.stringify(rows).includes(json.apiKey));
    });

    test('200 with any body, or none', async () => {
      assert.equal((await claim('198.51.100.1', '')).status, 200);
      assert.equal((await claim('198.18.0.1', '{nonsense')).status, 200);
    });

    const networks: [first: string, same: string, other: string][] = [
      ['192.0.2.1', '192.0.2.200', '192.0.3.1'],
      ['2001:db8:1::1', '2001:db8:1:ffff::7', '2001:db8:2::1'],
      ['::ffff:198.19.7.1', '198.19.7.9', '198.19.8.1'],
    ];
    for (const [first, same, other] of networks) {
      test(`409: ${same} is of the network of ${first}, ${other} is not`, async () => {
        assert.equal((await claim(first)).status, 200);
        const { status, json } = await claim(same);
        assert.deepEqual([status, json.error], [409, 'free_key_already_issued']);
        assert.equal(typeof json.message, 'string');
        assert.equal((await claim(other)).status, 200);
      });
    }

    test('fifty claims of one network at once give one key', async () => {
      const claims = Array.from({ length: 50 }, (_, host) => claim(`198.51.7.${host}`));
      const statuses = (await Promise.all(claims)).map(({ status }) => status);
      assert.equal(statuses.filter((status) => status === 200).length, 1);
      assert.equal(statuses.filter((status) => status === 409).length, 49);
    });
  });

  describe('POST /v1/billing/auto-reload', () => {
    test('403 for a key that only makes calls: what an account spends by itself is for keys that manage it', async () => {
      const { billing, served } = fixture;
      const first = await billing.keys.create({ credits: 100, label: null });
      const further = await billing.keys.addTo(first.keyId, { label: null, manages: false });
      const change = (apiKey = '') =>
        served.post('/v1/billing/auto-reload', { enabled: false }, { 'x-api-key': apiKey });
      const refused = await change(further?.apiKey);
      assert.deepEqual([refused.status, refused.json.error], [403, 'forbidden']);
      assert.equal((await change(first.apiKey)).status, 200);
      const calls = await served.post('/v1/search', { query: 'q' }, { 'x-api-key': further?.apiKey ?? '' });
      assert.equal(calls.status, 200);
    });
  });

  describe('GET /v1/balance', () => {
    test('200: credits, auto-reload and the burn rate of seven UTC days', async () => {
      fixture.clock.set('2026-11-14T23:59:59.999Z');
      const { apiKey } = await fixture.billing.keys.create({ credits: 1_000, label: null });
      const key = { authorization: `Bearer ${apiKey}` };
      const search = () => fixture.served.post('/v1/search', { query: 'q' }, key);
      // The first day lies just outside of the seven, the second just inside.
      for (let call = 0; call < 5; call++) await search();
      fixture.clock.set('2026-11-15T00:00:00.000Z');
      for (let call = 0; call < 3; call++) await search();
      fixture.clock.set('2026-11-21T12:00:00Z');
      for (let call = 0; call < 4; call++) await search();
      const { status, json, headers } = await fixture.served.get('/v1/balance', key);
      assert.equal(status, 200);
      assert.deepEqual(json, {
        credits: 988,
        auto_reload: {
          enabled: false,
          threshold: 1_000,
          pack: 'builder',
          monthly_max_usd: 500,
          spent_this_month_usd: 0,
          last_error: null,
        },
        burn_rate_per_day: 1,
      });
      assert.equal(headers.get('x-credits-remaining'), null);
    });

    test('200 with the key as x-api-key', async () => {
      const { apiKey } = await fixture.billing.keys.create({ credits: 7, label: null });
      assert.equal((await fixture.served.get('/v1/balance', { 'x-api-key': apiKey })).json.credits, 7);
    });

    test('401: no key, an unknown one, one in the address', async () => {
      const { apiKey } = await fixture.billing.keys.create({ credits: 7, label: null });
      for (const [path, headers] of [
        ['/v1/balance', {}],
        ['/v1/balance', { 'x-api-key': 'keyless' }],
        ['/v1/balance', { 'x-api-key': 'sdl_nobody' }],
        [`/v1/balance?key=${apiKey}`, {}],
      ] as const) {
        const { status, json } = await fixture.served.get(path, headers);
        assert.deepEqual([status, json.error], [401, 'invalid_api_key'], path);
      }
    });
  });
});

describe('GET /metrics', () => {
  const TOKEN = 'a-token-of-some-length';
  before(async () => {
    fixture = await openChargedFixture(null, { search: async () => searchAnswer(), metricsToken: TOKEN });
  });
  after(() => fixture.close());

  test('200 on this machine: requests, credits, stages, event loop', async () => {
    const { apiKey } = await fixture.billing.keys.create({ credits: 7, label: null });
    await fixture.served.post('/v1/search', { query: 'q' }, { 'x-api-key': apiKey });
    await fixture.served.post('/v1/search', {}, { 'x-api-key': apiKey });
    const { status, text, headers } = await fixture.served.get('/metrics');
    assert.equal(status, 200);
    assert.match(headers.get('content-type') ?? '', /^text\/plain/);
    for (const line of [
      /^sanderling_request_seconds_count\{route="\/v1\/search",status="200"\} 1$/m,
      /^sanderling_request_seconds_count\{route="\/v1\/search",status="422"\} 1$/m,
      /^sanderling_credits_held_total 1$/m,
      /^sanderling_credits_captured_total 1$/m,
      /^sanderling_credits_refunded_total 0$/m,
      /^sanderling_stage_seconds_count\{stage="recall"\} 1$/m,
      /^nodejs_eventloop_lag_p99_seconds /m,
    ])
      assert.match(text, line);
  });

  test('200 from elsewhere with the token, 403 without', async () => {
    const statuses = [];
    for (const headers of [
      from('203.0.113.9'),
      { ...from('203.0.113.9'), authorization: 'Bearer wrong' },
      { ...from('203.0.113.9'), authorization: `Bearer ${TOKEN}` },
    ])
      statuses.push((await fixture.served.get('/metrics', headers)).status);
    assert.deepEqual(statuses, [403, 403, 200]);
  });
});
