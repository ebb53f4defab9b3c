import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { type Billing, createBilling } from '../../src/app/compose-billing.ts';
import { createAllowance } from '../../src/billing/ledger/allowance.ts';
import { createLog } from '../../src/platform/log.ts';
import { describeOnStores } from '../fixtures/postgres.ts';
import { type MovableClock, movableClock } from '../http/calls/charged-service.ts';

/** The longest call of all: a crawl. */
const CALL_MS = 130_000;
const SECONDS_OF_CALL = 120;
const RENEW_SECONDS = 5;
const DAY_SECONDS = 86_400;
const HOUR_MS = 3_600_000;

await describeOnStores('what a server does from time to time', (databaseUrl) => {
  let folder: string;
  let clock: MovableClock;
  let billing: Billing;
  let key: { keyId: string };
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sanderling-housekeeping-'));
    clock = movableClock('2026-11-21T12:00:00Z');
    billing = await open();
    key = await billing.keys.create({ credits: 100, label: null });
  });
  afterEach(async () => {
    await billing.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const open = (): Promise<Billing> =>
    createBilling(
      { dataDir: folder, databaseUrl },
      { log: createLog('silent'), clock, steady: { now: () => passedMs } },
    );
  let passedMs = 0;
  const setClock = (seconds: number): void =>
    clock.set(new Date(clock.now() + seconds * 1_000).toISOString());
  /** Lets time pass, which both clocks show. */
  const pass = (seconds: number): void => {
    passedMs += seconds * 1_000;
    setClock(seconds);
  };
  const left = (): Promise<number> => billing.ledger.available(key.keyId);
  const holding = async (of: Billing, id: string) => {
    const charge = await of.meter.beginCharge({ kind: 'key', keyId: key.keyId }, id);
    await charge.hold({ credits: 60, ms: CALL_MS });
    return charge;
  };
  let calls = 0;
  const newId = (): string => `${databaseUrl === null ? 'sqlite' : 'postgres'}-${calls++}`;

  test('what a killed process held is free again within half a minute', async () => {
    await holding(billing, newId());
    assert.equal(await left(), 40);
    // Whoever lives gives back what is not renewed.
    const other = await open();
    pass(25);
    assert.equal(await other.ledger.expire(clock.now()), 1);
    assert.equal(await left(), 100);
    await other.close();
  });

  test('what a living process holds stays held for as long as its call may take', async () => {
    const charge = await holding(billing, newId());
    for (let second = 0; second < SECONDS_OF_CALL; second += RENEW_SECONDS) {
      pass(RENEW_SECONDS);
      await billing.meter.renewHolds();
      assert.equal(await billing.ledger.expire(clock.now()), 0);
    }
    await charge.settle(50);
    assert.equal(await left(), 50);
  });

  for (const [how, seconds] of [
    ['forward', 3 * DAY_SECONDS],
    ['back', -3 * DAY_SECONDS],
  ] as const)
    test(`a call under way is settled though the clock is set ${how}`, async (t) => {
      const timers = t.mock.method(globalThis, 'setInterval');
      const other = await open();
      billing.startHousekeeping();
      other.startHousekeeping();
      await Promise.all([billing.background.drain(), other.background.drain()]);
      const charge = await holding(billing, newId());
      setClock(seconds);
      for (let passed = 0; passed < SECONDS_OF_CALL; passed += RENEW_SECONDS) {
        // The other process looks for expired holds before this one renews its own.
        for (const { arguments: called } of timers.mock.calls.toReversed())
          if (called[1] === RENEW_SECONDS * 1_000) {
            called[0]();
            await Promise.all([billing.background.drain(), other.background.drain()]);
          }
        pass(RENEW_SECONDS);
      }
      await charge.settle(50);
      assert.equal(await left(), 50);
      await other.close();
    });

  test('a call that never ends does not hold its credits for ever', async () => {
    await holding(billing, newId());
    for (let second = 0; second < 2 * SECONDS_OF_CALL; second += RENEW_SECONDS) {
      pass(RENEW_SECONDS);
      await billing.meter.renewHolds();
      await billing.ledger.expire(clock.now());
    }
    assert.equal(await left(), 100);
  });

  test('nothing is renewed of a call that has ended', async (t) => {
    const ended = await holding(billing, newId());
    await ended.settle(10);
    const undone = await holding(billing, newId());
    await undone.refund();
    const renew = t.mock.method(billing.ledger, 'renew');
    pass(RENEW_SECONDS);
    await billing.meter.renewHolds();
    assert.equal(renew.mock.callCount(), 0);
  });

  test('a server forgets the days before yesterday, at its start and every hour', async (t) => {
    const allowance = createAllowance({ ledgerStore: billing.ledgerStore, clock });
    const days = async (): Promise<string[]> => {
      const rows = await billing.ledgerStore.db
        .selectFrom('allowance')
        .select('day')
        .orderBy('day')
        .execute();
      return rows.map(({ day }) => day);
    };
    const timers = t.mock.method(globalThis, 'setInterval');
    await allowance.count('198.51.100.7');
    pass(2 * DAY_SECONDS);
    billing.startHousekeeping();
    await billing.background.drain();
    assert.deepEqual(await days(), []);

    await allowance.count('198.51.100.7');
    pass(2 * DAY_SECONDS);
    const hourly = timers.mock.calls.find(({ arguments: [, ms] }) => ms === HOUR_MS);
    hourly?.arguments[0]();
    await billing.background.drain();
    assert.deepEqual(await days(), []);
  });

  test('a server renews every few seconds', async (t) => {
    const timers = t.mock.method(globalThis, 'setInterval');
    billing.startHousekeeping();
    await holding(billing, newId());
    pass(RENEW_SECONDS);
    const renew = t.mock.method(billing.ledger, 'renew');
    for (const { arguments: called } of timers.mock.calls)
      if (called[1] === RENEW_SECONDS * 1_000) called[0]();
    await billing.background.drain();
    assert.equal(renew.mock.callCount(), 1);
  });
});
