import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { visitAccount } from '../fixtures/account-visit.ts';
import { describeOnStores } from '../fixtures/postgres.ts';
import { type Answered, type RealServed, serveReal } from '../harness.ts';
import { connect, textOf } from '../mcp/connect.ts';

/** A server that others reach: nobody gets credits that were not paid for, unless the operator says so. */
const BASE = 'https://search.example.org';
const PUBLIC = { BASE_URL: BASE, TRUST_PROXY: '1' };
const BROWSER = { accept: 'text/html' };
const SEARCH = { query: 'sanderling' };
const BUY_LINK = /\/buy\//;

/** Headers of a caller behind the proxy whose address nobody has had before. */
let callers = 0;
function from(): Record<string, string> {
  callers += 1;
  return { 'x-forwarded-for': `198.18.0.${callers}` };
}

async function served(t: TestContext, settings: Record<string, string>): Promise<RealServed> {
  const app = await serveReal({ ...PUBLIC, ...settings });
  t.after(() => app.close());
  return app;
}

/** Sends until the free requests of the address are used up. */
async function exhausted(app: RealServed, headers: Record<string, string>): Promise<Answered> {
  for (let call = 0; call <= 25; call++) {
    const answer = await app.post('/v1/search', SEARCH, headers);
    if (answer.status === 402) return answer;
  }
  assert.fail('never refused');
}

await describeOnStores('a public address without Stripe', (databaseUrl) => {
  let app: RealServed;
  before(async () => {
    app = await serveReal({ ...PUBLIC, ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }) });
  });
  after(() => app.close());

  test('/buy leads to a page that says that nothing is for sale', async () => {
    for (const [path, headers] of [
      ['/buy/instant', BROWSER],
      ['/buy/builder?auto_reload=1', {}],
    ] as const) {
      const { status, headers: sent } = await app.get(path, headers);
      const { pathname } = new URL(sent.get('location') ?? '');
      assert.deepEqual([status, pathname], [303, '/pricing']);
      const page = await app.get(pathname, BROWSER);
      assert.equal(page.status, 200);
      assert.match(page.text, /Credits are not for sale at the moment[\s\S]*free key/);
    }
    assert.equal((await app.get('/buy/none')).status, 404);
    for (const path of ['/success', '/sandbox/pay/x']) assert.equal((await app.get(path)).status, 404, path);
    assert.equal((await app.post('/webhooks/stripe', {})).status, 404);
  });

  test('402 and 432 keep their fields, offer no pack and lead to a free key', async () => {
    const headers = from();
    const { json, headers: sent } = await exhausted(app, headers);
    assert.equal(json.error, 'keyless_limit');
    assert.doesNotMatch(json.message, BUY_LINK);
    assert.match(json.message, /claim a free key with POST https:\/\/search\.example\.org\/v1\/keys\/free$/);
    assert.deepEqual(json.packs, []);
    assert.equal(json.action.url, `${BASE}/buy/instant`);
    assert.doesNotMatch(json.action.prompt_to_user, BUY_LINK);
    assert.equal(sent.get('x-payment-url'), json.checkout_url);
    const second = await app.post('/shapeB/search', SEARCH, headers);
    assert.equal(second.status, 432);
    assert.deepEqual(second.json.error.next_actions, []);
    assert.doesNotMatch(second.json.detail.error, BUY_LINK);

    const client = await connect(app.address, { headers });
    const refused = textOf(await client.callTool({ name: 'service_search', arguments: SEARCH }));
    await client.close();
    assert.match(refused, /^payment_required \(keyless_limit\): .*\/v1\/keys\/free/);
    assert.doesNotMatch(refused, BUY_LINK);
  });

  test('a free key works; out of credits, its owner is sent to the operator', async () => {
    const { json } = await app.post('/v1/keys/free', {}, from());
    const { headers } = await app.post('/v1/search', SEARCH, { 'x-api-key': json.apiKey });
    assert.equal(headers.get('x-credits-remaining'), '2499');
    const { apiKey } = await app.billing.keys.create({ credits: 0, label: null });
    const refused = await app.post('/v1/search', SEARCH, { 'x-api-key': apiKey });
    assert.equal(refused.status, 402);
    assert.match(refused.json.message, /Otherwise ask the operator of this service for credits\.$/);
    const reload = await app.post('/v1/billing/auto-reload', { enabled: true }, { 'x-api-key': apiKey });
    assert.deepEqual([reload.status, reload.json.error], [409, 'no_payment_method']);
    assert.doesNotMatch(reload.json.message, BUY_LINK);
  });

  test('no page links to a payment', async () => {
    const { apiKey } = await app.billing.keys.create({ credits: 5, label: null });
    const there = await visitAccount(app, apiKey);
    const pages = [
      await app.get('/', BROWSER),
      await app.get('/pricing', BROWSER),
      await app.get('/pricing?k=x&auto_reload=1', BROWSER),
      await there.get('/account'),
      await there.get('/account/billing'),
    ];
    for (const { status, text } of pages) {
      assert.equal(status, 200);
      assert.doesNotMatch(text, BUY_LINK);
    }
  });
});

