import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type AccountVisit, cookieOf, signIn, visitAccount } from '../../fixtures/account-visit.ts';
import { openSiteFixture, type SiteFixture } from '../../fixtures/site-fixture.ts';
import { type Answered, keptLog, searchAnswer } from '../../harness.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' };
const { log, lines } = keptLog();

let fixture: SiteFixture;
before(async () => {
  fixture = await openSiteFixture({ search: async () => searchAnswer() }, log);
});
after(() => fixture.close());

const visit = (apiKey: string): Promise<AccountVisit> => visitAccount(fixture.served, apiKey);
const RELOAD = '/account/billing/auto-reload';

async function keyWithCard(): Promise<string> {
  const opened = await fixture.served.get('/buy/instant?auto_reload=1&threshold=200&monthly_max_usd=60');
  const page = opened.headers.get('location') ?? '';
  const paid = await fixture.served.post(new URL(page).pathname, 'action=pay', FORM);
  const { pathname, search } = new URL(paid.headers.get('location') ?? '');
  const { text } = await fixture.served.get(pathname + search, FORM);
  return /id="key"[^>]*>(sdl_[\w-]+)</.exec(text)?.[1] ?? '';
}

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
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
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

describe('/account/keys', () => {
  const secretIn = ({ text }: Answered): string => /id="key"[^>]*>(sdl_[\w-]+)</.exec(text)?.[1] ?? '';

  test('a key is added with limits and shown once; the list names it', async () => {
    const { apiKey } = await fixture.billing.keys.create({ credits: 7, label: null });
    const there = await visit(apiKey);
    const added = await there.send('/account/keys', {
      label: 'Build <server>',
      per_day: '500',
      expires: '30d',
    });
    assert.equal(added.status, 200);
    const { credits, manages, terms } = (await fixture.billing.keys.show(secretIn(added))) ?? assert.fail();
    assert.deepEqual([credits, manages, terms.perDay], [7, false, 500]);
    const list = await there.get('/account/keys');
    assert.equal(secretIn(list), '');
    assert.match(list.text, /Build &lt;server&gt;.*at most 500 calls a day/s);
  });

  test('422: a wrong limit is named, and what was typed stays', async () => {
    const there = await visit((await fixture.billing.keys.create({ credits: 7, label: null })).apiKey);
    const { status, text } = await there.send('/account/keys', {
      label: 'mine',
      per_day: '0',
      expires: 'soon',
    });
    assert.equal(status, 422);
    assert.match(text, /id="per_day-problem">This must be a whole number from 1/);
    assert.match(text, /id="expires-problem">This must be a time from now/);
    assert.match(text, /id="label"[^>]* value="mine"/);
  });

  test('a rotation shows the new secret, keeps the session and lets the old one work for the time chosen', async () => {
    const { apiKey, keyId } = await fixture.billing.keys.create({ credits: 7, label: null });
    const there = await visit(apiKey);
    const rotated = await there.send(`/account/keys/${keyId}/rotate`, { overlap: '1h' });
    const secret = secretIn(rotated);
    assert.match(rotated.text, /The secret from before the last rotation works until <time/);
    for (const key of [apiKey, secret])
      assert.equal((await fixture.served.get('/v1/balance', { 'x-api-key': key })).status, 200);
    await there.send(`/account/keys/${keyId}/end-old`);
    assert.equal((await fixture.served.get('/v1/balance', { 'x-api-key': apiKey })).status, 401);
    assert.doesNotMatch((await there.get(`/account/keys/${keyId}`)).text, /before the last rotation/);
  });

  test('a key is changed, and revoked once the box is ticked; the last that manages is neither', async () => {
    const { apiKey, keyId } = await fixture.billing.keys.create({ credits: 7, label: null });
    const there = await visit(apiKey);
    const id = (await fixture.billing.keys.show(secretIn(await there.send('/account/keys'))))?.id ?? '';
    await there.send(`/account/keys/${id}/change`, { label: 'phone', per_minute: '5' });
    const changed = await fixture.billing.keys.show(id);
    assert.deepEqual([changed?.label, changed?.terms.perMinute], ['phone', 5]);
    assert.equal((await there.send(`/account/keys/${id}/revoke`)).status, 422);
    assert.equal((await there.send(`/account/keys/${id}/revoke`, { sure: '1' })).status, 303);
    assert.equal((await fixture.billing.keys.show(id))?.state, 'revoked');
    for (const [path, fields] of [
      ['revoke', { sure: '1' }],
      ['change', { label: 'x' }],
      ['change', { manages: '1', expires: '1d' }],
    ] as const) {
      const { status, text } = await there.send(`/account/keys/${keyId}/${path}`, fields);
      assert.equal(status, 409, path);
      assert.match(text, /last key that can manage the account/);
    }
  });

  test('403: what the operator limits is not lifted with the key itself, nor by a further one', async () => {
    const terms = { perMinute: 5, perDay: 100, expiresAt: fixture.clock.now() + 86_400_000 };
    const { apiKey, keyId } = await fixture.billing.keys.create({ credits: 7, label: null, terms });
    const further = await fixture.billing.keys.addTo(keyId, {
      ...{ label: 'phone', manages: false },
      terms: { ...terms, perDay: 10 },
    });
    const there = await visit(apiKey);
    const NONE = { per_minute: '', per_day: '', expires: '' };
    for (const id of [keyId, further?.keyId ?? ''])
      for (const fields of [NONE, { per_day: '100000' }, { expires: '365d' }])
        assert.equal(
          (await there.send(`/account/keys/${id}/change`, { label: 'x', manages: '1', ...fields })).status,
          403,
        );
    assert.equal((await there.send('/account/keys', { label: 'mine', ...NONE })).status, 403);
    const records = await fixture.billing.keys.ofAccount(keyId);
    const limits = records.map(({ id, label, terms: { perDay } }) => [id === keyId, label, perDay]);
    assert.deepEqual(limits.sort().reverse(), [
      [true, null, 100],
      [false, 'phone', 10],
    ]);
    for (const path of ['/account/keys', `/account/keys/${keyId}`]) {
      const { text } = await there.get(path);
      assert.match(text, /The operator of this service has set limits/);
      assert.doesNotMatch(text, /name="per_day"/);
    }
    const named = await there.send(`/account/keys/${keyId}/change`, { label: 'x', manages: '1' });
    assert.equal(named.status, 303);
    assert.deepEqual((await fixture.billing.keys.show(keyId))?.terms, terms);
  });

  test('404: a key of another account, with every form', async () => {
    const there = await visit((await fixture.billing.keys.create({ credits: 7, label: null })).apiKey);
    const { keyId, apiKey } = await fixture.billing.keys.create({ credits: 7, label: 'theirs' });
    const paths = ['', '/change', '/rotate', '/end-old', '/revoke'].map(
      (end) => `/account/keys/${keyId}${end}`,
    );
    for (const path of paths) {
      const { status, text } = path.endsWith(keyId)
        ? await there.get(path)
        : await there.send(path, { sure: '1' });
      assert.equal(status, 404, path);
      assert.doesNotMatch(text, /theirs/);
    }
    assert.ok(await fixture.billing.keys.find(apiKey));
  });
});

