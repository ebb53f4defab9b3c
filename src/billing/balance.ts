import type { Clock } from '../platform/clock.ts';
import type { LedgerStore } from '../platform/store/ledger/ledger-store.ts';
import { DAY_MS, utcDay } from '../platform/utc.ts';
import type { AutoReload, AutoReloads } from './payments/auto-reload.ts';

export type Balance = { credits: number; burnRatePerDay: number; autoReload: AutoReload };

/** Reads a key's credits, how fast it uses them, and its auto-reload settings. */
export type BalanceOf = (keyId: string) => Promise<Balance>;

const BURN_RATE_DAYS = 7;

export function createBalanceOf(deps: {
  ledgerStore: LedgerStore;
  clock: Clock;
  autoReloads: AutoReloads;
}): BalanceOf {
  const { ledgerStore, clock, autoReloads } = deps;
  return async (keyId) => {
    const [account, days, autoReload] = await Promise.all([
      ledgerStore.db.selectFrom('account').select('available').where('key_id', '=', keyId).executeTakeFirst(),
      ledgerStore.db
        .selectFrom('usage_day')
        .select('credits')
        .where('key_id', '=', keyId)
        .where('day', '>=', burnRateFrom(clock.now()))
        .execute(),
      autoReloads.of(keyId),
    ]);
    return {
      credits: account?.available ?? 0,
      burnRatePerDay: burnRatePerDay(days.map(({ credits }) => credits)),
      autoReload,
    };
  };
}

/** The first of the seven UTC days, today included, that the burn rate covers. */
export function burnRateFrom(now: number): string {
  return utcDay(now - (BURN_RATE_DAYS - 1) * DAY_MS);
}

/** Average credits a day over the seven days, including days without usage, rounded to hundredths. */
export function burnRatePerDay(creditsByDay: number[]): number {
  const total = creditsByDay.reduce((sum, credits) => sum + credits, 0);
  return Math.round((total / BURN_RATE_DAYS) * 100) / 100;
}
