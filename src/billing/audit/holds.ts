import { sql } from 'kysely';
import type { LedgerQueries } from '../../platform/store/ledger/procedure.ts';
import { createCheck } from './check.ts';
import { createRepeatedCheck } from './repeated.ts';
import { selectHorizon } from './rolled.ts';

/** Each hold with its entries; a second entry of one kind is reported by another check. */
function selectHoldsWithEntries({ db }: LedgerQueries) {
  return db
    .selectFrom('hold')
    .leftJoin('entry as usage', (on) =>
      on
        .on('usage.kind', '=', 'usage')
        .onRef('usage.ref', '=', 'hold.id')
        .onRef('usage.key_id', '=', 'hold.key_id'),
    )
    .leftJoin('entry as refund', (on) =>
      on
        .on('refund.kind', '=', 'refund')
        .onRef('refund.ref', '=', 'hold.id')
        .onRef('refund.key_id', '=', 'hold.key_id'),
    )
    .select(['hold.key_id', 'id', 'state', 'used'])
    .select([sql<number | null>`-usage.delta`.as('charged'), 'refund.delta as refunded']);
}

const describeEntries = (charged: number | null, refunded: number | null): string =>
  `${charged === null ? 'no charge' : `a charge of ${charged}`} and ${refunded === null ? 'no refund' : `a refund of ${refunded}`}`;

const captured = createCheck(
  (ledgerStore) =>
    selectHoldsWithEntries(ledgerStore)
      .where('state', 'not in', ['held', 'voided'])
      .where(
        sql<boolean>`not (used > 0 and coalesce(-usage.delta, 0) = used and (
          (state = 'captured' and refund.delta is null) or
          (state = 'refunded' and coalesce(refund.delta, 0) = used)))`,
      ),
  ({ id, state, used, charged, refunded }) => {
    const hold = `the hold ${id} is ${state} with ${used} used`;
    if (state !== 'captured' && state !== 'refunded') return `${hold}: there is no such state`;
    const expected = describeEntries(used, state === 'refunded' ? used : null);
    return `${hold}: expected ${expected}, found ${describeEntries(charged, refunded)}`;
  },
);

const unheld = createCheck(
  ({ db }) =>
    db
      .selectFrom('entry')
      .leftJoin('hold', (on) =>
        on.onRef('hold.id', '=', 'entry.ref').onRef('hold.key_id', '=', 'entry.key_id'),
      )
      .select(['entry.key_id', 'version', 'kind', 'ref', 'delta'])
      .where('kind', 'in', ['usage', 'refund'])
      .where('hold.id', 'is', null)
      // Below the horizon, holds are deleted a while after they end.
      .where(sql<boolean>`at >= ${selectHorizon('hold')}`),
  ({ version, kind, ref, delta }) =>
    `entry ${version} (${kind}, ${delta}) is for the hold ${ref}, which this key never had`,
);

const voided = createCheck(
  (ledgerStore) =>
    selectHoldsWithEntries(ledgerStore)
      .where('state', 'in', ['held', 'voided'])
      .where((is) =>
        is.or([is('used', '!=', 0), is('usage.delta', 'is not', null), is('refund.delta', 'is not', null)]),
      ),
  ({ id, state, used, charged, refunded }) =>
    `the hold ${id} is ${state} with ${used} used: expected 0 used and no entries, found ${describeEntries(charged, refunded)}`,
);

/** I4 and I9. */
export const holds = {
  ended: [captured, unheld, createRepeatedCheck(['usage', 'refund'])],
  voided: [voided],
} as const;
