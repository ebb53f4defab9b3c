import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { claimPurchase } from '../../src/billing/payments/purchase-procedures.ts';
import { describeOnStores } from '../fixtures/postgres.ts';
import { searchAnswer } from '../harness.ts';
import { type ChargedFixture, openChargedFixture } from '../http/calls/charged-service.ts';
import { connect, textOf } from '../mcp/connect.ts';

let fixture: ChargedFixture;

await describeOnStores('auto-reload', (databaseUrl) => {
  before(async () => {
    fixture = await openChargedFixture(databaseUrl, { search: async () => searchAnswer() });
  });
  after(() => fixture.close());
  beforeEach(() => {
    fixture.clock.set('2026-11-21T12:00:00Z');
    fixture.payments.script.splice(0);
  });

  describe('the state table of the contract', () => {
    test('off, turned on with a saved card: on', async () => {
      const key = await boughtKey({ enabled: false });
      const { status, json } = await configure(key, { enabled: true, threshold: 100, pack: 'scale' });
      assert.equal(status, 200);
      assert.deepEqual(json.auto_reload, {
        ...{ enabled: true, threshold: 100, pack: 'scale' },
        ...{ monthly_max_usd: 500, spent_this_month_usd: 0, last_error: null },
      });
    });

    test('off, turned on without a card: 409 and nothing changes', async () => {
      const { apiKey } = await fixture.billing.keys.create({ credits: 5, label: null });
      const key = { authorization: `Bearer ${apiKey}` };
      const { status, json } = await configure(key, { enabled: true, threshold: 500 });
      assert.deepEqual([status, json.error], [409, 'no_payment_method']);
      assert.match(
        json.message,
        new RegExp(`${fixture.served.address}/buy/instant\\?auto_reload=1&threshold=500&k=`),
      );
      const settings = (await balance(key)).auto_reload;
      assert.deepEqual([settings.enabled, settings.threshold], [false, 1_000]);
    });

    test('on, turned off: off', async () => {
      const key = await boughtKey({});
      assert.equal((await configure(key, { enabled: false })).json.auto_reload.enabled, false);
    });

    test('on, a deduction below the threshold, within the cap: one purchase', async () => {
      const key = await boughtKey({ credits: 15_000, threshold: 15_000 });
      assert.equal(await search(key), 14_999);
      await settled();
      const { credits, auto_reload } = await balance(key);
      assert.equal(credits, 14_999 + 60_000);
      assert.deepEqual([auto_reload.enabled, auto_reload.spent_this_month_usd], [true, 50]);
    });

    test('on, charges at once for answers at hand, several at the same time: one purchase', async () => {
      const { key, keyId } = await boughtKeyAndId({ threshold: 15_000 });
      const before = fixture.payments.charges.size;
      await Promise.all(
        Array.from({ length: 5 }, async (_, place) => {
          const charge = await fixture.billing.meter.beginCharge({ kind: 'key', keyId }, `${keyId} ${place}`);
          await charge.charge(1);
        }),
      );
      await settled();
      assert.equal(fixture.payments.charges.size, before + 1);
      assert.equal((await balance(key)).credits, 14_995 + 60_000);
    });

    test('on, charges that reach the ledger together and only together are below the threshold: one purchase', async () => {
      const { keyId } = await boughtKeyAndId({ threshold: 14_998 });
      const before = fixture.payments.charges.size;
      await Promise.all(
        Array.from({ length: 5 }, async (_, place) => {
          const id = `${keyId} together ${place}`;
          const charge = await fixture.billing.meter.beginCharge({ kind: 'key', keyId }, id);
          await charge.charge(1);
        }),
      );
      await settled();
      assert.equal(fixture.payments.charges.size, before + 1);
    });

    test('on, the same deduction, beyond the cap: no purchase', async () => {
      const key = await boughtKey({ threshold: 15_000, capUsd: 49.99 });
      await search(key);
      await settled();
      const { credits, auto_reload } = await balance(key);
      assert.deepEqual([credits, auto_reload.enabled, auto_reload.last_error], [14_999, true, null]);
    });

    test('on, the payment is declined: off, and why', async () => {
      const key = await boughtKey({ threshold: 15_000 });
      fixture.payments.script.push({ decline: 'card_declined' });
      await search(key);
      await settled();
      const { credits, auto_reload } = await balance(key);
      assert.deepEqual(
        [credits, auto_reload.enabled, auto_reload.last_error, auto_reload.spent_this_month_usd],
        [14_999, false, 'card_declined', 0],
      );
      // Nobody can confirm it later, when the purchase is long called failed.
      assert.equal([...fixture.payments.charges.values()].at(-1)?.state, 'canceled');
      await search(key);
      await settled();
      assert.equal((await balance(key)).credits, 14_998);
      assert.equal((await configure(key, { enabled: true })).json.auto_reload.last_error, null);
    });
  });

  describe('crossings', () => {
    test('exactly at the threshold: no purchase; one below: a purchase', async () => {
      const key = await boughtKey({ threshold: 14_999 });
      await search(key);
      await settled();
      assert.equal((await balance(key)).credits, 14_999);
      await search(key);
      await settled();
      assert.equal((await balance(key)).credits, 14_998 + 60_000);
    });

    test('the cap reached exactly is within it; one cent more is not', async () => {
      const key = await boughtKey({ threshold: 100_000, reloadPack: 'instant', capUsd: 30 });
      for (let call = 0; call < 5; call++) {
        await search(key);
        await settled();
      }
      const { credits, auto_reload } = await balance(key);
      assert.deepEqual([credits, auto_reload.spent_this_month_usd], [3 * 15_000 - 5, 30]);
    });

    test('a new UTC month begins at midnight', async () => {
      fixture.clock.set('2026-11-30T23:59:59.999Z');
      const key = await boughtKey({ threshold: 100_000, reloadPack: 'instant', capUsd: 15 });
      await search(key);
      await settled();
      await search(key);
      await settled();
      assert.equal((await balance(key)).auto_reload.spent_this_month_usd, 15);
      fixture.clock.set('2026-12-01T00:00:00.000Z');
      assert.equal((await balance(key)).auto_reload.spent_this_month_usd, 0);
      await search(key);
      await settled();
      const { credits, auto_reload } = await balance(key);
      assert.deepEqual([credits, auto_reload.spent_this_month_usd], [3 * 15_000 - 3, 15]);
    });

    test('decided in one month and paid in the next counts for the first', async () => {
      fixture.clock.set('2026-11-30T23:59:59.999Z');
      const key = await boughtKey({ threshold: 15_000 });
      fixture.payments.script.push('processing');
      await search(key);
      await settled();
      fixture.clock.set('2026-12-01T00:10:00.000Z');
      for (const charge of fixture.payments.charges.values())
        if (charge.state === 'processing') charge.state = 'succeeded';
      await fixture.billing.reconciler.resumeOpen();
      const { credits, auto_reload } = await balance(key);
      assert.deepEqual([credits, auto_reload.spent_this_month_usd], [14_999 + 60_000, 0]);
    });

    test('a request that fails below the threshold buys nothing', async () => {
      const key = await boughtKey({ threshold: 15_000 });
      assert.equal((await fixture.served.post('/v1/search', { query: '' }, key)).status, 422);
      await settled();
      assert.equal((await balance(key)).credits, 15_000);
    });

    test("a purchase that somebody works on is nobody else's until the lease is over", async () => {
      const key = await boughtKey({ threshold: 15_000 });
      fixture.payments.script.push('processing');
      await search(key);
      await settled();
      const { ledgerStore } = fixture.billing;
      const { id, lease_until: until } = await ledgerStore.db
        .selectFrom('purchase')
        .select(['id', 'lease_until'])
        .where('state', '=', 'processing')
        .executeTakeFirstOrThrow();
      const claim = (now: number) => ledgerStore.run(claimPurchase, { id, now, leaseUntil: now + 1_000 });
      assert.equal(await claim(until - 1), null);
      assert.equal((await claim(until))?.id, id);
      assert.equal(await claim(until), null);
      fixture.clock.set(new Date(until + 1_000).toISOString());
      for (const charge of fixture.payments.charges.values())
        if (charge.state === 'processing') charge.state = 'succeeded';
      await fixture.billing.reconciler.resumeOpen();
      assert.equal((await balance(key)).credits, 14_999 + 60_000);
    });

    test('forty deductions at once that cross: one purchase', async () => {
      const key = await boughtKey({ threshold: 15_000, capUsd: 500 });
      const charges = fixture.payments.charges.size;
      await Promise.all(Array.from({ length: 40 }, () => search(key)));
      await settled();
      assert.equal(fixture.payments.charges.size, charges + 1);
      assert.equal((await balance(key)).credits, 15_000 - 40 + 60_000);
    });
  });

  describe('replies that are lost', () => {
    for (const call of ['prepareCharge', 'confirmCharge', 'getCharge', 'cancelCharge'] as const) {
      for (const outcome of ['succeeded', { decline: 'expired_card' }] as const) {
        test(`of ${call}, where the card is to ${JSON.stringify(outcome)}`, async () => {
          const key = await boughtKey({ threshold: 15_000 });
          fixture.payments.script.push(outcome);
          fixture.payments.loseReplyOf.add(call);
          const before = fixture.payments.charges.size;
          await search(key);
          await settled();
          for (let round = 1; round <= 4; round++) {
            fixture.clock.set(`2026-11-21T12:${10 * round}:00Z`);
            await fixture.billing.reconciler.resumeOpen();
          }
          fixture.payments.loseReplyOf.clear();
          assert.equal(fixture.payments.charges.size, before + 1);
          const { credits, auto_reload } = await balance(key);
          assert.deepEqual(
            [credits, auto_reload.enabled, auto_reload.last_error],
            outcome === 'succeeded' ? [74_999, true, null] : [14_999, false, 'expired_card'],
          );
        });
      }
    }
  });

  describe('POST /v1/billing/auto-reload', () => {
    const bad: [body: object, field: string][] = [
      [{}, 'enabled'],
      [{ enabled: 'yes' }, 'enabled'],
      [{ enabled: true, threshold: 99 }, 'threshold'],
      [{ enabled: true, threshold: 100_001 }, 'threshold'],
      [{ enabled: true, threshold: 100.5 }, 'threshold'],
      [{ enabled: true, pack: 'huge' }, 'pack'],
      [{ enabled: true, monthly_max_usd: 500.01 }, 'monthly_max_usd'],
      [{ enabled: true, monthlyMaxUsd: 0 }, 'monthlyMaxUsd'],
      [{ enabled: true, monthly_max_usd: -1 }, 'monthly_max_usd'],
      [{ enabled: true, monthly_max_usd: 0.001 }, 'monthly_max_usd'],
      [{ enabled: true, monthly_max_usd: 0.99 }, 'monthly_max_usd'],
      [{ enabled: true, monthly_max_usd: 20.005 }, 'monthly_max_usd'],
      [{ enabled: true, monthly_max_usd: 500.001 }, 'monthly_max_usd'],
      [{ enabled: true, monthly_max_usd: '20' }, 'monthly_max_usd'],
    ];
    for (const [body, field] of bad) {
      test(`422: ${JSON.stringify(body)}`, async () => {
        const { status, json } = await configure(await boughtKey({}), body);
        assert.deepEqual([status, json.error, json.details[0].field], [422, 'validation_error', field]);
      });
    }

    for (const threshold of [100, 100_000])
      test(`200: a threshold of ${threshold}, and what is not named stays`, async () => {
        const key = await boughtKey({ reloadPack: 'scale', capUsd: 200 });
        const { json } = await configure(key, { enabled: true, threshold });
        const { pack, monthly_max_usd } = json.auto_reload;
        assert.deepEqual([json.auto_reload.threshold, pack, monthly_max_usd], [threshold, 'scale', 200]);
      });

    for (const usd of [1, 15, 19.99, 0.1 + 1.1, 500])
      test(`200: a cap of ${usd} USD`, async () => {
        const { status, json } = await configure(await boughtKey({}), {
          enabled: true,
          monthly_max_usd: usd,
        });
        assert.equal(status, 200);
        assert.equal(json.auto_reload.monthly_max_usd, Math.round(usd * 100) / 100);
      });

    test('422: a cap above what the owner set; the message says where to raise it', async () => {
      const key = await boughtKey({ capUsd: 60 });
      const { status, json } = await configure(key, {
        enabled: true,
        threshold: 700,
        monthly_max_usd: 60.01,
      });
      assert.deepEqual([status, json.details[0].field], [422, 'monthly_max_usd']);
      assert.match(json.message, /at most 60,/);
      assert.ok(json.message.includes(`${fixture.served.address}/account`), json.message);
      const { threshold, monthly_max_usd } = (await balance(key)).auto_reload;
      assert.deepEqual([threshold, monthly_max_usd], [1_000, 60]);
    });

    test('200: a cap that the interface lowered goes back up to what the owner set, and no further', async () => {
      const key = await boughtKey({ capUsd: 60 });
      for (const [usd, status] of [
        [20, 200],
        [60, 200],
        [61, 422],
      ])
        assert.equal((await configure(key, { enabled: true, monthly_max_usd: usd })).status, status);
    });

    test('an owner sets 2,000 USD on the page after the payment: the interface goes up to 500', async () => {
      const { key, keyId } = await boughtKeyAndId({ capUsd: 60 });
      await fixture.billing.autoReloads.configure(
        keyId,
        { enabled: true, capCents: 200_000 },
        { by: 'owner' },
      );
      const cap = async (): Promise<number> => (await balance(key)).auto_reload.monthly_max_usd;
      await configure(key, { enabled: true, threshold: 200 });
      assert.equal(await cap(), 2_000);
      assert.equal((await configure(key, { enabled: true, monthly_max_usd: 501 })).status, 422);
      assert.equal((await configure(key, { enabled: true, monthly_max_usd: 500 })).status, 200);
      assert.equal(await cap(), 500);
    });

    test('422: a tool gets the same', async () => {
      const client = await connect(fixture.served.address, { headers: await boughtKey({ capUsd: 60 }) });
      const text = textOf(
        await client.callTool({
          name: 'service_auto_reload',
          arguments: { enabled: true, monthly_max_usd: 100 },
        }),
      );
      await client.close();
      assert.match(text, /^validation_error: monthly_max_usd must be at most 60, .*\/account/);
    });

    test('401: no key, an unknown one, one in the body', async () => {
      const { apiKey } = await fixture.billing.keys.create({ credits: 5, label: null });
      for (const [headers, body] of [
        [{}, { enabled: false }],
        [{ 'x-api-key': 'sdl_nobody' }, { enabled: false }],
        [{}, { enabled: false, api_key: apiKey }],
      ] as const)
        assert.equal((await configure(headers, body)).status, 401);
    });
  });
});

