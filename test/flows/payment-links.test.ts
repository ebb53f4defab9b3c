import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openSiteFixture, type SiteFixture } from '../fixtures/site-fixture.ts';
import { type Answered, searchAnswer } from '../harness.ts';
import { connect, textOf } from '../mcp/connect.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' };
const TOP_UP = /\/buy\/instant\?k=[\w-]+\.[\w-]+$/;

let fixture: SiteFixture;
before(async () => {
  fixture = await openSiteFixture({ search: async () => searchAnswer(), trustProxy: 1 });
});
after(() => fixture.close());

type Key = { 'x-api-key': string };

async function keyWith(credits: number): Promise<Key> {
  const { apiKey } = await fixture.billing.keys.create({ credits, label: null });
  return { 'x-api-key': apiKey };
}

const search = (key: Key, path = '/v1/search'): Promise<Answered> =>
  fixture.served.post(path, { query: 'q' }, key);
const turnOn = (key: Key, more: object = {}): Promise<Answered> =>
  fixture.served.post('/v1/billing/auto-reload', { enabled: true, ...more }, key);
const balance = async (key: Key) => (await fixture.served.get('/v1/balance', key)).json;

async function toolText(key: Key, tool: string, args: object): Promise<string> {
  const client = await connect(fixture.served.address, { headers: key });
  const result = await client.callTool({ name: tool, arguments: { ...args } });
  await client.close();
  return textOf(result);
}

/** The first link to buy in a text, as a person would follow it. */
const linkIn = (text: string): string => /https?:\/\/\S+\/buy\/\S+/.exec(text)?.[0] ?? assert.fail(text);

/** Follows a link through the sandbox's payment page and lands on the success page. */
async function buyThrough(link: string): Promise<void> {
  const { pathname, search: query } = new URL(link);
  const opened = await fixture.served.get(pathname + query);
  assert.equal(opened.status, 303, opened.text);
  const page = new URL(opened.headers.get('location') ?? '').pathname;
  const paid = await fixture.served.post(page, 'action=pay', FORM);
  const landed = new URL(paid.headers.get('location') ?? '');
  assert.equal((await fixture.served.get(landed.pathname + landed.search, FORM)).status, 200);
}

describe('out of credits: every link tops up the key that asked', () => {
  const texts: [where: string, textFor: (key: Key) => Promise<string>][] = [
    ['message of a 402', async (key) => (await search(key)).json.message],
    ['checkout_url of a 402', async (key) => (await search(key)).json.checkout_url],
    ['X-Payment-URL of a 402', async (key) => (await search(key)).headers.get('x-payment-url') ?? ''],
    ['prompt_to_user of a 402', async (key) => (await search(key)).json.action.prompt_to_user],
    ['packs of a 402', async (key) => (await search(key)).json.packs[0].url],
    ['detail.error of a 432', async (key) => (await search(key, '/shapeB/search')).json.detail.error],
    [
      'X-Payment-URL of a 432',
      async (key) => (await search(key, '/shapeB/search')).headers.get('x-payment-url') ?? '',
    ],
    ['text of a tool', (key) => toolText(key, 'service_search', { query: 'q' })],
  ];
  for (const [where, textFor] of texts)
    test(where, async () => {
      const key = await keyWith(0);
      const link = linkIn(await textFor(key));
      assert.match(link, TOP_UP);
      await buyThrough(link);
      const { credits, auto_reload } = await balance(key);
      assert.deepEqual([credits, auto_reload.enabled], [15_000, false]);
      assert.equal((await search(key)).status, 200);
    });

  test('action.url names the pack alone', async () => {
    const { json } = await search(await keyWith(0));
    assert.equal(json.action.url, `${fixture.served.address}/buy/instant`);
  });
});

describe('no saved card: every link tops up the key that asked and turns its auto-reload on', () => {
  const texts: [where: string, textFor: (key: Key) => Promise<string>][] = [
    ['message of a 409', async (key) => (await turnOn(key)).json.message],
    ['text of a tool', (key) => toolText(key, 'service_auto_reload', { enabled: true })],
  ];
  for (const [where, textFor] of texts)
    test(where, async () => {
      const key = await keyWith(10);
      await buyThrough(linkIn(await textFor(key)));
      const { credits, auto_reload } = await balance(key);
      assert.deepEqual([credits, auto_reload.enabled], [15_010, true]);
    });

  test('what was asked for is what the buyer agrees to', async () => {
    const key = await keyWith(10);
    const { json } = await turnOn(key, { threshold: 2_000, pack: 'scale', monthly_max_usd: 300 });
    await buyThrough(linkIn(json.message));
    const { enabled, threshold, pack, monthly_max_usd } = (await balance(key)).auto_reload;
    assert.deepEqual([enabled, threshold, pack, monthly_max_usd], [true, 2_000, 'scale', 300]);
  });
});

describe('the free requests of a day are used up: when they return, and where to buy', () => {
  let addresses = 0;
  const usedUp = async (path: string): Promise<Answered> => {
    addresses += 1;
    const headers = { 'x-forwarded-for': `198.51.100.${addresses}` };
    for (let call = 0; call < 25; call++) await fixture.served.post(path, { query: 'q' }, headers);
    fixture.clock.set('2026-11-21T23:58:30Z');
    return fixture.served.post(path, { query: 'q' }, headers);
  };

  test('402', async () => {
    const { status, json, headers } = await usedUp('/v1/search');
    assert.deepEqual([status, json.error], [402, 'keyless_limit']);
    assert.equal(headers.get('retry-after'), '90');
    assert.match(json.message, /2026-11-22T00:00:00Z/);
    assert.equal(linkIn(json.message), `${fixture.served.address}/buy/instant`);
    assert.equal(json.checkout_url, `${fixture.served.address}/buy/instant`);
  });

  test('432', async () => {
    const { status, json, headers } = await usedUp('/shapeB/search');
    assert.equal(status, 432);
    assert.equal(headers.get('retry-after'), '90');
    assert.match(json.detail.error, /^keyless_limit: .*2026-11-22T00:00:00Z/);
    assert.equal(json.error.retry_after_seconds, 90);
  });

  test('a key without credits gets no reset time', async () => {
    assert.equal((await search(await keyWith(0))).headers.get('retry-after'), null);
  });
});
