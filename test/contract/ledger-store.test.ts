import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createAudit } from '../../src/billing/audit/audit.ts';
import type { HoldResult } from '../../src/billing/ledger/charge-procedures.ts';
import { openLedgerStore } from '../../src/platform/store/ledger/open-ledger-store.ts';
import { describeOnStores } from '../fixtures/postgres.ts';
import { NOON, type OpenBilling, openBilling } from './open-billing.ts';
import { startLedgerProcess } from './start-ledger-store-process.ts';
import { endsByItself, endsByThrowing, grantsBlindly } from './wrong-procedures.ts';

const STARTERS = 4;

await describeOnStores('books that are opened for the first time', (databaseUrl) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sanderling-first-'));
  after(() => rmSync(dataDir, { recursive: true, force: true }));

  test(`by ${STARTERS} processes at once are made once, and all can use them`, async () => {
    const place = { dataDir, databaseUrl };
    const starting = Array.from({ length: STARTERS }, () => startLedgerProcess('open', place));
    const processes = await Promise.all(starting);
    assert.deepEqual(await Promise.all(processes.map((one) => one.goOn())), new Array(STARTERS).fill(0));
    assert.deepEqual(await Promise.all(processes.map(({ ended }) => ended)), new Array(STARTERS).fill(0));
  });

  test('and again are opened as they are', async () => {
    for (let time = 1; time <= 2; time += 1) await (await openLedgerStore({ dataDir, databaseUrl })).close();
  });
});

await describeOnStores('books', (databaseUrl) => {
  let billing: OpenBilling;
  before(async () => {
    billing = await openBilling(databaseUrl);
  });
  after(() => billing.close());

  test('show one state to those who read several times', async () => {
    const { keyId } = await billing.keys.create({ credits: 10, label: null });
    const available = await billing.ledgerStore.snapshot(async (db) => {
      const read = () =>
        db.selectFrom('account').select('available').where('key_id', '=', keyId).executeTakeFirstOrThrow();
      const first = await read();
      await billing.keys.grant({ keyId, credits: 5, ref: 'meanwhile' });
      return [first.available, (await read()).available];
    });
    assert.deepEqual(available, [10, 10]);
    assert.equal(await billing.ledger.available(keyId), 15);
  });

  test('take no reference twice, whoever forgets to look', async () => {
    const { keyId } = await billing.keys.create({ credits: 10, label: null });
    const again = { key_id: keyId, version: 2, balance: 10, ref: `issue:${keyId}` };
    await assert.rejects(billing.ledgerStore.run(grantsBlindly, again), /unique/i);
    assert.deepEqual(await createAudit(billing)(), []);
  });

  test('carry out what was asked before they were closed', async () => {
    const closing = await openBilling(databaseUrl);
    const { keyId } = await closing.keys.create({ credits: 100, label: null });
    const holds = Array.from({ length: 50 }, (_, place) =>
      closing.ledger.hold({ id: `closing ${place}`, keyId, amount: 1, expiresAt: NOON }),
    );
    await closing.ledgerStore.close();
    assert.equal((await Promise.all(holds)).length, 50);
    rmSync(closing.dataDir, { recursive: true, force: true });
  });
});

describe('SQLite', () => {
  let billing: OpenBilling;
  let keyId: string;
  let holds = 0;
  const holdOne = (): Promise<HoldResult> =>
    billing.ledger.hold({ id: `hold ${++holds}`, keyId, amount: 1, expiresAt: NOON });

  before(async () => {
    billing = await openBilling(null);
    keyId = (await billing.keys.create({ credits: 1_000, label: null })).keyId;
  });
  after(() => billing.close());

  test('is not written through the connection for reading', async () => {
    const writing = billing.ledgerStore.db.updateTable('account').set({ available: 1_000_000 }).execute();
    await assert.rejects(writing, ({ cause }) => /readonly/.test(String(cause)));
  });

  test('while another process holds its lock: calls wait, the event loop does not, reading goes on', async () => {
    const other = await startLedgerProcess('lock', { ...billing, databaseUrl: null });
    const over = { yet: false };
    const waiting = Promise.all(Array.from({ length: 20 }, holdOne)).finally(() => {
      over.yet = true;
    });
    for (let turns = 0; turns < 200; turns += 1) {
      await setImmediate();
      assert.equal(await billing.ledger.available(keyId), 1_000);
    }
    assert.equal(over.yet, false);
    await other.goOn();
    assert.equal((await waiting).length, 20);
    assert.equal(await billing.ledger.available(keyId), 980);
    await other.ended;
  });

  for (const [how, ending] of [
    ['throws', endsByThrowing],
    ['exits', endsByItself],
  ] as const) {
    test(`when its thread ${how}, waiting calls end and later ones are served`, async () => {
      const before = await billing.ledger.available(keyId);
      const waiting = await Promise.allSettled([billing.ledgerStore.run(ending, null), holdOne(), holdOne()]);
      const confirmed = waiting.slice(1).filter(({ status }) => status === 'fulfilled').length;
      // The first call may still go to the dying thread.
      assert.equal((await holdOne().catch(holdOne)).amount, 1);
      const happened = before - (await billing.ledger.available(keyId)) - 1;
      assert.ok(
        happened >= confirmed && happened <= 3,
        `${confirmed} holds were confirmed, ${happened} happened`,
      );
      assert.deepEqual(await createAudit(billing)(), []);
    });
  }

  test('is closed after its thread has ended', async () => {
    const ended = await openBilling(null);
    await assert.rejects(ended.ledgerStore.run(endsByItself, null), /database cannot be written/);
    await ended.close();
    await assert.rejects(ended.ledgerStore.run(endsByItself, null), /the thread is closed/);
  });
});
