import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { claimPurchase, releasePurchase } from '../../../src/billing/payments/purchases.ts';
import {
  balance,
  boughtKey,
  boughtKeyAndId,
  configure,
  describeReloads,
  fixture,
  search,
  settled,
} from './reload-fixture.ts';

await describeReloads(() => {
  describe('the state table of the contract', () => {
    test('off, turned on with a saved card: on', async () => {
      const key = await boughtKey({ enabled: false });
      const { status, json } = await configure(key, { enabled: true, threshold: 100, pack: 'scale' });
      assert.equal(status, 200);
      assert.deepEqual(json.auto_reload, {
        enabled: true,
        threshold: 100,
        pack: 'scale',
        monthly_max_usd: 500,
        spent_this_month_usd: 0,
        last_error: null,
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

    test('on, several charges at the same time: one purchase', async () => {
      const { key, keyId } = await boughtKeyAndId({ threshold: 15_000 });
      const before = fixture.payments.charges.size;
      await Promise.all(
        Array.from({ length: 5 }, async (_, place) => {
          const charge = await fixture.billing.meter.beginCharge({ kind: 'key', keyId }, `${keyId} ${place}`);
          await charge.hold({ credits: 1, ms: 1_000 });
          await charge.settle(1);
        }),
      );
      await settled();
      assert.equal(fixture.payments.charges.size, before + 1);
      assert.equal((await balance(key)).credits, 14_995 + 60_000);
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
      const claimed = await claim(until);
      assert.equal(claimed?.id, id);
      assert.equal(await claim(until), null);
      // An executor whose lease is over leaves the purchase to its successor.
      const attempt = (claimed?.attempt ?? 0) - 1;
      await ledgerStore.run(releasePurchase, { id, attempt, at: until, error: 'late' });
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
});
