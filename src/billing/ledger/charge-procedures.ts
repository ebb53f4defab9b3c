import {
  firstOf,
  type LedgerQueries,
  procedure,
  rowsOf,
  type Steps,
} from '../../platform/store/ledger/procedure.ts';
import { accountOf } from './account-queries.ts';
import {
  type ChargeParameters,
  chargeInOneStatement,
  chargeStanding,
  insertCaptured,
  takeCredits,
} from './charge-queries.ts';
import { assertSolvent, assertSome, assertWhole } from './credits.ts';
import { holdCreditsUpTo, placedHold, recordUsage, refundHold, settleHold } from './hold-procedures.ts';
import { type HoldArgs, settleParametersOf } from './hold-queries.ts';

const here = import.meta.url;

/** A charge for work that is done: `at` in ms since the epoch. */
export type ChargeArgs = Omit<HoldArgs, 'expiresAt'> & { at: number };

/** The credits charged under an id, 0 if the key has too few or is not active; those still available; the purchase that the charge triggered. */
export type Charged = { charged: number; available: number; purchase: string | null };

/** Holds and settles at once: charges `amount` credits, all of them or none. An id is charged once, however often it is asked for. */
export const chargeCredits = procedure(
  here,
  'chargeCredits',
  { durability: 'kept', oneStatement: true },
  function* (ledgerStore, { id, keyId, amount, endpoint, at }: ChargeArgs): Steps<Charged> {
    assertSome(amount, 'a charge takes at least one whole credit');
    const change = { ...settleParametersOf({ id, used: amount, at }), keyId, endpoint: endpoint ?? null };
    const row =
      ledgerStore.dialect === 'postgres'
        ? yield* firstOf(chargeInOneStatement(ledgerStore, change))
        : yield* chargeInSteps(ledgerStore, change);
    if (row === null) return { charged: 0, available: 0, purchase: null };
    assertWhole(row.available, 'a charge takes no more credits than the key has');
    const { charged, available, reload_purchase: purchase } = row;
    return { charged, available, purchase: purchase === change.purchaseId ? purchase : null };
  },
);

type ChargedRow = { charged: number; available: number; reload_purchase: string | null };

function* chargeInSteps(ledgerStore: LedgerQueries, change: ChargeParameters): Steps<ChargedRow | null> {
  const taken = yield* firstOf(takeCredits(ledgerStore, change));
  if (taken === null) return yield* firstOf(chargeStanding(ledgerStore, change));
  assertSolvent(taken, 'a charge leaves no negative balance');
  const { keyId, endpoint, used } = change;
  const { account, spentBy } = placedHold(taken, { keyId });
  yield* rowsOf(insertCaptured(ledgerStore, { ...change, account, spentBy }));
  yield* recordUsage(ledgerStore, { ...taken, spent_by: spentBy, endpoint }, change);
  return { charged: used, available: taken.available, reload_purchase: taken.reload_purchase };
}

/**
 * Undoes a charge of which it is unknown whether it was made, and prevents it from being made later: its id is taken by a voided hold.
 * Returns the credits returned to the key.
 */
export const cancelCharge = procedure(
  here,
  'cancelCharge',
  { durability: 'kept' },
  function* (ledgerStore, { id, keyId, amount, endpoint, at }: ChargeArgs): Steps<number> {
    const { db } = ledgerStore;
    const paying = yield* firstOf(accountOf(db, keyId));
    if (paying === null) return 0;
    const { account, spentBy } = placedHold({ key_id: paying.account }, { keyId });
    yield* rowsOf(
      db
        .insertInto('hold')
        .values({
          ...{ id, key_id: account, amount, used: 0, state: 'voided', expires_at: at },
          ...{ spent_by: spentBy, endpoint: endpoint ?? null },
        })
        .onConflict((row) => row.column('id').doNothing()),
    );
    return yield* refundHold.steps(ledgerStore, { id, at });
  },
);

/**
 * Charges as many credits as the key has, at most `amount`. An id is charged once; asked again, returns what it was charged.
 * Charges 0, and may be asked again, if the key has no credits or is not active.
 */
export const chargeUpTo = procedure(
  here,
  'chargeUpTo',
  { durability: 'kept' },
  function* (ledgerStore, { id, at, ...wanted }: ChargeArgs): Steps<Pick<Charged, 'charged' | 'purchase'>> {
    const earlier = yield* firstOf(ledgerStore.db.selectFrom('hold').select('used').where('id', '=', id));
    if (earlier !== null) return { charged: earlier.used, purchase: null };
    const held = yield* holdCreditsUpTo.steps(ledgerStore, { ...wanted, id, expiresAt: at });
    if (held.amount === 0) return { charged: 0, purchase: null };
    const settled = yield* settleHold.steps(ledgerStore, { id, used: held.amount, at });
    if (settled === null) throw new Error(`the charge ${id} lost its hold`);
    return { charged: held.amount, purchase: settled.purchase };
  },
);
