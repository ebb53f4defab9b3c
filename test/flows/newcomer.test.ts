import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type RealServed, serveReal } from '../harness.ts';

/** Somebody starts the service, uses up the free requests, claims a key and goes on. */
let served: RealServed;
before(async () => {
  served = await serveReal();
});
after(() => served.close());

test('25 searches, a link to pay, a free key, and a balance that falls', async () => {
  const search = (headers: Record<string, string> = {}) =>
    served.post('/v1/search', { query: 'sanderling' }, headers);
  for (let left = 24; left >= 0; left--) {
    const { status, headers } = await search();
    assert.deepEqual([status, headers.get('x-credits-remaining')], [200, String(left)]);
  }
  const refused = await search();
  assert.equal(refused.status, 402);
  assert.equal(refused.json.error, 'keyless_limit');
  assert.match(refused.json.message, /\/buy\/instant.*\/v1\/keys\/free/);

  const { apiKey, credits } = (await served.post('/v1/keys/free', {})).json;
  assert.equal(credits, 2_500);
  const key = { authorization: `Bearer ${apiKey}` };
  assert.equal((await search(key)).headers.get('x-credits-remaining'), '2499');
  assert.equal((await search(key)).json.costDollars.total, 0.001);
  const { json } = await served.get('/v1/balance', key);
  assert.equal(json.credits, 2_498);
  assert.equal(json.burn_rate_per_day, 0.29);
});
