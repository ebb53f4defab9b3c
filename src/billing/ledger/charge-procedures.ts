import { defineProcedure, readFirst, type Steps } from '../../platform/store/ledger/procedure.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';
import { holdCreditsUpTo, settleHold } from './hold-procedures.ts';
import type { HoldArgs } from './hold-queries.ts';

const here = resolveThreadModule('billing/ledger/charge-procedures').href;

/** A charge for work that is done: `at` in ms since the epoch. */
export type ChargeArgs = Omit<HoldArgs, 'expiresAt'> & { at: number };

/** The credits charged under an id, and the purchase that the charge triggered. */
export type ChargeResult = { charged: number; purchase: string | null };

/**
 * Charges as many credits as the key has, at most `amount`. An id is charged once; a repeated call returns what it was charged.
 * Charges 0, and may be repeated, if the key has no credits or is not active.
 */
export const chargeUpTo = defineProcedure(
  here,
  'chargeUpTo',
  { durability: 'kept' },
  function* (ledgerStore, { id, at, ...wanted }: ChargeArgs): Steps<ChargeResult> {
    const earlier = yield* readFirst(ledgerStore.db.selectFrom('hold').select('used').where('id', '=', id));
    if (earlier !== null) return { charged: earlier.used, purchase: null };
    const held = yield* holdCreditsUpTo.steps(ledgerStore, { ...wanted, id, expiresAt: at });
    if (held.amount === 0) return { charged: 0, purchase: null };
    const settled = yield* settleHold.steps(ledgerStore, { id, used: held.amount, at });
    if (settled === null) throw new Error(`the charge ${id} lost its hold`);
    return { charged: held.amount, purchase: settled.purchase };
  },
);
