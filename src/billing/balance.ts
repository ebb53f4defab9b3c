import type { Clock } from '../platform/clock.ts';
import type { LedgerStore } from '../platform/store/ledger/ledger-store.ts';
import { burnRateFrom, burnRatePerDay } from './ledger/burn-rate.ts';
import type { AutoReload, AutoReloads } from './payments/auto-reload.ts';

export type Balance = { credits: number; burnRatePerDay: number; autoReload: AutoReload };

/** What a key has left, how fast it goes, and what is done when it runs low. */
export type BalanceOf = (keyId: string) => Promise<Balance>;

export function createBalanceOf(parts: {
  ledgerStore: LedgerStore;
  clock: Clock;
  autoReloads: AutoReloads;
}): BalanceOf {
  const { ledgerStore, clock, autoReloads } = parts;
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
