import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PaymentProvider } from '../../src/billing/payments.ts';
import { createSandbox } from '../../src/billing/sandbox.ts';
import { type Billing, createBilling } from '../../src/billing.ts';
import type { AppParts } from '../../src/http/app.ts';
import { createPayments } from '../../src/payments.ts';
import { createLog, type Log } from '../../src/platform/log.ts';
import { type Served, serveScripted } from '../harness.ts';
import { type MovableClock, movableClock } from '../http/charged-world.ts';

/** The pages over real books and the built-in sandbox. */
export type SiteWorld = {
  served: Served;
  billing: Billing;
  clock: MovableClock;
  /** Checkouts whose money takes its time: paid, and not there yet. */
  onTheWay: Set<string>;
  close(): Promise<void>;
};

export async function openSiteWorld(
  parts: Partial<AppParts> = {},
  log: Log = createLog('silent'),
): Promise<SiteWorld> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sanderling-'));
  const clock = movableClock('2026-11-21T12:00:00Z');
  let address = '';
  const siteUrl = (): string => address;
  const billing = await createBilling({ dataDir, databaseUrl: null }, { log, clock });
  const sandbox = createSandbox({ books: billing.books, clock, siteUrl });
  const onTheWay = new Set<string>();
  const provider: PaymentProvider = {
    ...sandbox.provider,
    async getCheckout(id) {
      const state = await sandbox.provider.getCheckout(id);
      return onTheWay.has(id) ? { ...state, state: 'awaiting' } : state;
    },
  };
  const payments = createPayments({ dataDir, appSecret: null }, billing, { provider, clock, log, siteUrl });
  const served = await serveScripted({
    ...billing,
    ...payments,
    findKey: (key) => billing.keys.find(key),
    signTopUp: (keyId) => payments.sealing.sign(keyId),
    readTopUp: (text) => payments.sealing.verified(text),
    ...{ sandboxPage: sandbox.page, clock, log },
    ...parts,
  });
  address = served.address;
  return {
    ...{ served, billing, clock, onTheWay },
    async close() {
      await served.close();
      await billing.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
