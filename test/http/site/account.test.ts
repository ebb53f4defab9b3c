import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type AccountVisit, cookieOf, signIn } from '../../fixtures/account-visit.ts';
import type { Answered } from '../../harness.ts';
import { FORM, fixture, serveAccounts, visit } from './account-fixture.ts';

serveAccounts();

describe('POST /account', () => {
  test('303: a cookie that scripts and other sites cannot use, and that does not hold the key', async () => {
    const { apiKey } = await fixture.billing.keys.create({ credits: 1, label: null });
    const { status, headers } = await signIn(fixture.served, ` ${apiKey}\n`);
    assert.deepEqual([status, headers.get('location')], [303, '/account']);
    const cookie = headers.get('set-cookie') ?? '';
    assert.match(
      cookie,
      /^sanderling_account=[\w-]{43}; Path=\/account; Max-Age=604800; HttpOnly; SameSite=Strict$/,
    );
    assert.ok(!cookie.includes(apiKey.slice(4, 12)));
    const behindTls = await signIn(fixture.served, apiKey, { 'x-forwarded-proto': 'https' });
    assert.match(behindTls.headers.get('set-cookie') ?? '', /; Secure$/);
  });

  test('401 and 422: a key that is unknown, none at all; no cookie', async () => {
    const unknown = await signIn(fixture.served, 'sdl_nobody');
    assert.equal(unknown.status, 401);
    assert.match(unknown.text, /role="alert">This key is unknown/);
    assert.equal((await signIn(fixture.served, '')).status, 422);
    assert.equal(cookieOf(unknown), '');
  });

  test('401: an expired key says when it expired', async () => {
    const terms = { perMinute: null, perDay: null, expiresAt: Date.parse('2020-01-01T00:00:00Z') };
    const { apiKey } = await fixture.billing.keys.create({ credits: 1, label: null, terms });
    const { status, text } = await signIn(fixture.served, apiKey);
    assert.equal(status, 401);
    assert.match(text, /This API key expired at 2020-01-01T00:00:00.000Z/);
  });

  test('403: a key that may only call, and its id', async () => {
    const { keyId } = await fixture.billing.keys.create({ credits: 1, label: null });
    const further = await fixture.billing.keys.addTo(keyId, { label: null, manages: false });
    const { status, text } = await signIn(fixture.served, further?.apiKey ?? '');
    assert.equal(status, 403);
    assert.match(text, /may only call/);
    assert.equal((await signIn(fixture.served, keyId)).status, 401);
  });

  test('403: a form of another site signs nobody in', async () => {
    const { apiKey } = await fixture.billing.keys.create({ credits: 1, label: null });
    // As a browser sends a form of another page: followed like a link, and some leave the origin out.
    const form = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, form, { origin: 'https://evil.example' }]) {
      const refused = await signIn(fixture.served, apiKey, headers as Record<string, string>);
      assert.deepEqual([refused.status, cookieOf(refused)], [403, '']);
    }
  });

  test('429: wrong keys of one address are bounded, then also the right one waits', async () => {
    const { apiKey } = await fixture.billing.keys.create({ credits: 1, label: null });
    fixture.clock.set(new Date(fixture.clock.now() + 3_600_000).toISOString());
    const tried = [];
    for (let place = 0; place < 11; place++) tried.push((await signIn(fixture.served, 'sdl_wrong')).status);
    assert.deepEqual(tried, [...Array.from({ length: 10 }, () => 401), 429]);
    const right = await signIn(fixture.served, apiKey);
    assert.equal(right.status, 429);
    assert.ok(Number(right.headers.get('retry-after')) > 3_000);
    fixture.clock.set(new Date(fixture.clock.now() + 3_600_000).toISOString());
    assert.equal((await signIn(fixture.served, apiKey)).status, 303);
  });
});

