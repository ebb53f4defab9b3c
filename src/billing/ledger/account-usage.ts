import { sql } from 'kysely';
import { type Clock, DAY_MS, toUtcDay } from '../../platform/clock.ts';
import type { LedgerStore } from '../../platform/store/ledger/procedure.ts';
import { selectAccountId } from './account-queries.ts';

/** The usage of one key on one route. */
export type UsagePart = {
  /** The id of the calling key. */
  keyId: string;
  /** Null: charged before routes were counted. */
  endpoint: string | null;
  calls: number;
  credits: number;
};

/** One charged call. */
export type ChargeLine = {
  requestId: string;
  at: number;
  credits: number;
  keyId: string;
  endpoint: string | null;
  /** True if the charge was refunded, because its answer never arrived. */
  refunded: boolean;
};

/** The usage of an account, as its owner sees it. */
export type AccountUsage = {
  /** Lists usage by route and key over the last UTC days, today included; most credits first. */
  parts(keyId: string, days: number): Promise<UsagePart[]>;
  /** Lists the last charges, newest first. Old ones are rolled into days and no longer listed. */
  lastCharges(keyId: string, most: number): Promise<ChargeLine[]>;
};

export function createAccountUsage({
  ledgerStore,
  clock,
}: {
  ledgerStore: LedgerStore;
  clock: Clock;
}): AccountUsage {
  const { db } = ledgerStore;
  return {
    async parts(keyId, days) {
      const rows = await db
        .selectFrom('usage_day')
        .select(({ fn }) => ['key_id', 'spent_by', 'endpoint', fn.sum<number>('credits').as('credits')])
        .select(({ fn }) => fn.sum<number>('calls').as('calls'))
        .where('key_id', '=', selectAccountId(db, keyId))
        .where('day', '>=', toUtcDay(clock.now() - (days - 1) * DAY_MS))
        .groupBy(['key_id', 'spent_by', 'endpoint'])
        .having(sql<boolean>`sum(credits) > 0`)
        .orderBy('credits', 'desc')
        .orderBy('endpoint')
        .execute();
      return rows.map(({ key_id, spent_by, endpoint, calls, credits }) => ({
        keyId: spent_by || key_id,
        endpoint: endpoint || null,
        calls,
        credits,
      }));
    },
    async lastCharges(keyId, most) {
      const rows = await db
        .selectFrom('entry as charge')
        .leftJoin('entry as refund', (on) =>
          on.onRef('refund.ref', '=', 'charge.ref').on('refund.kind', '=', 'refund'),
        )
        .select(['charge.key_id', 'charge.ref', 'charge.at', 'charge.delta'])
        .select(['charge.spent_by', 'charge.endpoint', 'refund.ref as refund'])
        .where('charge.key_id', '=', selectAccountId(db, keyId))
        .where('charge.kind', '=', 'usage')
        .orderBy('charge.version', 'desc')
        .limit(most)
        .execute();
      return rows.map(({ key_id, ref, at, delta, spent_by, endpoint, refund }) => ({
        requestId: ref,
        at,
        credits: -delta,
        keyId: spent_by ?? key_id,
        endpoint,
        refunded: refund !== null,
      }));
    },
  };
}

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
