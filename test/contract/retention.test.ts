import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { createBilling } from '../../src/app/compose-billing.ts';
import { createAudit } from '../../src/billing/audit/audit.ts';
import { createCheckout, recordCheckoutState } from '../../src/billing/payments/checkout-procedures.ts';
import { keepEvent, recordEventTried } from '../../src/billing/payments/payment-inbox.ts';
import { createSandbox } from '../../src/billing/payments/providers/sandbox.ts';
import { createRetention } from '../../src/billing/retention/retention.ts';
import { rollUsage } from '../../src/billing/retention/roll-usage.ts';
import { createLog } from '../../src/platform/log.ts';
import { DAY_MS } from '../../src/platform/utc.ts';
import { describeOnStores } from '../fixtures/postgres.ts';
import { auditOfBroken, loosen, openLoosely } from './loose-ledger.ts';
import { type OpenBilling, openBilling } from './open-billing.ts';

const DETAIL_DAYS = 90;
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
        ...{ reference, ...sold, saveCard: { terms: 't' }, successUrl: '', cancelUrl: '' },
      });
      if (reference === 'saved') await sandbox.page.act(id, 'pay');
      await ledgerStore.run(createCheckout, {
        ...{ id: reference, provider_id: id, ...sold, nonce_hash: 'n', state: 'open', created_at: at },
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

/** How a rolled entry of FREE is tampered with, and what the audit finds first. */
const TAMPERED: [name: string, statement: string, found: RegExp][] = [
  [
    'its charge',
    "update entry set delta = delta + 1 where kind = 'rolled'",
    /^I1 entry 4 \(rolled KEY:2\) moves -5 from 1000/,
  ],
  [
    'its balance',
    "update entry set balance = balance + 1 where kind = 'rolled'",
    /^I1 entry 4 .* expected balance/,
  ],
  [
    'its charge and every later balance',
    `update entry set delta = delta + 1 where kind = 'rolled'; update entry set balance = balance + 1 where version >= 4;
     update account set available = available + 1`,
    /^days 2026-11-21 counts 6 credits used, its entries add up to 5$/,
  ],
  ['its day', "update entry set at = at - 86400000 where kind = 'rolled'", /^days 2026-11-20 counts 0/],
  ['its instant', "update entry set at = at + 1 where kind = 'rolled'", /^rolled entry 4 .* no whole day/],
  [
    'its number of charges',
    "update entry set entries = 2 where kind = 'rolled'",
    /^I1 entry 4 follows entry 1, expected 3$/,
  ],
  [
    'its reference',
    "update entry set ref = 'other' where kind = 'rolled'",
    /^rolled entry 4 \(other, -6\) cannot stand for 3/,
  ],
  [
    'its contra account',
    "update entry set contra = 'grants' where kind = 'rolled'",
    /^I5 entry 4 moves -6 as rolled against grants/,
  ],
  ['its existence', "delete from entry where kind = 'rolled'", /^I1 entry 5 follows entry 1, expected 2$/],
  [
    'a young charge, passed off as rolled',
    "update entry set kind = 'rolled', ref = key_id || ':' || version, at = at - at % 86400000 where version = 7",
    /^I4 the hold .* found no charge/,
  ],
  [
    'a grant, passed off as several',
    'update entry set entries = 2 where version = 5',
    /^I1 entry 5 follows entry 4, expected 6$/,
  ],
  [
    'a charge whose hold is gone too early',
    'delete from hold',
    /^I4 entry 7 \(usage, -2\) is for the hold .*never had/,
  ],
  ['the charge of a refund', "update entry set delta = 3 where kind = 'refund'", /^I1 entry 9/],
  ['the horizon', 'delete from horizon', /^I4 |^rolled entry 4/],
];

await describeOnStores('the audit of a rolled ledger', (databaseUrl) => {
  let billing: OpenBilling;
  let keyId: string;
  let db: ReturnType<typeof openLoosely>;
  before(async () => {
    billing = await openBilling(databaseUrl);
    const { ledger, keys, clock } = billing;
    ({ keyId } = await keys.create({ credits: CREDITS, label: null }));
    const charge = async (name: string, used: number): Promise<void> => {
      await ledger.hold({ id: `${name}`, keyId, amount: used, expiresAt: clock.now() + 20_000 });
      await ledger.settle({ id: `${name}`, used, at: clock.now() });
    };
    for (const used of [1, 2, 3]) await charge(`old ${used}`, used);
    await keys.grant({ keyId, credits: 7, ref: 'invoice' });
    clock.add((DETAIL_DAYS + 1) * DAY_MS);
    await charge('late', 1);
    await billing.retention.run();
    await charge('young', 2);
    await charge('back', 2);
    await ledger.refund({ id: 'back', at: clock.now() });
    db = openLoosely(billing.dataDir, databaseUrl);
    await loosen(db);
  });
  after(async () => {
    await db.destroy();
    await billing.close();
  });

  for (const [name, statement, found] of TAMPERED)
    test(`finds a change of ${name}`, async () => {
      const findings = await auditOfBroken(db, databaseUrl === null ? 'sqlite' : 'postgres', statement);
      const said = findings.map(({ invariant, text }) => `${invariant} ${text}`.replaceAll(keyId, 'KEY'));
      assert.ok(
        said.some((line) => found.test(line)),
        said.join('\n') || 'nothing was found',
      );
    });
});

describe('the file of a ledger on SQLite', () => {
  const many = 'with recursive n (i) as (select 1 union all select i + 1 from n where i < 200000)';
  const read = (database: DatabaseSync, name: string): number => {
    // A connection learns of changes when it reads a page.
    database.prepare('select count(*) from sqlite_schema').get();
    return Number(database.prepare(`pragma ${name}`).get()?.[name]);
  };

  test('shrinks after many rows were deleted, also one of an older version', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'sanderling-shrink-'));
    const database = new DatabaseSync(join(dataDir, 'books.db'), { timeout: 10_000 });
    database.exec('pragma journal_mode = wal; create table old (text text)');
    database.exec(`${many} insert into old select 'row ' || i from n; delete from old`);
    assert.equal(read(database, 'auto_vacuum'), 0);
    const full = read(database, 'page_count');
    const billing = await createBilling({ dataDir, databaseUrl: null }, { log: createLog('silent') });
    assert.equal(read(database, 'auto_vacuum'), 2);
    assert.ok(read(database, 'page_count') < full / 2);

    database.exec(`${many} insert into allowance select 'address ' || i, '2020-01-01', 1 from n`);
    const grown = read(database, 'page_count');
    database.exec('delete from allowance');
    assert.equal(read(database, 'page_count'), grown);
    await billing.retention.run();
    assert.ok(read(database, 'page_count') < grown / 2);
    assert.equal(database.prepare('pragma integrity_check').get()?.integrity_check, 'ok');
    database.close();
    await billing.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
});
