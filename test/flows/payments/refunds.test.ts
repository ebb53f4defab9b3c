import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createAudit } from '../../../src/billing/audit/audit.ts';
import { holdCredits } from '../../../src/billing/ledger/charge-procedures.ts';
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

    test('a refund takes back whole credits, rounded in favour of who paid', async () => {
      const { apiKey, checkoutId } = await sold({ pack: 'scale' });
      const { charge: id } = fixture.payments.checkouts.get(checkoutId) ?? assert.fail();
      const charge = fixture.payments.charges.get(id ?? '') ?? assert.fail();
      // 200,000 credits for 15,000 cents: 13.33 of them for each.
      for (const [cents, back] of [
        [1, 13],
        [2, 26],
        [100, 1_333],
      ] as const) {
        charge.refundedCents = cents;
        await tellOf(charge.id);
        assert.equal(await creditsOf({ 'x-api-key': apiKey ?? '' }), 200_000 - back);
      }
    });

    test('credits that were spent before the refund are owed: the key is frozen until they are paid', async () => {
      const { key, keyId, charge } = await soldKey();
      for (let call = 0; call < 3; call++) await search(key);
      charge.refundedCents = 1_500;
      await tellOf(charge.id);
      assert.equal(await creditsOf(key), 0);
      assert.deepEqual(await stateOf(keyId), { state: 'frozen', debt: 3, disputed: 0 });
      await sold({ pack: 'instant', topUp: keyId });
      assert.deepEqual(await stateOf(keyId), { state: 'active', debt: 0, disputed: 0 });
      assert.equal(await creditsOf(key), 14_997);
      assert.equal((await search(key)).status, 200);
    });

    test('a dispute freezes the credits that its payment gave and ends auto-reload; won, they thaw', async () => {
      const { key, keyId, charge } = await soldKey();
      charge.dispute = 'open';
      await tellOf(charge.id);
      assert.equal((await stateOf(keyId)).state, 'active');
      // The second is refused from memory.
      for (const refused of [await search(key), await search(key)]) {
        assert.equal(refused.status, 402);
        assert.match(refused.json.message, /^A payment of this key is disputed\./);
        assert.doesNotMatch(refused.json.message, /\/buy\//);
        assert.deepEqual(refused.json.packs, []);
      }
      const { auto_reload } = (await fixture.served.get('/v1/balance', key)).json;
      assert.deepEqual([auto_reload.enabled, auto_reload.last_error], [false, 'a payment is disputed']);
      charge.dispute = 'won';
      await tellOf(charge.id);
      assert.deepEqual(await stateOf(keyId), { state: 'active', debt: 0, disputed: 0 });
      assert.equal(await creditsOf(key), 15_000);
    });

    test('beside a disputed payment the credits of others pay for calls, and no more than those', async () => {
      const { key, keyId, charge } = await soldKey();
      const extra = await sold({ pack: 'instant', topUp: keyId });
      const other = fixture.payments.checkouts.get(extra.checkoutId)?.charge ?? '';
      for (let call = 0; call < 3; call++) await search(key);
      charge.dispute = 'open';
      await tellOf(charge.id);
      assert.equal((await search(key)).status, 200);
      // All but two of the undisputed credits are held by another call.
      const held = {
        id: `a crawl of ${keyId}`,
        keyId,
        amount: 14_994,
        expiresAt: fixture.clock.now() + 60_000,
      };
      await fixture.billing.ledgerStore.run(holdCredits, held);
      const most = {
        id: `a larger crawl of ${keyId}`,
        keyId,
        amount: 50,
        least: 1,
        expiresAt: fixture.clock.now() + 60_000,
      };
      assert.equal((await fixture.billing.ledgerStore.run(holdCredits, most)).amount, 2);
      await fixture.billing.ledger.settle({ id: most.id, used: 1, at: fixture.clock.now() });
      assert.equal((await search(key)).status, 200);
      const refused = await search(key);
      assert.equal(refused.status, 402);
      assert.match(refused.json.message, /^A payment of this key is disputed\./);
      assert.deepEqual(refused.json.packs, []);
      await sold({ pack: 'instant', topUp: keyId });
      assert.equal((await search(key)).status, 200);
      Object.assign(fixture.payments.charges.get(other) ?? {}, { dispute: 'open' });
      await tellOf(other);
      Object.assign(charge, { dispute: 'lost', lostCents: 1_500 });
      await tellOf(charge.id);
      assert.equal((await search(key)).status, 402);
      await fixture.billing.ledger.settle({ id: held.id, used: 0, at: fixture.clock.now() });
      assert.equal((await search(key)).status, 200);
      assert.deepEqual(await createAudit(fixture.billing)(), []);
    });

    test('of two messages at once, the one that read the older state changes nothing', async () => {
      const { keyId, charge } = await soldKey();
      charge.dispute = 'open';
      const [late, mayGoOn] = lateReading();
      await deliver(eventOf('charge', charge.id));
      await late;
      charge.dispute = 'won';
      await deliver(eventOf('charge', charge.id));
      await fixture.billing.reconciler.resumeOpen();
      mayGoOn();
      await fixture.billing.background.drain();
      assert.equal((await stateOf(keyId)).disputed, 0, 'a late reading froze the credits again');
    });

    test('a dispute that is lost takes all back', async () => {
      const { key, keyId, charge } = await soldKey();
      await search(key);
      Object.assign(charge, { dispute: 'lost', lostCents: 1_500 });
      await tellOf(charge.id);
      assert.deepEqual(await stateOf(keyId), { state: 'frozen', debt: 1, disputed: 0 });
    });

    test('a lost dispute about a part takes that part back, also beside a refund', async () => {
      const { key, charge } = await soldKey();
      Object.assign(charge, { dispute: 'lost', lostCents: 300 });
      await tellOf(charge.id);
      assert.equal(await creditsOf(key), 12_000);
      charge.refundedCents = 500;
      await tellOf(charge.id);
      assert.equal(await creditsOf(key), 7_000);
      charge.refundedCents = 1_500;
      await tellOf(charge.id);
      assert.equal(await creditsOf(key), 0);
    });

    test('a second dispute after one that was won freezes its credits, and takes back when it is lost', async () => {
      const { keyId, key, charge } = await soldKey();
      for (const dispute of ['open', 'won', 'open'] as const) {
        charge.dispute = dispute;
        await tellOf(charge.id);
        assert.equal((await stateOf(keyId)).disputed, dispute === 'open' ? 15_000 : 0);
      }
      Object.assign(charge, { dispute: 'lost', lostCents: 1_500 });
      await tellOf(charge.id);
      assert.equal(await creditsOf(key), 0);
    });

    test('a refund that fails gives the credits back, and may be made again', async () => {
      const { key, keyId, charge } = await soldKey();
      for (let call = 0; call < 3; call++) await search(key);
      for (const round of [1, 2]) {
        charge.refundedCents = 1_500;
        await tellOf(charge.id);
        assert.deepEqual(await stateOf(keyId), { state: 'frozen', debt: 3, disputed: 0 }, `round ${round}`);
        charge.refundedCents = 0;
        await tellOf(charge.id);
        await tellOf(charge.id);
        assert.deepEqual(await stateOf(keyId), { state: 'active', debt: 0, disputed: 0 }, `round ${round}`);
        assert.equal(await creditsOf(key), 14_997, `round ${round}`);
      }
      assert.deepEqual(await createAudit(fixture.billing)(), []);
    });

    test('credits that a call held during a refund pay what is owed when they come back', async () => {
      const { key, keyId, charge } = await soldKey();
      const { clock } = fixture;
      const held = { id: 'a long crawl', keyId, amount: 14_000, expiresAt: clock.now() + 60_000 };
      await fixture.billing.ledgerStore.run(holdCredits, held);
      charge.refundedCents = 500;
      await tellOf(charge.id);
      assert.deepEqual(await stateOf(keyId), { state: 'frozen', debt: 4_000, disputed: 0 });
      await fixture.billing.ledger.settle({ id: held.id, used: 20, at: clock.now() });
      await fixture.billing.reconciler.resumeOpen();
      assert.deepEqual(await stateOf(keyId), { state: 'active', debt: 0, disputed: 0 });
      assert.equal(await creditsOf(key), 9_980);
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

/** The next reading of a charge is of the state at that moment, but arrives only once it may. */
function lateReading(): [read: Promise<void>, mayGoOn: () => void] {
  const { getCharge } = fixture.payments;
  const [read, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  fixture.payments.getCharge = async (id) => {
    fixture.payments.getCharge = getCharge;
    const state = await getCharge(id);
    read.resolve();
    await gate.promise;
    return state;
  };
  return [read.promise, gate.resolve];
}

async function tellOf(charge: string): Promise<void> {
  await deliver(eventOf('charge', charge));
  await fixture.billing.background.drain();
}

const search = (key: Headers): Promise<Answered> => fixture.served.post('/v1/search', { query: 'q' }, key);
const creditsOf = async (key: Headers): Promise<number> =>
  (await fixture.served.get('/v1/balance', key)).json.credits;

async function stateOf(keyId: string): Promise<{ state: string; debt: number; disputed: number }> {
  const row = await fixture.billing.ledgerStore.db
    .selectFrom('api_key')
    .innerJoin('account', 'account.key_id', 'api_key.id')
    .select(['state', 'debt', 'disputed'])
    .where('id', '=', keyId)
    .executeTakeFirstOrThrow();
  return { ...row };
}
