import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeOnStores } from '../fixtures/postgres.ts';
import { paymentsChaos } from './payments-chaos.ts';

const KILLS = Number(process.env.SIMULATION_KILLS ?? 6);
const SEED = Number(process.env.SIMULATION_SEED ?? 1);

await describeOnStores('a process that dies while it sells and reloads', (databaseUrl) => {
  test(`${KILLS} deaths, at crash points or at random times, seed ${SEED}`, async (t) => {
    const report = await paymentsChaos({ databaseUrl, kills: KILLS, seed: SEED });
    t.diagnostic(JSON.stringify(report));
    assert.ok(report.charges > 0 && report.calls > 0, 'nothing happened');
  });
});
