import { sql } from 'kysely';
import type { Clock } from '../../platform/clock.ts';
import { DAY_MS, toUtcDay } from '../../platform/clock.ts';
import type { LedgerStore } from '../../platform/store/ledger/ledger-store.ts';
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
