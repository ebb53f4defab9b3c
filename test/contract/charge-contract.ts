import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Charged } from '../../src/billing/ledger/charge-procedures.ts';
import type { OpenBilling } from './open-billing.ts';

/** The contract of charging at once. The caller audits the ledger after each test. */
export function chargeContract(
  billing: () => OpenBilling,
  keyWith: (credits: number) => Promise<string>,
): void {
  const charge = (id: string, keyId: string, amount: number): Promise<Charged> =>
    billing().ledger.charge({ id, keyId, amount, at: billing().clock.now(), endpoint: '/v1/search' });
  const cancel = (id: string, keyId: string, amount: number): Promise<number> =>
    billing().ledger.cancel({ id, keyId, amount, at: billing().clock.now() });
  const refund = (id: string): Promise<number> => billing().ledger.refund({ id, at: billing().clock.now() });
  const available = (keyId: string): Promise<number> => billing().ledger.available(keyId);

  describe('a charge at once', () => {
    test('takes all of the credits or none, and tells what is left', async () => {
      const keyId = await keyWith(5);
      assert.deepEqual(await charge('at once 1', keyId, 3), { charged: 3, available: 2, purchase: null });
      assert.deepEqual(await charge('at once 2', keyId, 3), { charged: 0, available: 2, purchase: null });
      assert.deepEqual(await charge('at once 3', keyId, 2), { charged: 2, available: 0, purchase: null });
      assert.equal(await available(keyId), 0);
    });

    test('adds one entry and counts in the usage of its day and route', async () => {
      const keyId = await keyWith(5);
      await charge('entry', keyId, 3);
      const { db } = billing().ledgerStore;
      const [entry, ...others] = await db
        .selectFrom('entry')
        .select(['version', 'ref', 'delta', 'balance', 'endpoint', 'at'])
        .where('key_id', '=', keyId)
        .where('kind', '=', 'usage')
        .execute();
      const at = billing().clock.now();
      assert.deepEqual(
        { ...entry },
        { version: 2, ref: 'entry', delta: -3, balance: 2, endpoint: '/v1/search', at },
      );
      assert.equal(others.length, 0);
      const days = await db
        .selectFrom('usage_day')
        .select(['credits', 'calls', 'endpoint'])
        .where('key_id', '=', keyId)
        .execute();
      assert.deepEqual(
        days.map((day) => ({ ...day })),
        [{ credits: 3, calls: 1, endpoint: '/v1/search' }],
      );
    });

    test('counts once, however often and at the same time it is asked for', async () => {
      const keyId = await keyWith(10);
      const answers = await Promise.all(Array.from({ length: 20 }, () => charge('often', keyId, 4)));
      for (const { charged } of answers) assert.equal(charged, 4);
      assert.deepEqual(await charge('often', keyId, 4), { charged: 4, available: 6, purchase: null });
    });

    test('never takes a credit twice, with many at the same time', async () => {
      const keyId = await keyWith(50);
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, place) => charge(`many ${place}`, keyId, 3)),
      );
      assert.equal(answers.filter(({ charged }) => charged === 3).length, 16);
      assert.equal(await available(keyId), 2);
    });

    test('is refused for an unknown and for a revoked key, and fails for no credits', async () => {
      assert.equal((await charge('nobody', 'nobody', 1)).charged, 0);
      const keyId = await keyWith(5);
      await assert.rejects(charge('none', keyId, 0));
      await assert.rejects(charge('negative', keyId, -1));
      await billing().keys.revoke(keyId);
      assert.deepEqual(await charge('revoked', keyId, 1), { charged: 0, available: 5, purchase: null });
    });

    test('of a further key is taken from the account, and noted for that key', async () => {
      const first = await keyWith(5);
      const further = await billing().keys.addTo(first, { label: null, manages: false });
      const keyId = further?.keyId ?? '';
      assert.equal((await charge('further', keyId, 2)).available, 3);
      const { db } = billing().ledgerStore;
      const hold = await db
        .selectFrom('hold')
        .select(['key_id', 'spent_by'])
        .where('id', '=', 'further')
        .execute();
      assert.deepEqual({ ...hold[0] }, { key_id: first, spent_by: keyId });
    });

    test('of a key that was just refused succeeds once it gets credits, or gets some back', async () => {
      const keyId = await keyWith(1);
      const { meter, keys } = billing();
      let calls = 0;
      const begin = () => meter.beginCharge({ kind: 'key', keyId }, `${keyId} ${++calls}`);
      const refused = async (credits: number): Promise<void> =>
        assert.rejects((await begin()).charge(credits), { code: 'insufficient_credits' });
      await refused(2);
      await keys.grant({ keyId, credits: 1, ref: `grant ${keyId}` });
      const call = await begin();
      await call.hold(2, 0);
      await refused(1);
      await call.settle(1);
      const last = await begin();
      await last.charge(1);
      assert.equal(await last.remaining(), 0);
      await refused(1);
      await last.refund();
      await (await begin()).charge(1);
    });

    test('is refunded once', async () => {
      const keyId = await keyWith(5);
      await charge('given back', keyId, 2);
      assert.deepEqual([await refund('given back'), await refund('given back')], [2, 0]);
      assert.equal(await available(keyId), 5);
      assert.equal((await charge('given back', keyId, 2)).charged, 0);
    });
  });

  describe('a cancelled charge', () => {
    test('that was made is refunded', async () => {
      const keyId = await keyWith(5);
      await charge('made', keyId, 2);
      assert.deepEqual([await cancel('made', keyId, 2), await cancel('made', keyId, 2)], [2, 0]);
      assert.equal(await available(keyId), 5);
    });

    test('that has not been made yet is never made', async () => {
      const keyId = await keyWith(5);
      assert.equal(await cancel('late', keyId, 2), 0);
      assert.equal((await charge('late', keyId, 2)).charged, 0);
      assert.equal(await available(keyId), 5);
    });

    test('and the charge at the same time take effect in one of the two orders', async () => {
      for (let round = 0; round < 20; round += 1) {
        const keyId = await keyWith(5);
        const id = `race ${round}`;
        const [{ charged }, back] = await Promise.all([charge(id, keyId, 2), cancel(id, keyId, 2)]);
        assert.equal(charged, back);
        assert.equal(await available(keyId), 5);
      }
    });
  });
}
