import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeOnStores } from '../fixtures/postgres.ts';
import { chaosOfMeter } from './workload/chaos.ts';

const KILLS = 4;
/** A process answers 30 calls on average before it is killed; on a busy machine hardly more. */
const ANSWERS_MIN = 10;
/** Only for a run that hangs; the kills end it long before. */
const SECONDS_MAX = 120;

/** A short run; `npm run chaos:ledger` is longer. */
await describeOnStores('processes that charge and are killed, again and again', (databaseUrl) => {
  test('keep the ledger consistent, and in agreement with every response', async () => {
    const size = databaseUrl === null ? { processes: 1 } : { processes: 2 };
    const { wrong, counts, kills } = await chaosOfMeter(databaseUrl, {
      ...size,
      callers: 8,
      everyMs: 150,
      seconds: SECONDS_MAX,
      kills: KILLS,
    });
    assert.deepEqual(wrong, []);
    assert.equal(kills, KILLS);
    assert.ok((counts.answered ?? 0) > ANSWERS_MIN, JSON.stringify(counts));
  });
});
