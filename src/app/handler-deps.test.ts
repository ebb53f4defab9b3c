import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openLedgerStore } from '../platform/store/ledger/open-ledger-store.ts';
import { openStore } from '../platform/store/open-store.ts';
import { readConfig } from './config.ts';
import { createReadiness } from './handler-deps.ts';

test('is proved by writing, once in five seconds, and leaves nothing in the data folder', async (t) => {
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
  // Nothing can be written where the folder is gone, though both databases can still be read.
  rmSync(dataDir, { recursive: true, force: true });
  await isReady();
  now = 5_000;
  await assert.rejects(isReady(), { code: 'ENOENT' });
});
