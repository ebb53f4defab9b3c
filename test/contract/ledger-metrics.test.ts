import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { type Billing, createBilling } from '../../src/app/compose-billing.ts';
import { watchLedger } from '../../src/billing/ledger/housekeeping.ts';
import { readTotals } from '../../src/billing/ledger/totals.ts';
import { createLog } from '../../src/platform/log.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import type { LedgerTables } from '../../src/platform/store/ledger/ledger-tables.ts';
import { describeOnStores } from '../fixtures/postgres.ts';

const ledgerLines = async (metrics: Billing['metrics']): Promise<string[]> =>
  (await metrics.text()).body
    .split('\n')
    .filter((line) => /^sanderling_(?:credits_available|credits_on_hold|holds_open|keys\{|books)/.test(line))
    .toSorted();

await describeOnStores('metrics of the ledger', (databaseUrl) => {
  let billing: Billing;
  let now = Date.parse('2026-11-21T12:00:00Z');
  const dataDir = mkdtempSync(join(tmpdir(), 'sanderling-metrics-'));
  before(async () => {
    billing = await createBilling(
      { dataDir, databaseUrl },
      { log: createLog('silent'), clock: { now: () => now } },
    );
  });
  after(async () => {
    await billing.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test('tell what all keys come to; revoked keys spend nothing', async () => {
    const { keyId } = await billing.keys.claimFree('203.0.113.9');
    await billing.keys.create({ credits: 40, label: null });
    const ended = await billing.keys.create({ credits: 7, label: null });
    await billing.keys.revoke(ended.keyId);
    await billing.ledger.hold({ id: 'one', keyId, amount: 3, expiresAt: now + 1_000 });
    assert.deepEqual(await ledgerLines(billing.metrics), [
      'sanderling_books_readable 1',
      'sanderling_credits_available 2537',
      'sanderling_credits_on_hold 3',
      'sanderling_holds_open 1',
      'sanderling_keys{kind="free",state="active"} 1',
      'sanderling_keys{kind="operator",state="active"} 1',
      'sanderling_keys{kind="operator",state="revoked"} 1',
    ]);
  });

  test('are read anew after ten seconds', async () => {
    await billing.ledger.settle({ id: 'one', used: 1, at: now });
    assert.ok((await ledgerLines(billing.metrics)).includes('sanderling_credits_available 2537'));
    now += 10_000;
    assert.ok((await ledgerLines(billing.metrics)).includes('sanderling_credits_available 2539'));
  });

  test('more keys than one reading takes are all counted', async () => {
    const before = await readTotals(billing.ledgerStore.db);
    for (let made = 0; made < 25; made += 1) await billing.keys.create({ credits: 2, label: null });
    const totals = await readTotals(billing.ledgerStore.db, { sliceKeys: 10 });
    assert.equal(totals.available - before.available, 50);
    assert.equal(totals.keys.find(({ kind, state }) => kind === 'operator' && state === 'active')?.count, 26);
  });
});

describe('books that cannot be read', () => {
  const absent = [
    'sanderling_books_readable 0',
    'sanderling_credits_available Nan',
    'sanderling_credits_on_hold Nan',
    'sanderling_holds_open Nan',
  ];
  const metricsOver = (acquire: () => Promise<never>): Billing['metrics'] => {
    class Unreadable extends DummyDriver {
      override acquireConnection = acquire;
    }
    const db = new Kysely<LedgerTables>({
      dialect: {
        createAdapter: () => new SqliteAdapter(),
        createDriver: () => new Unreadable(),
        createIntrospector: (any) => new SqliteIntrospector(any),
        createQueryCompiler: () => new SqliteQueryCompiler(),
      },
    });
    const metrics = createMetrics();
    watchLedger(metrics, { db }, { readMs: 1 });
    return metrics;
  };

  for (const [name, acquire] of [
    ['that fail', () => Promise.reject(new Error('gone'))],
    ['that do not answer', () => new Promise<never>(() => {})],
  ] as const) {
    test(`${name}: the other metrics stay`, async () => {
      const metrics = metricsOver(acquire);
      assert.deepEqual(await ledgerLines(metrics), absent);
      assert.match((await metrics.text()).body, /process_cpu_seconds_total/);
      metrics.close();
    });
  }
});
