import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openSiteFixture, type SiteFixture } from '../../fixtures/site-fixture.ts';
import { type Answered, keptLog } from '../../harness.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' };
const { log, lines } = keptLog();

let fixture: SiteFixture;
before(async () => {
  fixture = await openSiteFixture({}, log);
});
after(() => fixture.close());

const show = (fields: Record<string, string>, path = '/account'): Promise<Answered> =>
  fixture.served.post(path, new URLSearchParams(fields).toString(), FORM);

async function keyWithCard(): Promise<string> {
  const opened = await fixture.served.get('/buy/instant?auto_reload=1&threshold=200&monthly_max_usd=60');
  const page = opened.headers.get('location') ?? '';
  const paid = await fixture.served.post(new URL(page).pathname, 'action=pay', FORM);
  const { pathname, search } = new URL(paid.headers.get('location') ?? '');
  const { text } = await fixture.served.get(pathname + search, FORM);
  return /id="key"[^>]*>(sdl_[\w-]+)</.exec(text)?.[1] ?? '';
}

describe('POST /account', () => {
  test('200: balance, use of 30 days as a picture and as a table, links that add credits to this key', async () => {
    const { apiKey } = await fixture.billing.keys.create({ credits: 4_321, label: null });
    const { status, text, headers } = await show({ key: ` ${apiKey}\n` });
    assert.equal(status, 200);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.match(text, /<dd>4,321<\/dd>/);
    assert.match(text, /role="img" aria-label="0 credits used from 2026-10-23 to 2026-11-21/);
    assert.equal(text.match(/<rect /g)?.length, 30);
    assert.equal(text.match(/<tr><th scope="row">2026-/g)?.length, 30);
    assert.match(text, /href="\/buy\/scale\?k=[\w-]+\.[\w-]+"/);
  });

  test('the limits of a key, and nothing about limits for others', async () => {
    const terms = { perMinute: 60, perDay: 1_000, expiresAt: Date.parse('2036-12-31T00:00:00Z') };
    const { apiKey } = await fixture.billing.keys.create({ credits: 1, label: null, terms });
    assert.match(
      (await show({ key: apiKey })).text,
      /Limits of this key: at most 60 calls a minute and 1,000 a day, until 2036-12-31T00:00:00Z\. 0 made today \(UTC\)\./,
    );
    const other = await fixture.billing.keys.create({ credits: 1, label: null });
    assert.doesNotMatch((await show({ key: other.apiKey })).text, /Limits/);
  });

  test('401: an expired key says when it expired', async () => {
    const terms = { perMinute: null, perDay: null, expiresAt: Date.parse('2020-01-01T00:00:00Z') };
    const { apiKey } = await fixture.billing.keys.create({ credits: 1, label: null, terms });
    const { status, text } = await show({ key: apiKey });
    assert.equal(status, 401);
    assert.match(text, /This API key expired at 2020-01-01T00:00:00.000Z/);
  });

  test('a link of the page adds credits to the key', async () => {
    const { apiKey } = await fixture.billing.keys.create({ credits: 5, label: null });
    const link = /href="(\/buy\/instant\?k=[^"]+)"/.exec((await show({ key: apiKey })).text)?.[1] ?? '';
    const opened = await fixture.served.get(link);
    const paid = await fixture.served.post(
      new URL(opened.headers.get('location') ?? '').pathname,
      'action=pay',
      FORM,
    );
    const { pathname, search } = new URL(paid.headers.get('location') ?? '');
    assert.match((await fixture.served.get(pathname + search, FORM)).text, /15,000 credits were added to/);
    assert.match((await show({ key: apiKey })).text, /<dd>15,005<\/dd>/);
  });

  test('401 and 422: a key that is unknown, none at all', async () => {
    const unknown = await show({ key: 'sdl_nobody' });
    assert.equal(unknown.status, 401);
    assert.match(unknown.text, /role="alert">This key is unknown/);
    assert.equal((await show({})).status, 422);
  });
});

describe('POST /account/auto-reload', () => {
  test('the owner changes it; it holds', async () => {
    const key = await keyWithCard();
    const saved = await show(
      { key, auto_reload: '1', threshold: '300', reload_pack: 'scale', monthly_max_usd: '450.50' },
      '/account/auto-reload',
    );
    assert.equal(saved.status, 200);
    assert.match(saved.text, /role="status">Saved\./);
    const { json } = await fixture.served.get('/v1/balance', { 'x-api-key': key });
    const { enabled, threshold, pack, monthly_max_usd } = json.auto_reload;
    assert.deepEqual([enabled, threshold, pack, monthly_max_usd], [true, 300, 'scale', 450.5]);
  });

  test('off, by a box that is not ticked', async () => {
    const key = await keyWithCard();
    await show({ key, threshold: '300' }, '/account/auto-reload');
    const { json } = await fixture.served.get('/v1/balance', { 'x-api-key': key });
    assert.equal(json.auto_reload.enabled, false);
  });

  test('422: a cap above that of the interface; what was typed stays', async () => {
    const key = await keyWithCard();
    const { status, text } = await show(
      { key, auto_reload: '1', threshold: '777', monthly_max_usd: '501' },
      '/account/auto-reload',
    );
    assert.equal(status, 422);
    assert.match(text, /value="777"/);
    assert.match(
      text,
      /id="monthly_max_usd-problem">This must be an amount in USD from 1 to 500, in whole cents/,
    );
  });

  test('a cap above that of the interface, set after a payment, stays and may be lowered', async () => {
    const key = await keyWithCard();
    const keyId = (await fixture.billing.keys.find(key))?.keyId ?? '';
    await fixture.billing.autoReloads.configure(keyId, { enabled: true, capCents: 200_000 }, { by: 'owner' });
    assert.match((await show({ key })).text, /id="monthly_max_usd"[^>]* max="2000"[^>]* value="2000"/);
    const save = async (usd: string): Promise<number> =>
      (await show({ key, auto_reload: '1', monthly_max_usd: usd }, '/account/auto-reload')).status;
    assert.deepEqual([await save('2000'), await save('2000.01'), await save('1500')], [200, 422, 200]);
    assert.equal(await save('1500.01'), 422);
  });

  test('a cap set on the page bounds what a program may set with the key', async () => {
    const key = await keyWithCard();
    await show({ key, auto_reload: '1', monthly_max_usd: '80' }, '/account/auto-reload');
    const set = (usd: number): Promise<Answered> =>
      fixture.served.post(
        '/v1/billing/auto-reload',
        { enabled: true, monthly_max_usd: usd },
        { 'x-api-key': key },
      );
    assert.deepEqual([(await set(80)).status, (await set(81)).status], [200, 422]);
  });

  test('409: no saved card; the page shows how to get one', async () => {
    const { apiKey } = await fixture.billing.keys.create({ credits: 5, label: null });
    const { status, text } = await show({ key: apiKey, auto_reload: '1' }, '/account/auto-reload');
    assert.equal(status, 409);
    assert.match(text, /There is no saved card/);
    assert.match(text, /href="\/pricing\?k=[^"]+&amp;auto_reload=1"/);
  });

  test('401: an unknown key changes nothing', async () => {
    assert.equal((await show({ key: 'sdl_nobody', auto_reload: '1' }, '/account/auto-reload')).status, 401);
  });
});

test('no key is in any line of the log', async () => {
  const key = await keyWithCard();
  await show({ key });
  await show({ key, threshold: '1' }, '/account/auto-reload');
  assert.ok(lines.length > 0);
  assert.ok(!lines.join('').includes(key.slice(0, 12)));
});
