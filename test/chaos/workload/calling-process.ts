/**
 * Calls the meter as routes do, and writes a note for each call that ended, until it is killed:
 * calling-process.ts <task as JSON>
 */
import { openSync, writeSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../../../src/contract/errors.ts';
import { createRequestId } from '../../../src/platform/ids.ts';
import { drawKey, type Keys, type Note } from './notes.ts';

export type CallingTask = {
  dataDir: string;
  databaseUrl: string | null;
  callers: number;
  keys: Keys;
  /** The file to which notes are appended. */
  notes: string;
};

const GRANT_EVERY_MS = 100;
const EXPIRE_EVERY_MS = 300;
/** The meter's time until a hold expires; this clock for expiry runs ahead by it. */
const HOLD_GRACE_MS = 30_000;

const task: CallingTask = JSON.parse(process.argv[2] ?? '');
const notes = openSync(task.notes, 'a');
// Processes start every second, so starting must be fast.
enableCompileCache();
const { createBilling } = await import('../../../src/app/compose-billing.ts');
const { createLog } = await import('../../../src/platform/log.ts');
const billing = await createBilling(task, { log: createLog('silent') });
console.log('calling');
await Promise.all([
  ...Array.from({ length: task.callers }, () => repeat(call)),
  repeat(grantTwice),
  repeat(expire),
]);

async function repeat(work: () => Promise<void>): Promise<void> {
  for (;;) await work();
}

async function call(): Promise<void> {
  const id = createRequestId();
  const most = 1 + Math.floor(Math.random() * 3);
  const charge = await billing.meter.beginCharge({ kind: 'key', keyId: drawKey(task.keys) }, id);
  try {
    await charge.hold({ credits: most, ms: 0 });
    await (Math.random() < 0.1 ? wait(Math.random() * 40) : setImmediate());
    const fate = Math.random();
    if (fate < 0.15) throw new Failure('fetch_failed', 'the work failed');
    const used = fate < 0.25 ? 0 : 1 + Math.floor(Math.random() * most);
    await charge.settle(used);
    if (fate > 0.95) throw new Failure('fetch_failed', 'the caller hung up');
    note({ kind: 'call', id, kept: used, how: 'answered' });
  } catch (error) {
    await charge.refund();
    if (!(error instanceof Failure)) throw error;
    note({ kind: 'call', id, kept: 0, how: error.code });
  }
}

/** Makes the same grant twice at once, which counts once. */
async function grantTwice(): Promise<void> {
  const wanted = { keyId: drawKey(task.keys), credits: 7, ref: createRequestId() };
  await Promise.all([billing.keys.grant(wanted), billing.keys.grant(wanted)]);
  note({ kind: 'grant', keyId: wanted.keyId, ref: wanted.ref });
  await wait(GRANT_EVERY_MS);
}

/** Expires all holds now and then, also those being settled at this moment. */
async function expire(): Promise<void> {
  await wait(EXPIRE_EVERY_MS);
  await billing.ledger.expire(Date.now() + HOLD_GRACE_MS);
}

/** Writes synchronously, so that a kill right after it loses nothing. */
function note(written: Note): void {
  writeSync(notes, `${JSON.stringify(written)}\n`);
}
