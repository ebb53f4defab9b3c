import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Charged } from '../../src/billing/ledger/charge-procedures.ts';
import { chargeTogether } from '../../src/billing/ledger/together/charges-together.ts';
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

  describe('charges together', () => {
    const together = (keyId: string, charges: [id: string, amount: number, endpoint?: string][]) => {
      const at = billing().clock.now();
      return billing().ledgerStore.run(chargeTogether, {
        keyId,
        charges: charges.map(([id, amount, endpoint]) => ({ id, amount, at, endpoint })),
      });
    };
    /** Ledger entries of charges, in order. */
    const entriesOf = async (keyId: string) => {
      const { db } = billing().ledgerStore;
      const entries = await db
        .selectFrom('entry')
        .select(['version', 'ref', 'delta', 'balance', 'endpoint', 'spent_by'])
        .where('key_id', '=', keyId)
        .where('kind', '=', 'usage')
        .orderBy('version')
        .execute();
      return entries.map((entry) => ({ ...entry }));
    };

    test('add an entry each, in order, and count in the usage of their routes', async () => {
      const keyId = await keyWith(10);
      const charges: [string, number, string][] = [
        ['first of three', 1, '/v1/search'],
        ['second of three', 2, '/r/:url'],
        ['third of three', 3, '/v1/search'],
      ];
      const charged = await together(keyId, charges);
      assert.deepEqual(charged, [
        { charged: 1, available: 9, purchase: null },
        { charged: 2, available: 7, purchase: null },
        { charged: 3, available: 4, purchase: null },
      ]);
      const spent_by = null;
      assert.deepEqual(await entriesOf(keyId), [
        { version: 2, ref: 'first of three', delta: -1, balance: 9, endpoint: '/v1/search', spent_by },
        { version: 3, ref: 'second of three', delta: -2, balance: 7, endpoint: '/r/:url', spent_by },
        { version: 4, ref: 'third of three', delta: -3, balance: 4, endpoint: '/v1/search', spent_by },
      ]);
      const days = await billing()
        .ledgerStore.db.selectFrom('usage_day')
        .select(['credits', 'calls', 'endpoint'])
        .where('key_id', '=', keyId)
        .orderBy('endpoint')
        .execute();
      assert.deepEqual(
        days.map((day) => ({ ...day })),
        [
          { credits: 2, calls: 1, endpoint: '/r/:url' },
          { credits: 4, calls: 2, endpoint: '/v1/search' },
        ],
      );
      assert.deepEqual([await refund('second of three'), await available(keyId)], [2, 6]);
    });

    test('of a further key are taken from the account, and noted for that key', async () => {
      const first = await keyWith(5);
      const keyId = (await billing().keys.addTo(first, { label: null, manages: false }))?.keyId ?? '';
      const charged = await together(keyId, [
        ['together further 1', 1],
        ['together further 2', 2],
      ]);
      assert.deepEqual(
        charged?.map((one) => one.available),
        [4, 2],
      );
      assert.deepEqual(
        (await entriesOf(first)).map(({ spent_by }) => spent_by),
        [keyId, keyId],
      );
      const holds = await billing()
        .ledgerStore.db.selectFrom('hold')
        .select(['key_id', 'spent_by', 'state'])
        .where('id', 'in', ['together further 1', 'together further 2'])
        .execute();
      for (const hold of holds)
        assert.deepEqual({ ...hold }, { key_id: first, spent_by: keyId, state: 'captured' });
      assert.equal(await refund('together further 2'), 2);
    });

    test('are left to each of them where one may be refused', async () => {
      const keyId = await keyWith(5);
      await charge('used before', keyId, 1);
      await cancel('cancelled before', keyId, 1);
      const refused: [string, number][][] = [
        ['too much of 4', 'all that is left'].map((id) => [id, 3]),
        ['used before', 'new 1'].map((id) => [id, 1]),
        ['new 2', 'cancelled before'].map((id) => [id, 1]),
        ['twice', 'twice'].map((id) => [id, 1]),
      ];
      for (const charges of refused) assert.equal(await together(keyId, charges), null);
      assert.equal(await together('nobody', [['of nobody', 1]]), null);
      assert.equal(await available(keyId), 4);
      await billing().keys.revoke(keyId);
      assert.equal(await together(keyId, [['of a revoked key', 1]]), null);
      assert.equal((await entriesOf(keyId)).length, 1);
    });

    test('may take the last credit', async () => {
      const keyId = await keyWith(3);
      const charged = await together(keyId, [
        ['last but one', 1],
        ['the last', 2],
      ]);
      assert.equal(charged?.[1]?.available, 0);
    });

    test('and each by itself take every credit once, with many at the same time', async () => {
      const keyId = await keyWith(200);
      const groups = Array.from({ length: 10 }, (_, group) =>
        together(
          keyId,
          Array.from({ length: 5 }, (_, place) => [`group ${group} ${place}`, 2]),
        ),
      );
      const others = Array.from({ length: 40 }, (_, place) => charge(`beside ${place}`, keyId, 3));
      const taken = (await Promise.all(groups)).flatMap((charged) => charged ?? []);
      const all = [...taken, ...(await Promise.all(others))];
      const sum = all.reduce((credits, { charged }) => credits + charged, 0);
      assert.equal(await available(keyId), 200 - sum);
      assert.ok(sum > 180, String(sum));
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
