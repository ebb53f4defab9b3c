/**
 * Processes charge many callers, on one key shared by all and on fifty others, and are repeatedly killed with SIGKILL. Then the
 * ledger is audited and compared with every response.
 *
 *   npm run chaos:ledger -- [--store sqlite|postgres] [--over meter|http] [--seconds 60] [--kills 200]
 *
 * SQLite: one process, killed 200 times (ten minutes at most). PostgreSQL (TEST_DATABASE_URL): four processes, one of them killed
 * about every 350 ms, for a minute. `--over http` calls whole servers through their routes instead of the meter. Exits with 1 when
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
  console.log(wrong.length === 0 ? 'the ledger is consistent and agrees with the responses' : 'INCONSISTENT');
  if (wrong.length > 0) process.exitCode = 1;
} finally {
  await database?.drop();
}