describe('/account/billing', () => {
  test('the owner changes auto-reload; it holds', async () => {
    const key = await keyWithCard();
    const there = await visit(key);
    const saved = await there.send(RELOAD, {
      ...{ auto_reload: '1', threshold: '300', reload_pack: 'scale', monthly_max_usd: '450.50' },
    });
    assert.equal(saved.headers.get('location'), '/account/billing?done=saved');
    assert.match((await there.get('/account/billing?done=saved')).text, /role="status">Saved\./);
    const { json } = await fixture.served.get('/v1/balance', { 'x-api-key': key });
    const { enabled, threshold, pack, monthly_max_usd } = json.auto_reload;
    assert.deepEqual([enabled, threshold, pack, monthly_max_usd], [true, 300, 'scale', 450.5]);
    await there.send(RELOAD, { threshold: '300' });
    const off = await fixture.served.get('/v1/balance', { 'x-api-key': key });
    assert.equal(off.json.auto_reload.enabled, false);
  });

  test('422: a cap above that of the interface; what was typed stays', async () => {
    const there = await visit(await keyWithCard());
    const fields = { auto_reload: '1', threshold: '777', monthly_max_usd: '501' };
    const { status, text } = await there.send(RELOAD, fields);
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
    const there = await visit(key);
    assert.match(
      (await there.get('/account/billing')).text,
      /id="monthly_max_usd"[^>]* max="2000"[^>]* value="2000"/,
    );
    const save = async (usd: string): Promise<number> =>
      (await there.send(RELOAD, { auto_reload: '1', monthly_max_usd: usd })).status;
    assert.deepEqual([await save('2000'), await save('2000.01'), await save('1500')], [303, 422, 303]);
    assert.equal(await save('1500.01'), 422);
  });

  test('a cap set on the page bounds what a program may set with the key', async () => {
    const key = await keyWithCard();
    await (await visit(key)).send(RELOAD, { auto_reload: '1', monthly_max_usd: '80' });
    const set = (usd: number): Promise<Answered> =>
      fixture.served.post(
        '/v1/billing/auto-reload',
        { enabled: true, monthly_max_usd: usd },
        { 'x-api-key': key },
      );
    assert.deepEqual([(await set(80)).status, (await set(81)).status], [200, 422]);
  });

  test('403: who adds credits to a key cannot make its owner’s card pay more, nor see what it pays', async () => {
    const owner = await keyWithCard();
    const keyId = (await fixture.billing.keys.find(owner))?.keyId ?? '';
    const { text } = await (await visit(owner)).get('/account');
    const opened = await fixture.served.get(/href="(\/buy\/instant\?k=[^"]+)"/.exec(text)?.[1] ?? '');
    const paid = await fixture.served.post(
      new URL(opened.headers.get('location') ?? '').pathname,
      'action=pay',
      FORM,
    );
    const { pathname, search } = new URL(paid.headers.get('location') ?? '');
    const landed = await fixture.served.get(pathname + search, FORM);
    assert.match(landed.text, /15,000 credits were added/);
    assert.doesNotMatch(landed.text, /name="monthly_max_usd"|spent this month|value="200"/);
    const proof = new URLSearchParams(search);
    for (const [name, value] of Object.entries({
      auto_reload: '1',
      threshold: '100000',
      reload_pack: 'scale',
    }))
      proof.set(name, value);
    proof.set('monthly_max_usd', '100000');
    const sent = await fixture.served.post('/success', proof.toString(), FORM);
    assert.equal(sent.status, 403);
    const { threshold, capCents } = await fixture.billing.autoReloads.of(keyId);
    assert.deepEqual([threshold, capCents], [200, 6_000]);
  });

  test('409: no saved card; the page shows how to get one', async () => {
    const there = await visit((await fixture.billing.keys.create({ credits: 5, label: null })).apiKey);
    const { status, text } = await there.send(RELOAD, { auto_reload: '1' });
    assert.equal(status, 409);
    assert.match(text, /There is no saved card/);
    assert.match(text, /href="\/pricing\?k=[^"]+&amp;auto_reload=1"/);
  });

  test('the card is shown by its last digits and removed; what auto-reload did is listed', async () => {
    const key = await keyWithCard();
    const there = await visit(key);
    await there.send(RELOAD, { auto_reload: '1', threshold: '15000', monthly_max_usd: '500' });
    await fixture.served.post('/v1/search', { query: 'q' }, { 'x-api-key': key });
    await fixture.billing.background.drain();
    const { text } = await there.get('/account/billing');
    assert.match(text, /Sandbox ending in 4242/);
    assert.match(text, /Purchases by auto-reload.*60,000 credits added/s);
    const removed = await there.send('/account/billing/remove-card');
    assert.equal(removed.headers.get('location'), '/account/billing?done=removed');
    const after = await there.get('/account/billing?done=removed');
    assert.match(after.text, /The card is removed and auto-reload is off.*No card is saved/s);
  });

  test('404: a receipt of nothing, and of a provider that has none', async () => {
    const there = await visit(await keyWithCard());
    const link =
      /href="(\/account\/receipt\/[^"]+)"/.exec((await there.get('/account/billing')).text)?.[1] ?? '';
    for (const path of [link, '/account/receipt/co_nothing'])
      assert.equal((await there.get(path)).status, 404);
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

test('no key and no session is in any line of the log', async () => {
  const key = await keyWithCard();
  const { cookie, send } = await visit(key);
  await send(RELOAD, { threshold: '1' });
  assert.ok(lines.length > 0);
  for (const secret of [key.slice(0, 12), cookie.slice(-20)]) assert.ok(!lines.join('').includes(secret));
});
