import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createAllowance } from '../../src/billing/ledger/allowance.ts';
import { describeOnStores } from '../fixtures/postgres.ts';
import { type OpenBilling, openBilling } from './open-billing.ts';
import { startLedgerProcess } from './start-ledger-store-process.ts';

const ALLOWED = 25;

await describeOnStores('the allowance', (databaseUrl) => {
  let billing: OpenBilling;
  before(async () => {
    billing = await openBilling(databaseUrl);
  });
  after(() => billing.close());

  /** How many are left after each of some requests at once; null for those refused. */
  const start = (address: string, requests: number): Promise<(number | null)[]> => {
    const allowance = createAllowance(billing);
    return Promise.all(Array.from({ length: requests }, () => allowance.count(address)));
  };

  const countdown = Array.from({ length: ALLOWED }, (_, place) => place);
  const counted = (lefts: unknown[]): unknown[] =>
    lefts.filter((left) => left !== null).toSorted((one, other) => Number(one) - Number(other));

  test(`is ${ALLOWED} of 200 at once, and says how many are left`, async () => {
    const lefts = await start('198.51.100.1', 200);
    assert.deepEqual(counted(lefts), countdown);
    assert.equal(await createAllowance(billing).left('198.51.100.1'), 0);
  });

  test('is one for each IPv4 address and each /64 of IPv6', async () => {
    assert.deepEqual(await start('198.51.100.2', 1), [24]);
    assert.deepEqual(await start('::ffff:198.51.100.2', 1), [23]);
    assert.deepEqual(await start('2001:db8:0:1::1', 1), [24]);
    assert.deepEqual(await start('2001:db8:0:1:ffff::2', 1), [23]);
    assert.deepEqual(await start('2001:db8:0:2::1', 1), [24]);
  });

  test('is new on a new day; the day before is kept, older ones are not', async () => {
    await start('198.51.100.3', 30);
    billing.clock.add(86_400_000);
    assert.deepEqual(await start('198.51.100.3', 1), [24]);
    billing.clock.add(86_400_000);
    await start('198.51.100.3', 1);
    const billed = billing.ledgerStore.db.selectFrom('allowance').select('day').distinct().orderBy('day');
    assert.equal((await billed.execute()).length, 3);
    await createAllowance(billing).forgetPast();
    assert.deepEqual(
      (await billed.execute()).map(({ day }) => day),
      ['2026-11-22', '2026-11-23'],
    );
  });

  test('that is used up costs no more writes, until the day ends', async () => {
    let writes = 0;
    const { ledgerStore, clock } = billing;
    const allowance = createAllowance({
      clock,
      ledgerStore: {
        ...ledgerStore,
        run(procedure, args) {
          writes += 1;
          return ledgerStore.run(procedure, args);
        },
      },
    });
    for (let calls = 0; calls < ALLOWED + 50; calls++) await allowance.count('198.51.100.4');
    assert.equal(writes, ALLOWED + 1);
    clock.add(86_400_000);
    assert.equal(await allowance.count('198.51.100.4'), ALLOWED - 1);
  });

  test(`is ${ALLOWED} over three processes`, async () => {
    const place = { dataDir: billing.dataDir, databaseUrl };
    const processes = await Promise.all([1, 2, 3].map(() => startLedgerProcess('count', place)));
    const lefts = await Promise.all(processes.map((one) => one.goOn()));
    assert.deepEqual(counted(lefts.flat()), countdown);
    await Promise.all(processes.map(({ ended }) => ended));
  });
});
