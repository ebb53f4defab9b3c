import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Answered } from '../../harness.ts';
import { FORM, fixture, keyWithCard, lines, serveAccounts, visit } from './account-fixture.ts';

serveAccounts();

const RELOAD = '/account/billing/auto-reload';

describe('/account/billing', () => {
  test('the owner changes auto-reload; it holds', async () => {
    const key = await keyWithCard();
    const there = await visit(key);
    const saved = await there.send(RELOAD, {
      auto_reload: '1',
      threshold: '300',
      reload_pack: 'scale',
      monthly_max_usd: '450.50',
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

  test('the service writes the receipt where its provider has none; 404: a receipt of nothing', async () => {
    const there = await visit(await keyWithCard());
    const link =
      /href="(\/account\/receipt\/[^"]+)"/.exec((await there.get('/account/billing')).text)?.[1] ?? '';
    const receipt = await there.get(link);
    assert.equal(receipt.status, 200);
    assert.match(receipt.text, /<h1>Receipt<\/h1>.*no money moves.*15,000.*\$15/s);
    assert.equal((await there.get('/account/receipt/co_nothing')).status, 404);
  });
});

test('no key and no session is in any line of the log', async () => {
  const key = await keyWithCard();
  const { cookie, send } = await visit(key);
  await send(RELOAD, { threshold: '1' });
  assert.ok(lines.length > 0);
  for (const secret of [key.slice(0, 12), cookie.slice(-20)]) assert.ok(!lines.join('').includes(secret));
});
