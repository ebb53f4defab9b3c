import { type BalanceOf, createBalanceOf } from '../billing/balance.ts';
import { createKeys, type Keys } from '../billing/keys/keys.ts';
import { createAllowance } from '../billing/ledger/allowance.ts';
import { createHousekeeping } from '../billing/ledger/housekeeping.ts';
import { createLedger, type Ledger } from '../billing/ledger/ledger.ts';
import { watchLedger } from '../billing/ledger/ledger-metrics.ts';
import { createMeter, type RenewingMeter } from '../billing/ledger/meter.ts';
import { createUsageOfDays, type UsageOfDays } from '../billing/ledger/usage-of-days.ts';
import { type AutoReloads, createAutoReloads } from '../billing/payments/auto-reload.ts';
import type { Events } from '../contract/events.ts';
import { type Background, createBackground } from '../platform/background.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { createMetrics, type Metrics } from '../platform/metrics.ts';
import type { LedgerStore } from '../platform/store/ledger/ledger-store.ts';
import type { Config } from './config.ts';
import { openLedgerStoreOf } from './open-ledger-store.ts';
import { createEvents } from './record-events.ts';

/** Every part that has to do with credits, made once and in order. */
export type Billing = {
  ledgerStore: LedgerStore;
  ledger: Ledger;
  meter: RenewingMeter;
  keys: Keys;
  balanceOf: BalanceOf;
  usageOfDays: UsageOfDays;
  autoReloads: AutoReloads;
  background: Background;
  /** Names the one who is told when a deduction has set off a purchase. */
  onPurchase(listener: (purchaseId: string) => void): void;
  metrics: Metrics;
  events: Events;
  /** Starts what is done from time to time: expired holds, past days. The server does it, commands do not. */
  startHousekeeping(): void;
  /** Waits for what is under way, then closes the books. */
  close(): Promise<void>;
};

/** The composition root of the money. Throws ConfigError when the books cannot be used. */
export async function createBilling(
  config: Pick<Config, 'dataDir' | 'databaseUrl'>,
  { log, clock = systemClock }: { log: Log; clock?: Clock },
): Promise<Billing> {
  const ledgerStore = await openLedgerStoreOf(config);
  const metrics = createMetrics();
  watchLedger(metrics, ledgerStore, { clock });
  const events = createEvents({ metrics, log });
  const background = createBackground(log);
  const ledger = createLedger(ledgerStore);
  const allowance = createAllowance({ ledgerStore, clock });
  const autoReloads = createAutoReloads({ ledgerStore, clock });
  let tellPurchase = (_purchaseId: string): void => {};
  const meter = createMeter({
    ...{ ledger, allowance, background, clock, events },
    onPurchase: (id) => tellPurchase(id),
  });
  const housekeeping = createHousekeeping({ ledger, meter, allowance, clock, events, background });
  return {
    ledgerStore,
    ledger,
    autoReloads,
    background,
    onPurchase(listener) {
      tellPurchase = listener;
    },
    meter,
    keys: createKeys({ ledgerStore, clock, events }),
    balanceOf: createBalanceOf({ ledgerStore, clock, autoReloads }),
    usageOfDays: createUsageOfDays({ ledgerStore, clock }),
    metrics,
    events,
    startHousekeeping: housekeeping.start,
    async close() {
      housekeeping.stop();
      await background.drain();
      await ledgerStore.close();
      metrics.close();
    },
  };
}
