import { firstOf, procedure, type Steps } from '../../platform/store/ledger/procedure.ts';
import { holdCredits } from './hold-procedures.ts';
import type { HoldArgs } from './hold-queries.ts';

/** What a key has left, and how much of what was wanted is held. */
export type PartialHold = { available: number; amount: number };

/**
 * Takes credits aside for a request that can do with fewer: as many as there are, at most `amount`. Null when there is not
 * one, or the key is frozen or revoked.
 */
export const holdCreditsUpTo = procedure(
  import.meta.url,
  'holdCreditsUpTo',
  { durability: 'kept' },
  function* (ledgerStore, args: HoldArgs): Steps<PartialHold | null> {
    const { db, dialect } = ledgerStore;
    const stored = db.selectFrom('account').select('available').where('key_id', '=', args.keyId);
    // Two statements: one alone would, on PostgreSQL, take from the row as it was before it waited for the lock.
    const account = yield* firstOf(dialect === 'postgres' ? stored.forUpdate() : stored);
    if (account === null || account.available < 1) return null;
    const amount = Math.min(args.amount, account.available);
    const available = yield* holdCredits.steps(ledgerStore, { ...args, amount });
    return available === null ? null : { available, amount };
  },
);
