import { sql } from 'kysely';
import type { LedgerStore } from '../../platform/store/ledger/ledger-store.ts';
import type { HoldState } from '../../platform/store/ledger/ledger-tables.ts';
import {
  holdCredits,
  holdCreditsUpTo,
  type PartialHold,
  refundHold,
  renewHolds,
  type Settlement,
  settleHold,
} from './hold-procedures.ts';
import type { HoldArgs, SettleArgs } from './hold-queries.ts';

/** Moves credits. Every movement is one procedure, and whatever is asked twice counts once. */
export type Ledger = {
  /** Gives what the key has left beside the hold, or null when it has not that many, is frozen or revoked. */
  hold(wanted: HoldArgs): Promise<number | null>;
  /** Holds as many credits as there are, at most the wanted amount; null when the key has none, is frozen or revoked. */
  holdUpTo(wanted: HoldArgs): Promise<PartialHold | null>;
  /** Gives what the key has left and a purchase that was set off, or null when the hold was not open any more: then nothing has changed. */
  settle(ended: SettleArgs): Promise<Settlement | null>;
  /** Undoes a hold in whatever state it is; gives the captured credits that came back. */
  refund(undone: { id: string; at: number }): Promise<number>;
  /** Puts off when open holds expire, at most RENEWED_MAX of them. */
  renew(renewed: { ids: string[]; expiresAt: number }): Promise<void>;
  holdState(id: string): Promise<{ state: HoldState; used: number } | null>;
  available(keyId: string): Promise<number>;
  /** Voids holds that outlived their time, at most EXPIRED_MAX; gives how many. */
  expire(now: number): Promise<number>;
};

export const EXPIRED_MAX = 500;
export const RENEWED_MAX = 500;

export function createLedger(ledgerStore: LedgerStore): Ledger {
  return {
    hold: (wanted) => ledgerStore.run(holdCredits, wanted),
    holdUpTo: (wanted) => ledgerStore.run(holdCreditsUpTo, wanted),
    settle: (ended) => ledgerStore.run(settleHold, ended),
    refund: (undone) => ledgerStore.run(refundHold, undone),
    renew: (renewed) => ledgerStore.run(renewHolds, renewed),
    async holdState(id) {
      const row = await ledgerStore.db
        .selectFrom('hold')
        .select(['state', 'used'])
        .where('id', '=', id)
        .executeTakeFirst();
      return row ?? null;
    },
    async available(keyId) {
      const row = await ledgerStore.db
        .selectFrom('account')
        .select('available')
        .where('key_id', '=', keyId)
        .executeTakeFirst();
      return row?.available ?? 0;
    },
    async expire(now) {
      const expired = await ledgerStore.db
        .selectFrom('hold')
        .select('id')
        // Spelled out: SQLite does not find the index of open holds behind a parameter.
        .where('state', '=', sql.lit('held'))
        .where('expires_at', '<', now)
        .orderBy('expires_at')
        .limit(EXPIRED_MAX)
        .execute();
      let voided = 0;
      for (const { id } of expired) {
        if ((await ledgerStore.run(settleHold, { id, used: 0, at: now })) !== null) voided += 1;
      }
      return voided;
    },
  };
}