type Headers = Record<string, string>;

/** How auto-reload of a key that was bought with a saved card is to be. */
type Wanted = {
  enabled?: boolean;
  credits?: 15_000;
  threshold?: number;
  reloadPack?: 'instant' | 'builder' | 'scale';
  capUsd?: number;
};

const boughtKey = async (wanted: Wanted): Promise<Headers> => (await boughtKeyAndId(wanted)).key;

async function boughtKeyAndId(wanted: Wanted): Promise<{ key: Headers; keyId: string }> {
  const { threshold = 1_000, reloadPack = 'builder', capUsd = 500 } = wanted;
  const { url } = await fixture.billing.checkouts.open({
    pack: 'instant',
    topUp: null,
    autoReload: { threshold, pack: reloadPack, capCents: capUsd * 100 },
  });
  const checkoutId = url.split('/').at(-1) ?? '';
  fixture.payments.pay(checkoutId);
  await fixture.billing.checkouts.fulfil(checkoutId);
  const { db } = fixture.billing.ledgerStore;
  const { sealed_key, key_id } = await db
    .selectFrom('checkout')
    .select(['sealed_key', 'key_id'])
    .where('provider_id', '=', checkoutId)
    .executeTakeFirstOrThrow();
  const key = { authorization: `Bearer ${fixture.billing.sealing.unseal(sealed_key ?? '')}` };
  if (wanted.enabled === false) await configure(key, { enabled: false });
  return { key, keyId: key_id ?? '' };
}

const configure = (key: Headers, body: object) => fixture.served.post('/v1/billing/auto-reload', body, key);
const balance = async (key: Headers) => (await fixture.served.get('/v1/balance', key)).json;

async function search(key: Headers): Promise<number> {
  const { status, headers } = await fixture.served.post('/v1/search', { query: 'q' }, key);
  assert.equal(status, 200);
  return Number(headers.get('x-credits-remaining'));
}

/** Purchases that were set off have gone as far as they go now. */
const settled = () => fixture.billing.background.drain();
