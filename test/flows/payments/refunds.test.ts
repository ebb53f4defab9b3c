import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Answered } from '../../harness.ts';
import { deliver, describeSales, eventOf, fixture, sold } from './sales-fixture.ts';

type Headers = Record<string, string>;
const RELOAD = { threshold: 100, pack: 'instant', capCents: 50_000 } as const;

await describeSales(() => {
  describe('refunds and disputes', () => {
    test('a refund in part takes back in proportion, a second one the rest, each once', async () => {
      const { key, charge } = await soldKey();
      for (const [cents, left] of [
        [500, 10_000],
        [500, 10_000],
        [1_500, 0],
      ] as const) {
        charge.refundedCents = cents;
        await tellOf(charge.id);
        await tellOf(charge.id);
        assert.equal(await creditsOf(key), left);
      }
    });

    test('credits that were spent before the refund are owed: the key is frozen until they are paid', async () => {
      const { key, keyId, charge } = await soldKey();
      for (let call = 0; call < 3; call++) await search(key);
      charge.refundedCents = 1_500;
      await tellOf(charge.id);
      assert.equal(await creditsOf(key), 0);
      assert.deepEqual(await stateOf(keyId), { state: 'frozen', debt: 3 });
      await sold({ pack: 'instant', topUp: keyId });
      assert.deepEqual(await stateOf(keyId), { state: 'active', debt: 0 });
      assert.equal(await creditsOf(key), 14_997);
      assert.equal((await search(key)).status, 200);
    });

    test('a dispute freezes the key and ends auto-reload; won, it thaws', async () => {
      const { key, keyId, charge } = await soldKey();
      charge.dispute = 'open';
      await tellOf(charge.id);
      assert.equal((await stateOf(keyId)).state, 'frozen');
      assert.equal((await search(key)).status, 402);
      const { auto_reload } = (await fixture.served.get('/v1/balance', key)).json;
      assert.deepEqual([auto_reload.enabled, auto_reload.last_error], [false, 'a payment is disputed']);
      charge.dispute = 'won';
      await tellOf(charge.id);
      assert.deepEqual(await stateOf(keyId), { state: 'active', debt: 0 });
      assert.equal(await creditsOf(key), 15_000);
      charge.dispute = 'open';
      await tellOf(charge.id);
      assert.equal((await stateOf(keyId)).state, 'active', 'a late message froze it again');
    });

    test('a dispute that is lost takes all back', async () => {
      const { key, keyId, charge } = await soldKey();
      await search(key);
      charge.dispute = 'lost';
      await tellOf(charge.id);
      assert.deepEqual(await stateOf(keyId), { state: 'frozen', debt: 1 });
    });

    test('a card that is removed ends auto-reload', async () => {
      const { key, checkoutId } = await soldKey();
      await deliver(eventOf('card', `pm_${checkoutId}`));
      await fixture.billing.background.drain();
      const { auto_reload } = (await fixture.served.get('/v1/balance', key)).json;
      assert.deepEqual([auto_reload.enabled, auto_reload.last_error], [false, 'the saved card was removed']);
      const { status } = await fixture.served.post('/v1/billing/auto-reload', { enabled: true }, key);
      assert.equal(status, 409);
    });
  });
});

/** A sold key, with the charge that paid it. */
async function soldKey() {
  const { apiKey, checkoutId } = await sold({ autoReload: RELOAD });
  const { charge } = fixture.payments.checkouts.get(checkoutId) ?? assert.fail();
  return {
    key: { 'x-api-key': apiKey ?? '' },
    keyId: (await fixture.billing.keys.find(apiKey ?? ''))?.keyId ?? '',
    charge: fixture.payments.charges.get(charge ?? '') ?? assert.fail(),
    checkoutId,
  };
}

async function tellOf(charge: string): Promise<void> {
  await deliver(eventOf('charge', charge));
  await fixture.billing.background.drain();
}

const search = (key: Headers): Promise<Answered> => fixture.served.post('/v1/search', { query: 'q' }, key);
const creditsOf = async (key: Headers): Promise<number> =>
  (await fixture.served.get('/v1/balance', key)).json.credits;

async function stateOf(keyId: string): Promise<{ state: string; debt: number }> {
  const row = await fixture.billing.ledgerStore.db
    .selectFrom('api_key')
    .innerJoin('account', 'account.key_id', 'api_key.id')
    .select(['state', 'debt'])
    .where('id', '=', keyId)
    .executeTakeFirstOrThrow();
  return { ...row };
}