describe('who takes the payments', () => {
  test('PAYMENTS=sandbox sells on a public address, because the operator says so', async (t) => {
    const app = await served(t, { PAYMENTS: 'sandbox' });
    const { status, headers } = await app.get('/buy/instant', from());
    assert.equal(status, 303);
    assert.match(headers.get('location') ?? '', /^https:\/\/search\.example\.org\/sandbox\/pay\//);
  });

  test('without a public address the sandbox stands in; PAYMENTS=off closes it', async (t) => {
    const sandbox = await served(t, { BASE_URL: '', PAYMENTS: 'sandbox' });
    assert.equal((await sandbox.get('/buy/instant', from())).status, 303);
    const off = await served(t, { BASE_URL: '', PAYMENTS: 'off' });
    const { status, headers } = await off.get('/buy/instant', from());
    assert.deepEqual([status, new URL(headers.get('location') ?? '').pathname], [303, '/pricing']);
  });
});

test('FREE_KEYS=off: nobody gets a free key, and nothing mentions one', async (t) => {
  const app = await served(t, { FREE_KEYS: 'off', PAYMENTS: 'sandbox' });
  const claim = await app.post('/v1/keys/free', {}, from());
  assert.deepEqual([claim.status, claim.json.error], [403, 'forbidden']);
  assert.match(claim.json.message, /no free keys/);
  for (const path of ['/', '/pricing', '/docs', '/llms.txt', '/openapi.json', '/buy/nothing'])
    assert.doesNotMatch((await app.get(path, BROWSER)).text, /keys\/free|free key/i, path);
  const headers = from();
  const { json } = await exhausted(app, headers);
  assert.doesNotMatch(json.message, /keys\/free/);
  const page = await app.get('/?q=sanderling', { ...BROWSER, ...headers });
  assert.equal(page.status, 402);
  assert.doesNotMatch(page.text, /keys\/free/);
});

describe('KEYLESS_PER_DAY=0: a key is required', () => {
  const WAY =
    /requires an API key.*claim a free key with POST https:\/\/search\.example\.org\/v1\/keys\/free/;

  test('401 says where to get one, in every shape', async (t) => {
    const app = await served(t, { KEYLESS_PER_DAY: '0' });
    const first = await app.post('/v1/search', SEARCH);
    assert.deepEqual([first.status, first.json.error], [401, 'invalid_api_key']);
    assert.match(first.json.message, WAY);
    assert.equal(first.headers.get('x-credits-remaining'), '0');
    const second = await app.post('/shapeB/search', { ...SEARCH, api_key: 'keyless' });
    assert.equal(second.status, 401);
    assert.match(second.json.detail.error, WAY);
    assert.equal((await app.get('/r/https://example.org/')).status, 401);
    const page = await app.get('/?q=sanderling', BROWSER);
    assert.equal(page.status, 401);
    assert.match(page.text, /Every call needs a key here[\s\S]*action="\/free-key"/);
    const client = await connect(app.address);
    const refused = textOf(await client.callTool({ name: 'service_search', arguments: SEARCH }));
    await client.close();
    assert.match(refused, WAY);
    assert.doesNotMatch(refused, /work without a key/);
  });

  test('a key works, and the pages offer no box to search without one', async (t) => {
    const app = await served(t, { KEYLESS_PER_DAY: '0' });
    const owner = await app.owner();
    assert.equal((await owner.post('/v1/search', SEARCH)).status, 200);
    assert.equal((await app.get('/v1/sources')).status, 200);
    const start = await app.get('/', BROWSER);
    assert.match(start.text, /Every call needs a key/);
    assert.doesNotMatch(start.text, /role="search"|free requests/);
    assert.match((await app.get('/pricing', BROWSER)).text, /Every call needs a key/);
    assert.match((await app.get('/docs', BROWSER)).text, /Every call needs one/);
    assert.match((await app.get('/llms.txt')).text, /Every call needs a key/);
  });
});

test('UNMETERED_NETWORKS: callers from there are free, and the others are counted as before', async (t) => {
  const app = await served(t, { UNMETERED_NETWORKS: '10.0.0.0/8' });
  const inside = { 'x-forwarded-for': '10.1.2.3' };
  // An address that the caller claims itself is not trusted.
  const claimed = { 'x-forwarded-for': '10.1.2.3, 203.0.113.77' };
  for (let call = 0; call < 30; call++) {
    const { status, headers } = await app.post('/v1/search', SEARCH, inside);
    assert.deepEqual([status, headers.get('x-credits-remaining')], [200, '25']);
  }
  const { headers } = await app.post('/v1/search', SEARCH, claimed);
  assert.equal(headers.get('x-credits-remaining'), '24');
});
