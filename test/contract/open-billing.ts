import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Billing, createBilling } from '../../src/app/compose-billing.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';

/** The real billing, alone; SQLite gets a folder of its own, which closing removes. */
export type OpenBilling = Billing & {
  dataDir: string;
  clock: Clock & { now(): number; add(ms: number): void };
};

export const NOON = Date.parse('2026-11-21T12:00:00Z');

export async function openBilling(databaseUrl: string | null): Promise<OpenBilling> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sanderling-ledger-'));
  let now = NOON;
  const clock = {
    now: () => now,
    add(ms: number) {
      now += ms;
    },
  };
  const billing = await createBilling({ dataDir, databaseUrl }, { log: createLog('silent'), clock });
  return {
    ...billing,
    dataDir,
    clock,
    async close() {
      await billing.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
