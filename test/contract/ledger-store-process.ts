/**
 * Does one thing with the books, in a process of its own, as soon as a line comes in: ledger-store-process.ts <what> <place as JSON>.
 * It prints `ready`, and then what came out, as JSON.
 */
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { createAllowance } from '../../src/billing/ledger/allowance.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openLedgerStore } from '../../src/platform/store/ledger/open-ledger-store.ts';
import { openSqlite } from '../../src/platform/store/open-sqlite.ts';

type Place = { dataDir: string; databaseUrl: string | null };

const COUNTS = 70;
const [what = '', json = ''] = process.argv.slice(2);
const place: Place = JSON.parse(json);
const told: Record<string, () => Promise<unknown>> = { open, count, lock };
await told[what]?.();
process.stdin.unref();

/** Opens the books, which makes or changes the tables. */
async function open(): Promise<void> {
  await go('ready');
  const ledgerStore = await openLedgerStore(place);
  tell((await ledgerStore.db.selectFrom('account').selectAll().execute()).length);
  await ledgerStore.close();
}

/** Counts free requests of one address, all at once; tells how many were left after each. */
async function count(): Promise<void> {
  const ledgerStore = await openLedgerStore(place);
  const allowance = createAllowance({ ledgerStore, clock: systemClock });
  await go('ready');
  tell(await Promise.all(Array.from({ length: COUNTS }, () => allowance.count('203.0.113.9'))));
  await ledgerStore.close();
}

/** Holds SQLite's lock for writing until a line comes in. */
async function lock(): Promise<void> {
  const database = openSqlite(join(place.dataDir, 'books.db'));
  database.exec('begin exclusive');
  await go('ready');
  database.exec('commit');
  database.close();
  tell('unlocked');
}

async function go(word: string): Promise<void> {
  tell(word);
  await once(process.stdin, 'data');
}

function tell(value: unknown): void {
  writeSync(1, `${JSON.stringify(value)}\n`);
}
