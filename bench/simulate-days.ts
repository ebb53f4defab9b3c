/**
 * A ledger that lives for 1,000 days with 100,000 charges a day, its housekeeping included: how large its file becomes, how long
 * a step of housekeeping holds the write lock, and whether the audit finds anything.
 *
 *   npm run simulate:days [-- --days 1000] [-- --charges 100000] [-- --full-days 93] [-- --keys 100] [-- --detail-days 90]
 *
 * Compressed: each day is written in bulk, as the rows that its charges leave. The last `--full-days` days have all their charges;
 * on the days before, a hundredth as many charge a hundred times as much, since those are rolled into the same daily entries.
 * Fails if the file has 2 GB or more, or the audit finds something.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { createBilling } from '../src/app/compose-billing.ts';
import { createAudit } from '../src/billing/audit/audit.ts';
import { createRetention } from '../src/billing/retention/retention.ts';
import { createLog } from '../src/platform/log.ts';
import type { LedgerStore } from '../src/platform/store/ledger/ledger-store.ts';
import { DAY_MS } from '../src/platform/utc.ts';
import { createDayWriter } from './days/write-days.ts';

const BYTES_MAX = 2_000_000_000;
const LIGHTER = 100;
/** On light days, a pass of housekeeping does several days at once. */
const LIGHT_DAYS_A_PASS = 10;
const FIRST_DAY = Date.parse('2026-01-01T00:00:00Z');
const CREDITS = 10_000_000_000;

const { values } = parseArgs({
  options: {
    days: { type: 'string', default: '1000' },
    charges: { type: 'string', default: '100000' },
    'full-days': { type: 'string', default: '93' },
    keys: { type: 'string', default: '100' },
    'detail-days': { type: 'string', default: '90' },
  },
});
const days = Number(values.days);
const charges = Number(values.charges);
const fullFrom = days - Number(values['full-days']);

const dataDir = mkdtempSync(join(tmpdir(), 'sanderling-days-'));
const path = join(dataDir, 'books.db');
let now = FIRST_DAY;
const clock = { now: () => now };
const billing = await createBilling({ dataDir, databaseUrl: null }, { log: createLog('silent'), clock });
try {
  process.exitCode = await simulate();
} finally {
  await billing.close();
  rmSync(dataDir, { recursive: true, force: true });
}

async function simulate(): Promise<number> {
  const keyIds: string[] = [];
  while (keyIds.length < Number(values.keys))
    keyIds.push((await billing.keys.create({ credits: CREDITS, label: null })).keyId);
  const database = new DatabaseSync(path, { timeout: 60_000 });
  database.exec('pragma synchronous = off; pragma cache_size = -65536');
  const writeDay = createDayWriter(database, keyIds);
  const steps = new Map<string, number[]>();
  const ledgerStore = timed(billing.ledgerStore, steps);
  const retention = createRetention({
    ledgerStore,
    clock,
    detailDays: Number(values['detail-days']),
    pauseMs: 0,
  });
  const begun = performance.now();
  for (let day = 0; day < days; day++) {
    const isFull = day >= fullFrom;
    writeDay({
      startsAt: now,
      charges: isFull ? charges : charges / LIGHTER,
      credits: isFull ? 1 : LIGHTER,
    });
    now += DAY_MS;
    if (isFull || day % LIGHT_DAYS_A_PASS === 0) await retention.run();
    if (day % 100 === 99 || (isFull && day % 10 === 9)) printDay(day + 1, performance.now() - begun);
  }
  await retention.run();
  database.exec('pragma wal_checkpoint(truncate)');
  database.close();
  printSteps(steps);
  return judge();
}

/** The store, with the time of each of its procedures noted by name. */
function timed(ledgerStore: LedgerStore, steps: Map<string, number[]>): LedgerStore {
  return {
    ...ledgerStore,
    async run(procedure, args) {
      const begun = performance.now();
      const result = await ledgerStore.run(procedure, args);
      const took = steps.get(procedure.name) ?? [];
      took.push(performance.now() - begun);
      steps.set(procedure.name, took);
      return result;
    },
  };
}

function printDay(day: number, ms: number): void {
  const megabytes = (statSync(path).size / 1e6).toFixed(0);
  console.log(`day ${day}: ${megabytes} MB, after ${(ms / 1_000).toFixed(0)} s`);
}

function printSteps(steps: Map<string, number[]>): void {
  const rows = [...steps].map(([name, took]) => {
    const sorted = took.toSorted((one, other) => one - other);
    const at = (share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1);
    return [name, { steps: sorted.length, 'p50 ms': at(0.5), 'p99 ms': at(0.99), 'max ms': at(1) }] as const;
  });
  console.table(Object.fromEntries(rows));
}

/** Prints the size and the audit's findings. Returns the exit code. */
async function judge(): Promise<number> {
  const { db } = billing.ledgerStore;
  const kinds = await db
    .selectFrom('entry')
    .select(({ fn }) => ['kind', fn.countAll<number>().as('rows'), fn.sum<number>('entries').as('entries')])
    .groupBy('kind')
    .execute();
  console.table(kinds);
  const { size } = statSync(path);
  const begun = performance.now();
  const findings = await createAudit(billing)();
  const seconds = ((performance.now() - begun) / 1_000).toFixed(0);
  console.log(
    `${(size / 1e9).toFixed(3)} GB after ${days} days; the audit took ${seconds} s and found ${findings.length}`,
  );
  for (const { invariant, text } of findings) console.log(`${invariant} ${text}`);
  return findings.length === 0 && size < BYTES_MAX ? 0 : 1;
}
