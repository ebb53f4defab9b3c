import type { Clock } from '../../platform/clock.ts';
import { DAY_MS, toUtcDay } from '../../platform/clock.ts';
import type { LedgerStore } from '../../platform/store/ledger/ledger-store.ts';
import { selectAccountId } from './account-queries.ts';

/** Reads the credits that a key's account used on each of the last `days` UTC days, oldest first and including today; 0 without usage. */
export type DailyUsageReader = (keyId: string, days: number) => Promise<{ day: string; credits: number }[]>;

export function createDailyUsageReader({
  ledgerStore,
  clock,
}: {
  ledgerStore: LedgerStore;
  clock: Clock;
}): DailyUsageReader {
  return async (keyId, days) => {
    const now = clock.now();
    const wanted = Array.from({ length: days }, (_, back) => toUtcDay(now - (days - 1 - back) * DAY_MS));
    const rows = await ledgerStore.db
      .selectFrom('usage_day')
      .select(({ fn }) => ['day', fn.sum<number>('credits').as('credits')])
      .where('key_id', '=', selectAccountId(ledgerStore.db, keyId))
      .where('day', '>=', wanted[0] ?? toUtcDay(now))
      .groupBy('day')
      .execute();
    const used = new Map(rows.map(({ day, credits }) => [day, credits]));
    return wanted.map((day) => ({ day, credits: used.get(day) ?? 0 }));
  };
}
