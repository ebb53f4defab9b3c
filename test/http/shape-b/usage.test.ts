import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Served, serveReal } from '../../harness.ts';

let app: Served & Awaited<ReturnType<typeof serveReal>>;
before(async () => {
  app = await serveReal();
});
after(() => app.close());

test('the usage of a key is what it used this month, and its limit what is left beside it', async () => {
  const { apiKey } = await app.billing.keys.create({ credits: 10, label: null });
  const headers = { authorization: `Bearer ${apiKey}` };
  assert.equal((await app.post('/shapeB/search', { query: 'q' }, headers)).status, 200);
  const { status, json, text } = await app.get('/shapeB/usage', headers);
  assert.equal(status, 200, text);
  assert.deepEqual(json, {
    key: { usage: 1, limit: null, calls_per_day: null },
    account: { current_plan: 'credits', plan_usage: 1, plan_limit: 10, paygo_usage: 0, paygo_limit: null },
  });
  assert.deepEqual((await app.get('/shapeB/usage', headers)).json, json, 'asking is free');
});

test('without a key it is 401 in the second shape', async () => {
  for (const headers of [{}, { authorization: 'Bearer unknown' }]) {
    const { status, json } = await app.get('/shapeB/usage', headers as Record<string, string>);
    assert.equal(status, 401);
    assert.match(json.detail.error, /^invalid_api_key/);
  }
});
