import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveAccess } from '../../../src/app/compose.ts';
import { type Billing, createBilling } from '../../../src/app/compose-billing.ts';
import { createPayments, type Payments } from '../../../src/app/compose-payments.ts';
import { readConfig } from '../../../src/app/config.ts';
import type { AppDeps } from '../../../src/http/server/app.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import { createLog } from '../../../src/platform/log.ts';
import { type MemoryPayments, memoryPayments } from '../../fixtures/memory-payments.ts';
import { type Served, serveScripted } from '../../harness.ts';

/** Scripted operations behind the real way of charging, over books of their own. */
export type ChargedFixture = {
  served: Served;
  billing: Billing & Payments;
  payments: MemoryPayments;
  clock: MovableClock;
  close(): Promise<void>;
};
export type MovableClock = Clock & { set(instant: string): void };

export async function openChargedFixture(
  databaseUrl: string | null,
  parts: Partial<AppDeps> = {},
  settings: Record<string, string> = {},
): Promise<ChargedFixture> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sanderling-'));
  const clock = movableClock('2026-11-21T12:00:00Z');
  const log = createLog('silent');
  const payments = memoryPayments();
  const config = readConfig({ ...settings, DATA_DIR: dataDir, DATABASE_URL: databaseUrl ?? '' });
  const credits = await createBilling(config, { log, clock });
  const billing = {
    ...credits,
    ...createPayments({ dataDir, appSecret: null }, credits, {
      provider: payments,
      clock,
      log,
      siteUrl: () => 'http://site.example.org',
    }),
  };
  const served = await serveScripted({
    ...billing,
    findKey: (key) => billing.keys.find(key),
    signTopUp: (keyId) => billing.sealing.sign(keyId),
    clock,
    ...resolveAccess(config, credits),
    ...parts,
  });
  return {
    served,
    billing,
    payments,
    clock,
    async close() {
      await served.close();
      await billing.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export function movableClock(start: string): MovableClock {
  let now = Date.parse(start);
  return {
    now: () => now,
    set(instant) {
      now = Date.parse(instant);
    },
  };
}
