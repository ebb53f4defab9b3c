import { type Selectable, sql } from 'kysely';
import type { PurchaseTable } from '../../platform/store/ledger/ledger-tables.ts';
import {
  defineProcedure,
  type LedgerQueries,
  readFirst,
  readRows,
  type Steps,
} from '../../platform/store/ledger/procedure.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';
import { addPurchasedCredits, lockAccount } from '../ledger/account-queries.ts';
import { assertSome, assertWhole } from '../ledger/credits.ts';

const here = resolveThreadModule('billing/payments/purchase-procedures').href;

export type ClaimedPurchase = Selectable<PurchaseTable> & { customer: string | null; card: string | null };

/** Leases an open purchase to one executor. Returns null if another executor holds it or it has ended. */
export const claimPurchase = defineProcedure(
  here,
  'claimPurchase',
  { durability: 'flushed' },
  function* ({ db }, args: { id: string; now: number; leaseUntil: number }): Steps<ClaimedPurchase | null> {
    const claimed = yield* readFirst(
      db
        .updateTable('purchase')
        .set({ state: 'processing', lease_until: args.leaseUntil, attempt: sql<number>`attempt + 1` })
        .where('id', '=', args.id)
        .where('state', 'in', ['created', 'processing'])
        .where('lease_until', '<=', args.now)
        .returningAll(),
    );
    if (claimed === null) return null;
    const account = yield* readFirst(
      db.selectFrom('account').select(['customer', 'card']).where('key_id', '=', claimed.key_id),
    );
    return { ...claimed, customer: account?.customer ?? null, card: account?.card ?? null };
  },
);

/** Stores the provider's id before anything is charged, so that the charge can be looked up later. */
export const recordPurchaseCharge = defineProcedure(
  here,
  'recordPurchaseCharge',
  { durability: 'flushed' },
  function* ({ db }, { id, charge }: { id: string; charge: string }): Steps<void> {
    yield* readRows(db.updateTable('purchase').set({ charge_id: charge }).where('id', '=', id));
  },
);

/** Ends the lease: the next attempt may begin at `at`. */
export const releasePurchase = defineProcedure(
  here,
  'releasePurchase',
  { durability: 'kept' },
  function* ({ db }, { id, at, error }: { id: string; at: number; error: string }): Steps<void> {
    yield* readRows(
      db
        .updateTable('purchase')
        .set({ lease_until: at, error })
        .where('id', '=', id)
        .where('state', '=', 'processing'),
    );
  },
);

export type PurchaseOutcome = { succeeded: true } | { succeeded: false; error: string };

/** Ends a purchase once; idempotent. Returns whether this call ended it. */
export const settlePurchase = defineProcedure(
  here,
  'settlePurchase',
  { durability: 'flushed' },
  function* (ledgerStore, args: { id: string; outcome: PurchaseOutcome; at: number }): Steps<boolean> {
    const { id, outcome, at } = args;
    const known = yield* readFirst(
      ledgerStore.db.selectFrom('purchase').select('key_id').where('id', '=', id),
    );
    if (known === null) return false;
    const account = yield* lockAccount(ledgerStore, known.key_id);
    const purchase = yield* endPurchase(ledgerStore, args);
    if (purchase === null) return false;
    const { key_id: keyId, credits, cents, month } = purchase;
    assertSome(cents, 'a purchase costs at least one whole cent');
    if (outcome.succeeded) {
      const spentBefore = account.reload_month === month ? account.reload_spent_cents : 0;
      assertWhole(spentBefore, "a month's spending is a whole number of cents");
      yield* readRows(
        ledgerStore.db
          .updateTable('account')
          .set({ reload_purchase: null, reload_month: month, reload_spent_cents: spentBefore + cents })
          .where('key_id', '=', keyId),
      );
      yield* addPurchasedCredits(ledgerStore, { keyId, credits, kind: 'reload', ref: id, at });
    } else
      yield* readRows(
        ledgerStore.db
          .updateTable('account')
          .set({ reload_purchase: null, reload_enabled: 0, reload_error: outcome.error })
          .where('key_id', '=', keyId),
      );
    return true;
  },
);

function* endPurchase(
  { db }: LedgerQueries,
  { id, outcome }: { id: string; outcome: PurchaseOutcome },
): Steps<Selectable<PurchaseTable> | null> {
  return yield* readFirst(
    db
      .updateTable('purchase')
      .set(
        outcome.succeeded ? { state: 'succeeded', error: null } : { state: 'failed', error: outcome.error },
      )
      .where('id', '=', id)
      .where('state', 'in', ['created', 'processing'])
      .returningAll(),
  );
}
