import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { DETAIL_DAYS } from '../../../src/app/config.ts';
import { createAudit } from '../../../src/billing/audit/audit.ts';
import { createCheckout, recordCheckoutState } from '../../../src/billing/payments/checkout-procedures.ts';
import { keepEvent, recordEventTried } from '../../../src/billing/payments/payment-inbox.ts';
import { createSandbox } from '../../../src/billing/payments/providers/sandbox.ts';
import { createRetention } from '../../../src/billing/retention/retention.ts';
import { rollUsage } from '../../../src/billing/retention/retention-procedures.ts';
import { DAY_MS } from '../../../src/platform/clock.ts';
import { describeOnStores } from '../../fixtures/postgres.ts';
import { openLoosely } from '../audit/loose-ledger.ts';
import { type OpenBilling, openBilling } from '../open-billing.ts';

const CREDITS = 1_000;

await describeOnStores('the ledger after its details have expired', (databaseUrl) => {
  let billing: OpenBilling;
  let keyId: string;
  beforeEach(async () => {
    billing = await openBilling(databaseUrl);
    ({ keyId } = await billing.keys.create({ credits: CREDITS, label: null }));
  });
  afterEach(() => billing.close());

  let calls = 0;
  const charge = async (used: number): Promise<string> => {
    const { ledger, clock } = billing;
    const id = `${keyId} call ${++calls}`;
    await ledger.hold({ id, keyId, amount: used + 1, expiresAt: clock.now() + 20_000 });
    await ledger.settle({ id, used, at: clock.now() });
    return id;
  };
  const roll = (rowsAtOnce?: number): Promise<void> =>
    createRetention({
      ...billing,
      detailDays: DETAIL_DAYS,
      pauseMs: 0,
      ...(rowsAtOnce && { rowsAtOnce }),
    }).run();
  const rollLater = async (rowsAtOnce?: number): Promise<void> => {
    billing.clock.add((DETAIL_DAYS + 1) * DAY_MS);
    await roll(rowsAtOnce);
  };
  const chain = async (): Promise<string[]> => {
    const rows = await billing.ledgerStore.db
      .selectFrom('entry')
      .selectAll()
      .where('key_id', '=', keyId)
      .orderBy('version')
      .execute();
    return rows.map(({ version, kind, delta, entries }) => `${version} ${kind} ${delta} of ${entries}`);
  };
  const sound = async (): Promise<void> => assert.deepEqual(await createAudit(billing)(), []);

  test('a grant and a refunded call stay and divide the day', async () => {
    await charge(1);
    await charge(2);
    await billing.keys.grant({ keyId, credits: 5, ref: `${keyId} invoice` });
    await charge(3);
    const refunded = await charge(4);
    await charge(5);
    await billing.ledger.refund({ id: refunded, at: billing.clock.now() });
    await charge(6);
    await rollLater();
    assert.deepEqual(await chain(), [
      '1 grant 1000 of 1',
      '3 rolled -3 of 2',
      '4 grant 5 of 1',
      '5 rolled -3 of 1',
      '6 usage -4 of 1',
      '7 rolled -5 of 1',
      '8 refund 4 of 1',
      '9 rolled -6 of 1',
    ]);
    await sound();
    assert.equal(await billing.ledger.available(keyId), CREDITS + 5 - 17);
  });

  test('each UTC day is an entry of its own, and steps of any size give the same', async () => {
    for (let day = 0; day < 3; day++) {
      for (let call = 0; call < 7; call++) await charge(1);
      billing.clock.add(DAY_MS);
    }
    await rollLater(3);
    assert.deepEqual(await chain(), [
      '1 grant 1000 of 1',
      '8 rolled -7 of 7',
      '15 rolled -7 of 7',
      '22 rolled -7 of 7',
    ]);
    await sound();
  });

  test('a day is rolled once it is old enough as a whole', async () => {
    await charge(1);
    billing.clock.add(DETAIL_DAYS * DAY_MS);
    await roll();
    assert.deepEqual((await chain()).at(-1), '2 usage -1 of 1');
    billing.clock.add(DAY_MS / 2);
    await roll();
    assert.deepEqual((await chain()).at(-1), '2 rolled -1 of 1');
    await sound();
  });

  test('young charges stay beside old ones', async () => {
    await charge(1);
    billing.clock.add(DAY_MS);
    await charge(2);
    billing.clock.add((DETAIL_DAYS - 0.5) * DAY_MS);
    await charge(3);
    await roll();
    assert.deepEqual(await chain(), [
      '1 grant 1000 of 1',
      '2 rolled -1 of 1',
      '3 usage -2 of 1',
      '4 usage -3 of 1',
    ]);
    await sound();
  });

  test('rolling ends what a hold that is still there allows', async () => {
    const { ledger, ledgerStore, clock } = billing;
    const [refunded, rolled] = [await charge(2), await charge(3)];
    await ledger.refund({ id: refunded, at: clock.now() });
    await ledgerStore.run(rollUsage, { keyId, before: clock.now() + 1, most: 100 });
    for (const id of [refunded, rolled]) assert.equal(await ledger.refund({ id, at: clock.now() }), 0);
    assert.deepEqual(await chain(), [
      '1 grant 1000 of 1',
      '2 usage -2 of 1',
      '3 rolled -3 of 1',
      '4 refund 2 of 1',
    ]);
    assert.equal(await ledger.available(keyId), CREDITS - 3);
  });

  test('a step touches a bounded number of rows', async (t) => {
    for (let call = 0; call < 9; call++) await charge(1);
    const run = t.mock.method(billing.ledgerStore, 'run');
    await rollLater(4);
    const names = run.mock.calls.map(({ arguments: [{ name }] }) => name);
    assert.equal(names.filter((name) => name === 'forgetHolds').length, 3);
    assert.equal(names.filter((name) => name === 'rollUsage').length, 3);
  });

  test('several processes may roll at once', async () => {
    for (let call = 0; call < 20; call++) await charge(1);
    billing.clock.add((DETAIL_DAYS + 1) * DAY_MS);
    await Promise.all([roll(3), roll(4), roll(5)]);
    assert.deepEqual(await chain(), ['1 grant 1000 of 1', '21 rolled -20 of 20']);
    await sound();
  });

  test('a call that is still running is left alone', async () => {
    const id = `${keyId} long`;
    await billing.ledger.hold({ id, keyId, amount: 5, expiresAt: billing.clock.now() });
    await rollLater();
    assert.equal((await billing.ledger.holdState(id))?.state, 'held');
    assert.equal((await billing.ledger.settle({ id, used: 2, at: billing.clock.now() }))?.available, 998);
    assert.equal(await billing.ledger.refund({ id, at: billing.clock.now() }), 2);
    await sound();
  });

  test('a stopped pass is continued by the next', async () => {
    for (let call = 0; call < 9; call++) await charge(1);
    billing.clock.add((DETAIL_DAYS + 1) * DAY_MS);
    const stopped = new AbortController();
    const run: typeof billing.ledgerStore.run = async (procedure, args) => {
      if (procedure.name === 'rollUsage') stopped.abort();
      return billing.ledgerStore.run(procedure, args);
    };
    const ledgerStore = { ...billing.ledgerStore, run };
    const retention = createRetention({
      ...billing,
      ledgerStore,
      detailDays: DETAIL_DAYS,
      rowsAtOnce: 4,
      pauseMs: 0,
    });
    await retention.run(stopped.signal);
    assert.equal((await chain()).length, 8);
    await sound();
    await roll();
    assert.equal((await chain()).length, 2);
    await sound();
  });

  test('a broken chain is not rolled, others are', async () => {
    const broken = keyId;
    await charge(1);
    await charge(2);
    const { keyId: other } = await billing.keys.create({ credits: CREDITS, label: null });
    keyId = other;
    await charge(1);
    const db = openLoosely(billing.dataDir, databaseUrl);
    const charged = (delta: number) =>
      db.updateTable('entry').set({ delta }).where('key_id', '=', broken).where('version', '=', 3).execute();
    await charged(-3);
    await assert.rejects(rollLater(), /balances of rolled charges add up/);
    assert.deepEqual((await chain()).at(-1), '2 rolled -1 of 1');
    keyId = broken;
    assert.deepEqual((await chain()).at(-1), '3 usage -3 of 1');
    await charged(-2);
    await db.destroy();
  });

  test('a server rolls at its start and every hour', async (t) => {
    const timers = t.mock.method(globalThis, 'setInterval');
    const run = t.mock.method(billing.retention, 'run', async () => {});
    billing.startHousekeeping();
    await billing.background.drain();
    for (const {
      arguments: [work, ms],
    } of timers.mock.calls)
      if (ms === 3_600_000) work();
    await billing.background.drain();
    assert.equal(run.mock.callCount(), 2);
  });

  test('handled events, expired payment pages and what the sandbox no longer needs are forgotten', async () => {
    const { ledgerStore, clock } = billing;
    const at = clock.now();
    for (const id of ['handled', 'open'])
      await ledgerStore.run(keepEvent, { id, type: 't', createdAt: at, object: { kind: 'other', id: 'o' } });
    await ledgerStore.run(recordEventTried, { id: 'handled', handledAt: at });
    const sandbox = createSandbox({ ledgerStore, clock, siteUrl: () => '' });
    const sold = { pack: 'builder', cents: 5_000, credits: 60_000 } as const;
    for (const reference of ['gone', 'awaited', 'saved']) {
      const { id } = await sandbox.provider.openCheckout({
        reference,
        ...sold,
        saveCard: { terms: 't' },
        successUrl: '',
        cancelUrl: '',
      });
      if (reference === 'saved') await sandbox.page.act(id, 'pay');
      await ledgerStore.run(createCheckout, {
        id: reference,
        provider_id: id,
        ...sold,
        nonce_hash: 'n',
        state: 'open',
        created_at: at,
      });
    }
    await ledgerStore.run(recordCheckoutState, { id: 'gone', state: 'expired' });
    const db = openLoosely(billing.dataDir, databaseUrl);
    const card = await db
      .selectFrom('sandbox_object')
      .select('id')
      .where('kind', '=', 'card')
      .executeTakeFirstOrThrow();
    await db.updateTable('account').set({ card: card.id }).where('key_id', '=', keyId).execute();
    await db.updateTable('checkout').set({ state: 'fulfilled' }).where('id', '=', 'saved').execute();
    await rollLater();
    const ids = async (table: 'payment_event' | 'checkout'): Promise<string[]> =>
      (await db.selectFrom(table).select('id').orderBy('id').execute()).map(({ id }) => id);
    assert.deepEqual(await ids('payment_event'), ['open']);
    assert.deepEqual(await ids('checkout'), ['awaited', 'saved']);
    const objects = await db
      .selectFrom('sandbox_object')
      .select(['kind', 'reference'])
      .orderBy('kind')
      .execute();
    assert.deepEqual(
      objects.map(({ kind, reference }) => `${kind} ${reference}`),
      ['card saved', 'checkout awaited'],
    );
    await db.destroy();
  });
});
