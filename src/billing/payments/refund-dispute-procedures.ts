import assert from 'node:assert/strict';
import { sql } from 'kysely';
import type { DisputeColumn } from '../../platform/store/ledger/ledger-tables.ts';
import {
  defineProcedure,
  type LedgerQueries,
  readFirst,
  readRows,
  type Steps,
} from '../../platform/store/ledger/procedure.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';
import { clawBackCredits, freezeOrThaw, lockAccount, restoreCredits } from '../ledger/account-queries.ts';
import { assertSome, assertWhole } from '../ledger/prices.ts';

const here = resolveThreadModule('billing/payments/refund-dispute-procedures').href;

type ChargeReversals = {
  charge: string;
  /** The sale's number of reversals (`aftermath`) before its charge was read from the provider. */
  seen: number;
  refundedCents: number;
  /** Money that lost disputes took. */
  lostCents: number;
  dispute: DisputeColumn;
  at: number;
};

const TABLES = ['checkout', 'purchase'] as const;

/**
 * Applies refunds and disputes to a sale: claws credits back in proportion to the money, restores those of a failed refund, and
 * freezes the key while a dispute is open. Returns false, and changes nothing, if the sale changed since `seen`: the charge must then
 * be read again, because it may be older than what was applied meanwhile.
 */
export const applyReversals = defineProcedure(
  here,
  'applyReversals',
  { durability: 'flushed' },
  function* (ledgerStore, args: ChargeReversals): Steps<boolean> {
    for (const table of TABLES) if (!(yield* applyTo(ledgerStore, table, args))) return false;
    return true;
  },
);

function* applyTo(
  ledgerStore: LedgerQueries,
  table: (typeof TABLES)[number],
  { charge, seen, refundedCents, lostCents, dispute, at }: ChargeReversals,
): Steps<boolean> {
  const { db } = ledgerStore;
  const found = yield* readFirst(db.selectFrom(table).select('key_id').where('charge_id', '=', charge));
  if (found?.key_id == null) return true;
  yield* lockAccount(ledgerStore, found.key_id);
  const sale = yield* readFirst(db.selectFrom(table).selectAll().where('charge_id', '=', charge));
  if (sale === null || sale.key_id === null) return true;
  if (sale.aftermath !== seen) return false;
  assertSome(sale.cents, 'a sale costs at least one whole cent');
  assertWhole(refundedCents, 'a refund is a whole number of cents');
  assertWhole(lostCents, 'a dispute is about a whole number of cents');
  const centsBack = refundedCents + Math.min(lostCents, Math.max(0, sale.cents - refundedCents));
  const back = Math.floor((sale.credits * centsBack) / sale.cents);
  assert(back <= sale.credits, 'no more credits are taken back than were sold');
  const due = back - sale.clawed_back;
  if (due === 0 && dispute === sale.dispute) return true;
  const changed = { keyId: sale.key_id, ref: `${sale.id}:aftermath:${seen + 1}`, at };
  yield* readRows(
    db
      .updateTable(table)
      .set({ dispute, clawed_back: back, aftermath: seen + 1 })
      .where('id', '=', sale.id),
  );
  if (dispute === 'open' && sale.dispute !== 'open')
    yield* readRows(
      db
        .updateTable('account')
        .set({ reload_enabled: 0, reload_error: 'a payment is disputed' })
        .where('key_id', '=', sale.key_id),
    );
  if (due > 0) yield* clawBackCredits(ledgerStore, { ...changed, credits: due });
  else if (due < 0) yield* restoreCredits(ledgerStore, { ...changed, credits: -due });
  else yield* freezeOrThaw(ledgerStore, sale.key_id);
  return true;
}

/** Pays the debt of an account with credits that came back to it, such as those released by a call. */
export const collectDebt = defineProcedure(
  here,
  'collectDebt',
  { durability: 'flushed' },
  function* (ledgerStore, { keyId, at }: { keyId: string; at: number }): Steps<void> {
    const { debt, version } = yield* lockAccount(ledgerStore, keyId);
    if (debt > 0)
      yield* clawBackCredits(ledgerStore, { keyId, credits: 0, ref: `debt:${keyId}:${version}`, at });
  },
);

const OWING_MAX = 100;

/** Lists accounts that have both debt and credits, at most OWING_MAX. */
export async function listOwingAccounts({ db }: Pick<LedgerQueries, 'db'>): Promise<string[]> {
  const rows = await db
    .selectFrom('account')
    .select('key_id')
    // A literal: SQLite does not use a partial index for a parameter.
    .where(sql<boolean>`debt > 0`)
    .where('available', '>', 0)
    .limit(OWING_MAX)
    .execute();
  return rows.map(({ key_id }) => key_id);
}

/** Returns how often refunds and disputes have changed the sale that a charge paid; 0 if there is no such sale yet. */
export async function countReversals({ db }: Pick<LedgerQueries, 'db'>, charge: string): Promise<number> {
  for (const table of TABLES) {
    const sale = await db
      .selectFrom(table)
      .select('aftermath')
      .where('charge_id', '=', charge)
      .executeTakeFirst();
    if (sale !== undefined) return sale.aftermath;
  }
  return 0;
}