describe('GET /account', () => {
  test('200: balance, and what comes while nothing was used', async () => {
    const { apiKey } = await fixture.billing.keys.create({ credits: 4_321, label: null });
    const { status, text, headers } = await (await visit(apiKey)).get('/account');
    assert.equal(status, 200);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.match(text, /<dd>4,321<\/dd>/);
    assert.match(text, /class="empty".*Nothing used yet/s);
    assert.match(text, /href="\/buy\/scale\?k=[\w-]+\.[\w-]+"/);
  });

  test('use as a picture with axes and as a table, by endpoint and key, and each charge', async () => {
    const { apiKey, keyId } = await fixture.billing.keys.create({ credits: 500, label: 'main' });
    await fixture.served.post('/v1/search', { query: 'q' }, { 'x-api-key': apiKey });
    const there = await visit(apiKey);
    assert.match((await there.get('/account')).text, /role="img" aria-label="1 credits? used from/);
    const { text } = await there.get('/account/usage');
    assert.equal(text.match(/<rect /g)?.length, 30);
    assert.equal(text.match(/<tr><th scope="row">2026-/g)?.length, 30);
    assert.match(text, /axis-y.*<span>2<\/span><span>1<\/span><span>0<\/span>/s);
    assert.match(text, /<code>\/v1\/search<\/code><\/th><td>main<\/td><td class="number">1<\/td>/);
    const [charge] = await fixture.billing.accountUsage.lastCharges(keyId, 1);
    assert.ok(text.includes(`<code>${charge?.requestId}</code>`));
  });

  test('a link of the page adds credits to the account', async () => {
    const { apiKey } = await fixture.billing.keys.create({ credits: 5, label: null });
    const there = await visit(apiKey);
    const link = /href="(\/buy\/instant\?k=[^"]+)"/.exec((await there.get('/account')).text)?.[1] ?? '';
    const opened = await fixture.served.get(link);
    const paid = await fixture.served.post(
      new URL(opened.headers.get('location') ?? '').pathname,
      'action=pay',
      FORM,
    );
    const { pathname, search } = new URL(paid.headers.get('location') ?? '');
    assert.match((await fixture.served.get(pathname + search, FORM)).text, /15,000 credits were added to/);
    assert.match((await there.get('/account')).text, /<dd>15,005<\/dd>/);
    assert.match((await there.get('/account/billing')).text, /Instant<\/td><td>checkout<\/td>/);
  });

  test('every page asks who is not signed in for a key', async () => {
    for (const path of ['', '/usage', '/keys', '/billing', '/keys/key_x', '/receipt/co_x']) {
      const { status, text } = await fixture.served.get(`/account${path}`, { accept: 'text/html' });
      assert.equal(status, 200, path);
      assert.match(text, /<input id="key"/, path);
    }
  });
});

describe('a session', () => {
  test('ends by signing out, and everywhere by signing out everywhere', async () => {
    const { apiKey } = await fixture.billing.keys.create({ credits: 1, label: null });
    const [one, two, three] = [await visit(apiKey), await visit(apiKey), await visit(apiKey)];
    const isIn = async (there: AccountVisit): Promise<boolean> =>
      (await there.get('/account')).text.includes('Credits left');
    const left = await one.send('/account/sign-out');
    assert.match(
      left.headers.get('set-cookie') ?? '',
      /^sanderling_account=; Path=\/account; Max-Age=0; HttpOnly/,
    );
    assert.deepEqual([await isIn(one), await isIn(two)], [false, true]);
    await two.send('/account/sign-out', { everywhere: '1' });
    assert.deepEqual([await isIn(two), await isIn(three)], [false, false]);
  });

  test('403: every form needs the token of its own session, and 401 without a session', async () => {
    const [mine, other] = await Promise.all(
      ['mine', 'other'].map(async (label) =>
        visit((await fixture.billing.keys.create({ credits: 1, label })).apiKey),
      ),
    );
    const { text } = (await other?.get('/account')) ?? { text: '' };
    const foreign = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
    assert.ok(foreign.length > 20);
    const PATHS = ['sign-out', 'keys', 'keys/x/change', 'keys/x/rotate', 'keys/x/end-old', 'keys/x/revoke'];
    for (const path of [...PATHS, 'billing/auto-reload', 'billing/remove-card']) {
      for (const csrf of ['', foreign])
        assert.equal((await mine?.send(`/account/${path}`, { csrf }))?.status, 403, path);
      assert.equal((await fixture.served.post(`/account/${path}`, '', FORM)).status, 401, path);
    }
    assert.equal((await mine?.get('/account'))?.text.includes('Credits left'), true);
  });
});

describe('/account/recover', () => {
  const recover = (fields: Record<string, string>): Promise<Answered> =>
    fixture.served.post('/account/recover', new URLSearchParams(fields).toString(), FORM);

  test('the code beside the new key gives a new secret and a new code; the old ones end', async () => {
    const opened = await fixture.served.get('/buy/instant');
    const paid = await fixture.served.post(
      new URL(opened.headers.get('location') ?? '').pathname,
      'action=pay',
      FORM,
    );
    const { pathname, search } = new URL(paid.headers.get('location') ?? '');
    const { text } = await fixture.served.get(pathname + search, FORM);
    const [key = '', code = ''] = ['key', 'code'].map(
      (id) => new RegExp(`id="${id}"[^>]*>([^<]+)<`).exec(text)?.[1],
    );
    const recovered = await recover({ reference: code });
    assert.equal(recovered.status, 200);
    const next = /id="key"[^>]*>(sdl_[^<]+)</.exec(recovered.text)?.[1] ?? '';
    assert.equal((await fixture.served.get('/v1/balance', { 'x-api-key': key })).status, 401);
    assert.equal((await fixture.served.get('/v1/balance', { 'x-api-key': next })).json.credits, 15_000);
    assert.equal((await recover({ reference: code })).status, 403);
  });

  test('403, then 429: wrong proofs of one address are bounded', async () => {
    fixture.clock.set(new Date(fixture.clock.now() + 3_600_000).toISOString());
    const statuses = [];
    for (let place = 0; place < 11; place++)
      statuses.push((await recover({ reference: 'cs_test_1', last4: '4242' })).status);
    assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 403), 429]);
    fixture.clock.set(new Date(fixture.clock.now() + 3_600_000).toISOString());
  });
});
