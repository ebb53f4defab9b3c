/**
 * The ledger: moves credits by hold, settle and refund. Each movement is one procedure of the ledger store and idempotent.
 * Each charge and refund leaves a numbered entry, which the audit checks. `meter.ts` decides who pays; prices are not known here.
 */

import { sql } from 'kysely';
import type { HoldState } from '../../platform/store/ledger/ledger-tables.ts';
import type { LedgerStore } from '../../platform/store/ledger/procedure.ts';
import { selectAccountId } from './account-queries.ts';
import { countRequest } from './allowance.ts';
import {
  type HoldArgs,
  type HoldResult,
  holdCredits,
  refundHold,
  renewHolds,
  type SettleArgs,
  type Settlement,
  settleHold,
} from './charge-procedures.ts';
import { beginCall, dropResponses, finishCall, releaseCall, trimCalls } from './idempotency.ts';

/** The credit movements of the ledger. */
export type Ledger = {
  /** Holds as many of the requested credits as the key has, at least `least`, or none. Settles them at once if asked to. */
  hold(wanted: HoldArgs): Promise<HoldResult>;
  /** Charges what was used and releases the rest. Resolves to null, and changes nothing, if the hold is not open. */
  settle(ended: SettleArgs): Promise<Settlement | null>;
  /** Undoes a hold in any state; resolves to the credits returned to the key. */
  refund(undone: { id: string; at: number }): Promise<number>;
  /** Extends open holds, at most RENEWED_MAX at a time. */
  renew(renewed: { ids: string[]; expiresAt: number }): Promise<void>;
  holdState(id: string): Promise<{ state: HoldState; used: number } | null>;
  available(keyId: string): Promise<number>;
  /** Voids expired holds, at most EXPIRED_MAX; resolves to their number. */
  expire(now: number): Promise<number>;
};

/** Names of the frequent procedures that never give credits to a key: after them a remembered refusal still holds. */
export const GIVES_NONE: ReadonlySet<string> = new Set(
  [holdCredits, renewHolds, countRequest, beginCall, finishCall, releaseCall, dropResponses, trimCalls].map(
    ({ name }) => name,
  ),
);

export const EXPIRED_MAX = 500;
export const RENEWED_MAX = 500;

export function createLedger(ledgerStore: LedgerStore): Ledger {
  return {
    hold: (wanted) => ledgerStore.run(holdCredits, wanted),
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
        .where('key_id', '=', selectAccountId(ledgerStore.db, keyId))
        .executeTakeFirst();
      return row?.available ?? 0;
    },
    async expire(now) {
      const expired = await ledgerStore.db
        .selectFrom('hold')
        .select('id')
        // A literal: SQLite does not use the index of open holds for a parameter.
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
