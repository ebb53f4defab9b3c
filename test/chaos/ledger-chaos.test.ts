import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeOnStores } from '../fixtures/postgres.ts';
import { chaosOfMeter } from './workload/chaos.ts';

/** A short run; `npm run chaos:ledger` is longer. */
await describeOnStores('processes that charge and are killed, again and again', (databaseUrl) => {
  test('keep the ledger consistent, and in agreement with every response', async () => {
    const size = databaseUrl === null ? { processes: 1 } : { processes: 2 };
    const { wrong, counts, kills } = await chaosOfMeter(databaseUrl, {
      ...size,
      callers: 8,
      everyMs: 300,
      seconds: 8,
      kills: 4,
    });
    assert.deepEqual(wrong, []);
    assert.ok(kills >= 2 && (counts.answered ?? 0) > 100, `${kills} kills, ${JSON.stringify(counts)}`);
  });
});
