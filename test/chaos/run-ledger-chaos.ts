/**
 * Processes charge many callers on one key that all share and on fifty others, and are killed with SIGKILL again and again; then
 * the books are audited and held against what every caller was told.
 *
 *   npm run chaos:ledger -- [--store sqlite|postgres] [--over meter|http] [--seconds 60] [--kills 200]
 *
 * SQLite: one process, until it has been killed 200 times (at most ten minutes). PostgreSQL (TEST_DATABASE_URL): four processes, one of which
 * is killed about every 350 ms, for a minute. `--over http` drives whole servers through their routes instead of the meter. Ends with 1 when
 * anything is wrong.
 */
import { parseArgs } from 'node:util';
import { createTestDatabase, noServer } from '../fixtures/postgres.ts';
import { chaosOfMeter, type Size } from './workload/chaos.ts';
import { chaosOfServers } from './workload/servers.ts';

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'sqlite' },
    over: { type: 'string', default: 'meter' },
    seconds: { type: 'string' },
    kills: { type: 'string' },
  },
});
const onPostgres = values.store === 'postgres';
const usual: Size = onPostgres
  ? { processes: 4, callers: 8, everyMs: 350, seconds: 60, kills: 1_000 }
  : { processes: 1, callers: 8, everyMs: 350, seconds: 600, kills: 200 };
const size: Size = {
  ...usual,
  seconds: Number(values.seconds ?? usual.seconds),
  kills: Number(values.kills ?? usual.kills),
};
const database = onPostgres ? await createTestDatabase() : null;
if (onPostgres && database === null) throw new Error(noServer);
try {
  const chaos = values.over === 'http' ? chaosOfServers : chaosOfMeter;
  const { kills, seconds, counts, charged, chargedUnanswered, wrong } = await chaos(
    database?.url ?? null,
    size,
  );
  console.log(
    `${values.store}, over ${values.over}: ${size.processes} x ${size.callers} callers, ${kills} kills in ${seconds.toFixed(0)} s`,
  );
  console.table(counts);
  console.log(`${charged} credits charged for answers, ${chargedUnanswered} for calls that were cut off`);
  for (const line of wrong) console.log(`WRONG: ${line}`);
  console.log(
    wrong.length === 0 ? 'the books are sound, and agree with what callers were told' : 'NOT SOUND',
  );
  if (wrong.length > 0) process.exitCode = 1;
} finally {
  await database?.drop();
}
