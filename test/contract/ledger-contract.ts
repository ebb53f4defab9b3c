import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { createAudit } from '../../src/billing/audit/audit.ts';
import { NOON, type OpenBilling } from './open-billing.ts';

const EXPIRES = NOON + 60_000;

/** The contract of the ledger on either store. `open` opens an empty one. */
export function ledgerContract(name: string, open: () => Promise<OpenBilling>): void {
  describe(name, () => {
    let billing: OpenBilling;
    before(async () => {
      billing = await open();
    });
    after(() => billing.close());
    afterEach(async () => assert.deepEqual(await createAudit(billing)(), []));

    let holds = 0;
    const keyWith = async (credits: number): Promise<string> =>
      (await billing.keys.create({ credits, label: null })).keyId;
    const hold = async (keyId: string, amount: number): Promise<{ id: string; left: number | null }> => {
      const id = `hold ${++holds}`;
      const held = await billing.ledger.hold({ id, keyId, amount, expiresAt: EXPIRES });
      return { id, left: held.amount === amount ? held.available : null };
    };
    const settle = async (id: string, used: number): Promise<number | null> =>
      (await billing.ledger.settle({ id, used, at: billing.clock.now() }))?.available ?? null;
    const refund = (id: string): Promise<number> => billing.ledger.refund({ id, at: billing.clock.now() });

    describe('a hold', () => {
      test('may take the last credit, but no more', async () => {
        const keyId = await keyWith(3);
        assert.equal((await hold(keyId, 4)).left, null);
        assert.equal((await hold(keyId, 3)).left, 0);
        assert.equal((await hold(keyId, 1)).left, null);
      });

      test('of an unknown key is refused', async () => {
        assert.equal((await hold('nobody', 1)).left, null);
      });

      test('of a revoked key is refused, but an open one still settles', async () => {
        const keyId = await keyWith(5);
        const open = await hold(keyId, 2);
        assert.equal(await billing.keys.revoke(keyId), true);
        assert.equal((await hold(keyId, 1)).left, null);
        assert.equal(await settle(open.id, 1), 4);
      });

      test('with an id that was used before fails and changes nothing', async () => {
        const keyId = await keyWith(5);
        const { id } = await hold(keyId, 2);
        await assert.rejects(billing.ledger.hold({ id, keyId, amount: 1, expiresAt: EXPIRES }));
        assert.equal(await billing.ledger.available(keyId), 3);
      });

      test('of no or negative credits fails', async () => {
        const keyId = await keyWith(5);
        await assert.rejects(hold(keyId, 0));
        await assert.rejects(hold(keyId, -1));
        assert.equal(await billing.ledger.available(keyId), 5);
      });
    });

    describe('a partial hold', () => {
      const holdUpTo = async (keyId: string, amount: number) => {
        const id = `hold ${++holds}`;
        const placed = await billing.ledger.hold({ id, keyId, amount, least: 1, expiresAt: EXPIRES });
        return { id, placed: placed.amount === 0 ? null : placed };
      };

      test('takes what is wanted or what is left, and is refused if nothing is', async () => {
        const keyId = await keyWith(5);
        assert.deepEqual((await holdUpTo(keyId, 3)).placed, {
          available: 2,
          amount: 3,
          disputed: 0,
          purchase: null,
        });
        assert.deepEqual((await holdUpTo(keyId, 2)).placed, {
          available: 0,
          amount: 2,
          disputed: 0,
          purchase: null,
        });
        assert.equal((await holdUpTo(keyId, 1)).placed, null);
        const poor = await keyWith(4);
        const { id, placed } = await holdUpTo(poor, 50);
        assert.deepEqual(placed, { available: 0, amount: 4, disputed: 0, purchase: null });
        await assert.rejects(settle(id, 5));
        assert.equal(await settle(id, 3), 1);
      });

      test('is refused for an unknown and for a revoked key', async () => {
        assert.equal((await holdUpTo('nobody', 1)).placed, null);
        const keyId = await keyWith(5);
        await billing.keys.revoke(keyId);
        assert.equal((await holdUpTo(keyId, 1)).placed, null);
      });

      test('of no credits fails, and so does an id that was used before', async () => {
        const keyId = await keyWith(5);
        await assert.rejects(holdUpTo(keyId, 0));
        const { id } = await holdUpTo(keyId, 2);
        await assert.rejects(billing.ledger.hold({ id, keyId, amount: 1, least: 1, expiresAt: EXPIRES }));
        assert.equal(await billing.ledger.available(keyId), 3);
      });

      test('never takes a credit twice, with many at the same time and other holds', async () => {
        const keyId = await keyWith(50);
        const [partial, whole] = await Promise.all([
          Promise.all(Array.from({ length: 30 }, () => holdUpTo(keyId, 7))),
          Promise.all(Array.from({ length: 30 }, () => hold(keyId, 3))),
        ]);
        const held =
          partial.reduce((sum, { placed }) => sum + (placed?.amount ?? 0), 0) +
          whole.filter(({ left }) => left !== null).length * 3;
        assert.equal(held, 50);
        assert.equal(await billing.ledger.available(keyId), 0);
        await Promise.all([...partial, ...whole].map(({ id }) => settle(id, 0)));
        assert.equal(await billing.ledger.available(keyId), 50);
      });
    });

    describe('a refusal', () => {
      test('tells what the key could spend', async () => {
        const keyId = await keyWith(3);
        const wanted = { id: 'too much', keyId, amount: 4, expiresAt: EXPIRES };
        assert.deepEqual(await billing.ledger.hold(wanted), {
          amount: 0,
          available: 3,
          disputed: 0,
          purchase: null,
        });
      });

      test('is remembered until the key gets credits, or gets some back', async () => {
        const keyId = await keyWith(1);
        const { meter, keys } = billing;
        let calls = 0;
        const begin = () => meter.beginCharge({ kind: 'key', keyId }, `${keyId} ${++calls}`);
        const refused = async (credits: number): Promise<void> =>
          assert.rejects((await begin()).hold({ credits: credits, ms: 0 }), { code: 'insufficient_credits' });
        await refused(2);
        await keys.grant({ keyId, credits: 1, ref: `grant ${keyId}` });
        const call = await begin();
        await call.hold({ credits: 2, ms: 0 });
        await refused(1);
        await call.settle(1);
        const last = await begin();
        await last.hold({ credits: 1, ms: 0 });
        await last.settle(1);
        assert.equal(await last.remaining(), 0);
        await refused(1);
        await last.refund();
        await (await begin()).hold({ credits: 1, ms: 0 });
      });

      test('is still remembered after a charge of another key, which gives none', async () => {
        const poor = await keyWith(1);
        const keyId = await keyWith(5);
        const call = await billing.meter.beginCharge({ kind: 'key', keyId: poor }, `refused ${poor}`);
        await assert.rejects(call.hold({ credits: 2, ms: 0 }), { code: 'insufficient_credits' });
        await billing.chargeOnce({ keyId, reference: `job ${keyId}`, credits: 2 });
        assert.throws(() => call.refuseIfKnown(2), { code: 'insufficient_credits' });
      });
    });

    describe('a settlement', () => {
      test('charges what was used and releases the rest', async () => {
        const { id } = await hold(await keyWith(10), 6);
        assert.equal(await settle(id, 2), 8);
        assert.deepEqual({ ...(await billing.ledger.holdState(id)) }, { state: 'captured', used: 2 });
      });

      test('counts once, whatever a second one says', async () => {
        const keyId = await keyWith(10);
        const { id } = await hold(keyId, 6);
        assert.equal(await settle(id, 2), 8);
        assert.equal(await settle(id, 2), null);
        assert.equal(await settle(id, 0), null);
        assert.equal(await billing.ledger.available(keyId), 8);
      });

      test('adds one entry and counts in the usage of its day and route', async () => {
        const keyId = await keyWith(5);
        const { ledger, ledgerStore } = billing;
        await ledger.hold({ id: 'entry', keyId, amount: 4, expiresAt: EXPIRES, endpoint: '/v1/search' });
        await settle('entry', 3);
        const entries = await ledgerStore.db
          .selectFrom('entry')
          .select(['version', 'ref', 'delta', 'balance', 'endpoint', 'at'])
          .where('key_id', '=', keyId)
          .where('kind', '=', 'usage')
          .execute();
        assert.deepEqual(
          entries.map((entry) => ({ ...entry })),
          [{ version: 2, ref: 'entry', delta: -3, balance: 2, endpoint: '/v1/search', at: NOON }],
        );
        const days = await ledgerStore.db
          .selectFrom('usage_day')
          .select(['credits', 'calls', 'endpoint'])
          .where('key_id', '=', keyId)
          .execute();
        assert.deepEqual(
          days.map((day) => ({ ...day })),
          [{ credits: 3, calls: 1, endpoint: '/v1/search' }],
        );
      });

      test('of nothing adds no entry', async () => {
        const keyId = await keyWith(10);
        const { id } = await hold(keyId, 6);
        assert.equal(await settle(id, 0), 10);
        assert.equal((await entriesOf(keyId)).length, 1);
      });

      test('of more than was held fails and leaves the hold open', async () => {
        const { id } = await hold(await keyWith(10), 2);
        await assert.rejects(settle(id, 3));
        assert.deepEqual({ ...(await billing.ledger.holdState(id)) }, { state: 'held', used: 0 });
        assert.equal(await settle(id, 2), 8);
      });

      test('counts once when fifty run at the same time', async () => {
        const keyId = await keyWith(100);
        const { id } = await hold(keyId, 6);
        const answers = await Promise.all(Array.from({ length: 50 }, () => settle(id, 5)));
        assert.deepEqual(
          answers.filter((left) => left !== null),
          [95],
        );
        assert.equal(await billing.ledger.available(keyId), 95);
      });
    });

    describe('a refund', () => {
      test('releases an open hold once', async () => {
        const keyId = await keyWith(10);
        const { id } = await hold(keyId, 4);
        assert.deepEqual([await refund(id), await refund(id)], [4, 0]);
        assert.equal(await settle(id, 4), null);
        assert.equal(await billing.ledger.available(keyId), 10);
      });

      test('returns what was charged once, and deducts it from the day on which it was used', async () => {
        const keyId = await keyWith(10);
        const { id } = await hold(keyId, 4);
        await settle(id, 3);
        billing.clock.add(86_400_000);
        const answers = await Promise.all(Array.from({ length: 20 }, () => refund(id)));
        assert.deepEqual(
          answers.filter((credits) => credits > 0),
          [3],
        );
        assert.equal(await billing.ledger.available(keyId), 10);
        assert.equal((await billing.balanceOf(keyId)).burnRatePerDay, 0);
      });

      test('of an unknown or a voided hold returns nothing', async () => {
        const { id } = await hold(await keyWith(10), 4);
        await settle(id, 0);
        assert.deepEqual([await refund(id), await refund('never')], [0, 0]);
      });

      test('and a settlement at the same time take effect in one of the two orders', async () => {
        for (let round = 0; round < 20; round += 1) {
          const keyId = await keyWith(10);
          const { id } = await hold(keyId, 4);
          const [left, back] = await Promise.all([settle(id, 3), refund(id)]);
          assert.ok((left === 7 && back === 3) || (left === null && back === 4), `${left}, ${back}`);
          assert.equal(await billing.ledger.available(keyId), 10);
        }
      });
    });

    test('as many of many callers get a hold as there are credits', async () => {
      const keyId = await keyWith(50);
      const taken = await Promise.all(Array.from({ length: 200 }, () => hold(keyId, 2)));
      const lefts = taken.map(({ left }) => left).filter((left) => left !== null);
      assert.deepEqual(
        lefts.toSorted((one, other) => one - other),
        Array.from({ length: 25 }, (_, place) => place * 2),
      );
      await Promise.all(taken.map(({ id }) => settle(id, 0)));
      assert.equal(await billing.ledger.available(keyId), 50);
    });

    describe('a hold that outlives its time', () => {
      test('is voided once by many who look, and cannot be settled then', async () => {
        await billing.ledger.expire(EXPIRES + 1);
        const keyId = await keyWith(40);
        const open = await Promise.all(Array.from({ length: 20 }, () => hold(keyId, 2)));
        assert.equal(await billing.ledger.expire(EXPIRES), 0);
        const voided = await Promise.all(Array.from({ length: 4 }, () => billing.ledger.expire(EXPIRES + 1)));
        assert.equal(
          voided.reduce((sum, count) => sum + count, 0),
          20,
        );
        assert.equal(await settle(open[0]?.id ?? '', 1), null);
        assert.equal(await billing.ledger.available(keyId), 40);
      });
    });

    describe('a renewal', () => {
      test('lets an open hold live longer, and never shorter', async () => {
        const { id } = await hold(await keyWith(2), 1);
        await billing.ledger.renew({ ids: [id], expiresAt: EXPIRES + 60_000 });
        await billing.ledger.renew({ ids: [id], expiresAt: EXPIRES + 30_000 });
        await billing.ledger.expire(EXPIRES + 60_000);
        assert.equal((await billing.ledger.holdState(id))?.state, 'held');
        await billing.ledger.expire(EXPIRES + 60_001);
        assert.equal((await billing.ledger.holdState(id))?.state, 'voided');
      });
    });

    describe('a grant', () => {
      const grant = (keyId: string, ref: string, credits = 5) => billing.keys.grant({ keyId, credits, ref });

      test('counts once under one reference, of many at the same time', async () => {
        const keyId = await keyWith(0);
        const answers = await Promise.all(Array.from({ length: 20 }, () => grant(keyId, 'one key')));
        assert.equal(answers.filter(({ kind }) => kind === 'granted').length, 1);
        assert.equal(answers.filter(({ kind }) => kind === 'granted before').length, 19);
        assert.equal(await billing.ledger.available(keyId), 5);
      });

      test('counts once under one reference, over many keys at the same time', async () => {
        const keyIds = await Promise.all(Array.from({ length: 20 }, () => keyWith(0)));
        const answers = await Promise.all(keyIds.map((keyId) => grant(keyId, 'many keys')));
        assert.equal(answers.filter(({ kind }) => kind === 'granted').length, 1);
        const before = answers.filter((answer) => answer.kind === 'granted before');
        assert.equal(before.length, 19);
        const credits = await Promise.all(keyIds.map((keyId) => billing.ledger.available(keyId)));
        assert.equal(
          credits.reduce((sum, one) => sum + one, 0),
          5,
        );
        for (const one of before) assert.equal(credits[keyIds.indexOf(one.before.keyId)], 5);
      });

      test('to nobody is told', async () => {
        assert.deepEqual(await grant('nobody', 'to nobody'), { kind: 'unknown key' });
      });
    });

    const entriesOf = (keyId: string): Promise<unknown[]> =>
      billing.ledgerStore.db.selectFrom('entry').selectAll().where('key_id', '=', keyId).execute();
  });
}
