import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createAudit } from '../../src/billing/audit/audit.ts';
import { createRetention } from '../../src/billing/retention/retention.ts';
import { DAY_MS, toUtcDay } from '../../src/platform/clock.ts';
import { NOON, type OpenBilling, openBilling } from '../contract/open-billing.ts';
import { describeOnStores } from '../fixtures/postgres.ts';

const DAYS = 1_000;
const DETAIL_DAYS = 90;
/** Days for which ended holds are kept, today included. */
const HOLD_DAYS = 4;
const CHARGES_A_DAY = 3;
const REFUND_EVERY = 100;
const GRANT_EVERY = 250;
const ROLL_EVERY = 10;
const FIRST_CREDITS = 5_000;
const GRANTED = 100;

await describeOnStores('a ledger on day 1,000', (databaseUrl) => {
  let billing: OpenBilling;
  let keyIds: string[];
  const spent = new Map<string, number>();
  const firstDay = NOON;

  before(async () => {
    billing = await openBilling(databaseUrl);
    keyIds = [];
    for (const label of ['one', 'other'])
      keyIds.push((await billing.keys.create({ credits: FIRST_CREDITS, label })).keyId);
    const retention = createRetention({ ...billing, detailDays: DETAIL_DAYS, pauseMs: 0 });
    for (let day = 0; day < DAYS; day++) {
      await liveThrough(day);
      billing.clock.add(DAY_MS);
      if (day % ROLL_EVERY === 0) await retention.run();
    }
    await retention.run();
  });
  after(() => billing.close());

  const keyOf = (day: number): string => keyIds[day % 5 === 0 ? 1 : 0] ?? '';

  async function liveThrough(day: number): Promise<void> {
    const { ledger, keys, clock } = billing;
    const keyId = keyOf(day);
    for (let call = 0; call < CHARGES_A_DAY; call++) {
      const id = `call ${day} ${call}`;
      await ledger.hold({ id, keyId, amount: 3, expiresAt: clock.now() + 20_000 });
      await ledger.settle({ id, used: call, at: clock.now() });
      spent.set(keyId, (spent.get(keyId) ?? 0) + call);
    }
    if (day % REFUND_EVERY === 0)
      spent.set(
        keyId,
        (spent.get(keyId) ?? 0) - (await ledger.refund({ id: `call ${day} 1`, at: clock.now() })),
      );
    if (day % GRANT_EVERY === 0) await keys.grant({ keyId, credits: GRANTED, ref: `invoice ${day}` });
  }

  const entries = () => billing.ledgerStore.db.selectFrom('entry').selectAll().orderBy('version').execute();
  const available = (): Promise<number[]> =>
    Promise.all(keyIds.map((keyId) => billing.ledger.available(keyId)));

  test('is sound, and every balance is what was granted less what was charged', async () => {
    assert.deepEqual(await createAudit(billing)(), []);
    for (const [place, keyId] of keyIds.entries()) {
      const grants = Array.from({ length: DAYS / GRANT_EVERY }, (_, n) => keyOf(n * GRANT_EVERY));
      const granted = FIRST_CREDITS + GRANTED * grants.filter((granted) => granted === keyId).length;
      assert.equal((await available())[place], granted - (spent.get(keyId) ?? 0));
    }
  });

  test('has one entry for each key and old day, and all of the last 90', async () => {
    const all = await entries();
    const young = billing.clock.now() - DETAIL_DAYS * DAY_MS;
    const charges = all.filter(({ kind }) => kind === 'usage');
    const refunds = all.filter(({ kind }) => kind === 'refund');
    const refunded = new Set(refunds.map(({ ref }) => ref));
    assert.equal(
      charges.filter(({ at }) => toUtcDay(at) >= toUtcDay(young)).length,
      DETAIL_DAYS * (CHARGES_A_DAY - 1),
    );
    assert.ok(charges.every(({ at, ref }) => toUtcDay(at) >= toUtcDay(young) || refunded.has(ref)));
    const rolled = all.filter(({ kind }) => kind === 'rolled');
    assert.equal(rolled.length, DAYS - DETAIL_DAYS);
    assert.equal(new Set(rolled.map(({ key_id, at }) => `${key_id} ${toUtcDay(at)}`)).size, rolled.length);
    const [oldest] = rolled.filter(({ key_id }) => key_id === keyIds[0]);
    assert.deepEqual(
      { ...oldest, key_id: 'KEY', ref: oldest?.ref.replace(keyIds[0] ?? '', 'KEY') },
      {
        key_id: 'KEY',
        version: 3,
        kind: 'rolled',
        contra: 'revenue',
        ref: 'KEY:2',
        delta: -3,
        entries: 2,
        // A day's charges are counted by key and endpoint elsewhere.
        spent_by: null,
        endpoint: null,
        balance: FIRST_CREDITS - 3,
        at: Math.floor(firstDay / DAY_MS + 1) * DAY_MS,
      },
    );
  });

  test('keeps every grant and refund, and neither counts again', async () => {
    const all = await entries();
    assert.equal(all.filter(({ kind }) => kind === 'refund').length, DAYS / REFUND_EVERY);
    assert.equal(all.filter(({ kind }) => kind === 'grant').length, DAYS / GRANT_EVERY + keyIds.length);
    const before = await available();
    const again = await billing.keys.grant({ keyId: keyOf(0), credits: GRANTED, ref: 'invoice 0' });
    assert.equal(again.kind, 'granted before');
    for (const id of ['call 0 1', 'call 1 1', `call ${DAYS - 50} 2`])
      assert.equal(await billing.ledger.refund({ id, at: billing.clock.now() }), 0, id);
    assert.deepEqual(await available(), before);
  });

  test('settles no rolled call again', async () => {
    assert.equal(await billing.ledger.settle({ id: 'call 1 2', used: 2, at: billing.clock.now() }), null);
    assert.equal(await billing.ledger.holdState('call 1 2'), null);
  });

  test('has the holds of the last few days only', async () => {
    const holds = await billing.ledgerStore.db.selectFrom('hold').select('id').execute();
    assert.ok(holds.length <= HOLD_DAYS * CHARGES_A_DAY, `${holds.length} holds`);
  });

  test('is not changed by another pass', async () => {
    const before = await entries();
    await billing.retention.run();
    assert.deepEqual(await entries(), before);
  });
});
