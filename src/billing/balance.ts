import { sql } from 'kysely';
import { type Clock, DAY_MS, toUtcDay } from '../platform/clock.ts';
import type { ApiKeyTable } from '../platform/store/ledger/ledger-tables.ts';
import type { LedgerStore } from '../platform/store/ledger/procedure.ts';
import { selectAccountId } from './ledger/account-queries.ts';
import type { DayCounts } from './ledger/allowance.ts';
import type { KeyTerms } from './limits/key-limits.ts';
import type { AutoReload, AutoReloads } from './payments/auto-reload.ts';

export type Balance = {
  credits: number;
  burnRatePerDay: number;
  autoReload: AutoReload;
  /** The key's limits and expiry, and its calls today if it has a daily limit; null: the key has no terms. */
  terms: (KeyTerms & { callsToday: number | null }) | null;
};

/** Reads the credits of a key's account, its burn rate, its auto-reload settings and the key's limits. */
export type BalanceReader = (keyId: string) => Promise<Balance>;

const BURN_RATE_DAYS = 7;

export function createBalanceReader(deps: {
  ledgerStore: LedgerStore;
  clock: Clock;
  autoReloads: AutoReloads;
  days: Pick<DayCounts, 'used'>;
}): BalanceReader {
  const { ledgerStore, clock, autoReloads } = deps;
  return async (keyId) => {
    const [account, days, autoReload] = await Promise.all([
      ledgerStore.db
        .selectFrom('account')
        .innerJoin('api_key', (on) =>
          on.on('account.key_id', '=', sql<string>`coalesce(api_key.account_id, api_key.id)`),
        )
        .select(['available', 'per_minute', 'per_day', 'expires_at'])
        .where('api_key.id', '=', keyId)
        .executeTakeFirst(),
      ledgerStore.db
        .selectFrom('usage_day')
        .select('credits')
        .where('key_id', '=', selectAccountId(ledgerStore.db, keyId))
        .where('day', '>=', computeBurnRateStart(clock.now()))
        .execute(),
      autoReloads.of(keyId),
    ]);
    return {
      credits: account?.available ?? 0,
      burnRatePerDay: computeBurnRate(days.map(({ credits }) => credits)),
      autoReload,
      terms: account === undefined ? null : await readKeyTerms(keyId, account, deps.days),
    };
  };
}

async function readKeyTerms(
  keyId: string,
  row: Pick<ApiKeyTable, 'per_minute' | 'per_day' | 'expires_at'>,
  days: Pick<DayCounts, 'used'>,
): Promise<Balance['terms']> {
  const terms = { perMinute: row.per_minute, perDay: row.per_day, expiresAt: row.expires_at };
  if (Object.values(terms).every((term) => term === null)) return null;
  return { ...terms, callsToday: terms.perDay === null ? null : await days.used(keyId) };
}

/** Returns the first of the seven UTC days, today included, that the burn rate covers. */
export function computeBurnRateStart(now: number): string {
  return toUtcDay(now - (BURN_RATE_DAYS - 1) * DAY_MS);
}

/** Computes the average credits per day over the seven days, including days without usage, rounded to hundredths. */
export function computeBurnRate(creditsByDay: number[]): number {
  const total = creditsByDay.reduce((sum, credits) => sum + credits, 0);
  return Math.round((total / BURN_RATE_DAYS) * 100) / 100;
}
