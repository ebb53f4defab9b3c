import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openLedgerStore } from '../platform/store/ledger/open-ledger-store.ts';
import { openStore } from '../platform/store/open-store.ts';
import { readConfig } from './config.ts';
import { createReadiness } from './handler-deps.ts';

test('readiness is probed with a write, once in five seconds, and leaves no file behind', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sanderling-ready-'));
  const ledgerStore = await openLedgerStore({ dataDir, databaseUrl: null });
  const store = await openStore(dataDir);
  t.after(async () => {
    await ledgerStore.close();
    await store.destroy();
    rmSync(dataDir, { recursive: true, force: true });
  });
  let now = 0;
  const config = { ...readConfig({}), dataDir };
  const run = t.mock.method(ledgerStore, 'run');
  const isReady = createReadiness({ config, store, ledgerStore, clock: { now: () => now } });
  await Promise.all([isReady(), isReady()]);
  assert.equal(run.mock.callCount(), 1);
  assert.deepEqual(
    readdirSync(dataDir).filter((name) => name.startsWith('.probe')),
    [],
  );
  // Without the folder nothing can be written, though both databases can still be read.
  rmSync(dataDir, { recursive: true, force: true });
  await isReady();
  now = 5_000;
  await assert.rejects(isReady(), { code: 'ENOENT' });
});
