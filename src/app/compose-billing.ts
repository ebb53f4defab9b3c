import { resolve } from 'node:path';
import { type BalanceReader, createBalanceReader } from '../billing/balance.ts';
import { type AppGrants, createAppGrants } from '../billing/keys/app-grants.ts';
import { createKeys, type Keys } from '../billing/keys/keys.ts';
import { createKnownKeys } from '../billing/keys/known-keys.ts';
import { createOwnerSessions, type OwnerSessions } from '../billing/keys/owner-sessions.ts';
import {
  type AccountUsage,
  createAccountUsage,
  createDailyUsageReader,
  type DailyUsageReader,
} from '../billing/ledger/account-usage.ts';
import { createAllowance, createDayCounts } from '../billing/ledger/allowance.ts';
import { createHousekeeping, watchLedger } from '../billing/ledger/housekeeping.ts';
import { createIdempotency, type Idempotency } from '../billing/ledger/idempotency.ts';
import { createLedger, GIVES_NONE, type Ledger } from '../billing/ledger/ledger.ts';
import {
  type ChargeOnce,
  createChargeOnce,
  createMeter,
  createRefusals,
  type RenewingMeter,
} from '../billing/ledger/meter.ts';
import { createKeyLimiter } from '../billing/limits/key-limits.ts';
import { type AutoReloads, createAutoReloads } from '../billing/payments/auto-reload.ts';
import { createRetention, type Retention } from '../billing/retention/retention.ts';
import { StoreUnavailable } from '../contract/errors.ts';
import type { Events } from '../contract/events.ts';
import { type Background, createBackground } from '../platform/background.ts';
import { type Clock, steadyClock, systemClock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { createMetrics, type Metrics } from '../platform/metrics.ts';
import { openLedgerStore } from '../platform/store/ledger/open-ledger-store.ts';
import type { LedgerStore } from '../platform/store/ledger/procedure.ts';
import { type Tracing, traceMethods } from '../platform/tracing/open-tracing.ts';
import { type Config, ConfigError, DETAIL_DAYS } from './config.ts';
import { createEvents } from './observe/record-events.ts';

/** Everything that handles credits. */
export type Billing = {
  ledgerStore: LedgerStore;
  ledger: Ledger;
  meter: RenewingMeter;
  chargeOnce: ChargeOnce;
  keys: Keys;
  ownerSessions: OwnerSessions;
  appGrants: AppGrants;
  balanceOf: BalanceReader;
  usageOfDays: DailyUsageReader;
  accountUsage: AccountUsage;
  autoReloads: AutoReloads;
  retention: Retention;
  idempotency: Idempotency;
  background: Background;
  /** Sets the only listener for purchases that a settlement opens. Without it they wait for the reconciler. */
  onPurchase(listener: (purchaseId: string) => void): void;
  metrics: Metrics;
  events: Events;
  /** Starts the periodic work on expired holds and past days; only servers do. */
  startHousekeeping(): void;
  /** Waits for background work, then closes the ledger store. */
  close(): Promise<void>;
};

/** Composes billing. Throws ConfigError when the ledger store cannot be used. */
export async function createBilling(
  config: Pick<Config, 'dataDir' | 'databaseUrl'> &
    Partial<Pick<Config, 'ledgerDetailDays' | 'keylessPerDay' | 'metering'>>,
  {
    log,
    clock = systemClock,
    steady = steadyClock,
    tracing = null,
  }: { log: Log; clock?: Clock; steady?: Clock; tracing?: Tracing | null },
): Promise<Billing> {
  const opened = traceMethods(tracing, await openLedgerStoreOf(config), {
    run: ({ name }) => `ledger ${name}`,
    snapshot: 'ledger read',
  });
  const known = createKnownKeys({ ledgerStore: opened, clock });
  const refusals = createRefusals(clock);
  const ledgerStore = watchChanges(opened, { forgetKeys: known.forget, forgetRefusals: refusals.clear });
  const metrics = createMetrics();
  if (config.metering !== false) watchLedger(metrics, ledgerStore, { clock });
  const events = createEvents({ metrics, log }, config);
  const background = createBackground(log);

  const ledger = createLedger(ledgerStore);
  const allowance = createAllowance({ ledgerStore, clock, keylessPerDay: config.keylessPerDay });
  const days = createDayCounts({ ledgerStore, clock });
  const limiter = createKeyLimiter({ countToday: days.count, clock, events });
  const autoReloads = createAutoReloads({ ledgerStore, clock });
  // Payments are composed on top of billing, so the function that executes purchases is set later.
  let executePurchase = (_purchaseId: string): void => {};
  const onPurchase = (purchaseId: string): void => executePurchase(purchaseId);
  const meter = createMeter({
    ledger,
    allowance,
    limiter,
    refusals,
    background,
    clock,
    steady,
    events,
    onPurchase,
  });
  const detailDays = config.ledgerDetailDays ?? DETAIL_DAYS;
  const retention = createRetention({ ledgerStore, clock, detailDays });
  const housekeeping = createHousekeeping({
    ledger,
    meter,
    allowance,
    retention,
    clock,
    steady,
    events,
    background,
  });

  return {
    ledgerStore,
    ledger,
    meter,
    autoReloads,
    retention,
    idempotency: createIdempotency({ ledgerStore, clock }),
    background,
    metrics,
    events,
    chargeOnce: createChargeOnce({ ledger, clock, events, onPurchase }),
    keys: createKeys({ ledgerStore, known, clock, events }),
    ownerSessions: createOwnerSessions({ ledgerStore, clock }),
    appGrants: createAppGrants({ ledgerStore, clock }),
    balanceOf: createBalanceReader({ ledgerStore, clock, autoReloads, days }),
    usageOfDays: createDailyUsageReader({ ledgerStore, clock }),
    accountUsage: createAccountUsage({ ledgerStore, clock }),
    onPurchase(listener) {
      executePurchase = listener;
    },
    startHousekeeping: housekeeping.start,
    async close() {
      housekeeping.stop();
      await background.drain();
      await ledgerStore.close();
      metrics.close();
    },
  };
}

/** Clears cached keys and refusals after each write that may change them. All writes of keys and money are flushed; charges are not. */
function watchChanges(
  ledgerStore: LedgerStore,
  { forgetKeys, forgetRefusals }: { forgetKeys(): void; forgetRefusals(): void },
): LedgerStore {
  return {
    ...ledgerStore,
    run(procedure, args) {
      const running = ledgerStore.run(procedure, args);
      if (GIVES_NONE.has(procedure.name)) return running;
      return running.finally(() => {
        forgetRefusals();
        if (procedure.durability === 'flushed') forgetKeys();
      });
    },
  };
}

type Place = Pick<Config, 'dataDir' | 'databaseUrl'>;

/** Opens the ledger store of the settings. Throws a one-line ConfigError if it cannot be used. */
export async function openLedgerStoreOf(
  place: Place,
  options: { statementMs?: number } = {},
): Promise<LedgerStore> {
  try {
    return await openLedgerStore(place, options);
  } catch (error) {
    throw createUnusableStoreError(place, error);
  }
}

/** Creates the one-line error for a store that cannot be opened, without its password. */
export function createUnusableStoreError(place: Place, cause: unknown): ConfigError {
  const setting = place.databaseUrl === null ? 'DATA_DIR' : 'DATABASE_URL';
  return new ConfigError(`${setting}: ${describeLedgerPlace(place)} cannot be used: ${findReason(cause)}`, {
    cause,
  });
}

/** Describes where the ledger is, without the password that its address may contain. */
export function describeLedgerPlace({ dataDir, databaseUrl }: Place): string {
  if (databaseUrl === null) return resolve(dataDir, 'books.db');
  const { host, pathname } = new URL(databaseUrl);
  return `database ${pathname.slice(1)} at ${host}`;
}

/** Finds the reason of a failure. A host with several addresses fails with one error for each, inside an error without a message. */
function findReason(error: unknown): string {
  if (error instanceof StoreUnavailable) return findReason(error.cause);
  if (error instanceof AggregateError) return error.errors.map(findReason).join(', ');
  return error instanceof Error ? error.message : String(error);
}
