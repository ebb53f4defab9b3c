import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Billing, createBilling } from '../../../src/app/compose-billing.ts';
import { createLog } from '../../../src/platform/log.ts';
import type { CallingTask } from './calling-process.ts';
import { judge, type Verdict } from './judge.ts';
import { killAgainAndAgain } from './killed-processes.ts';
import type { Keys, Note } from './notes.ts';

/** The size of a run. SQLite allows one process, PostgreSQL several. */
export type Size = { processes: number; callers: number; everyMs: number; seconds: number; kills: number };
export type Chaos = Verdict & { kills: number; seconds: number };

const CALLING = resolve(import.meta.dirname, 'calling-process.ts');
/** Approximate size of a note. */
const NOTE_BYTES = 90;
const MANY = 50;
/** Every fifth key soon runs out of credits. */
const POOR_CREDITS = 30;
const RICH_CREDITS = 10_000_000;

/** Calls the meter from processes that are killed, then checks the ledger. */
export async function chaosOfMeter(databaseUrl: string | null, size: Size): Promise<Chaos> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sanderling-chaos-'));
  const begun = performance.now();
  try {
    const place = { dataDir, databaseUrl };
    const keys = await withBilling(place, createKeys);
    const files = Array.from({ length: size.processes }, (_, number) => join(dataDir, `notes-${number}`));
    const notedBefore: number[] = [];
    const kills = await killAgainAndAgain({
      ...size,
      answersMax: 60,
      command(number) {
        const notes = files[number] ?? '';
        notedBefore[number] = bytesOf(notes);
        const task: CallingTask = { ...place, callers: size.callers, keys, notes };
        return { args: [CALLING, JSON.stringify(task)] };
      },
      done: (number) => (bytesOf(files[number] ?? '') - (notedBefore[number] ?? 0)) / NOTE_BYTES,
      onLine() {},
    });
    const seconds = (performance.now() - begun) / 1_000;
    const notes = files.flatMap(readNotes);
    return { ...(await withBilling(place, (billing) => judge(billing, notes))), kills, seconds };
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function bytesOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function readNotes(file: string): Note[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

async function createKeys({ keys }: Billing): Promise<Keys> {
  const hot = (await keys.create({ credits: RICH_CREDITS, label: 'hot' })).keyId;
  const many = Array.from({ length: MANY }, (_, place) =>
    keys.create({ credits: place % 5 === 0 ? POOR_CREDITS : RICH_CREDITS, label: null }),
  );
  return { hot, many: (await Promise.all(many)).map(({ keyId }) => keyId) };
}

export async function withBilling<T>(
  place: { dataDir: string; databaseUrl: string | null },
  work: (billing: Billing) => Promise<T>,
): Promise<T> {
  const billing = await createBilling(place, { log: createLog('silent') });
  try {
    return await work(billing);
  } finally {
    await billing.close();
  }
}
