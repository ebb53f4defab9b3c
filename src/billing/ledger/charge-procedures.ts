import assert from 'node:assert/strict';
import { type Selectable, sql } from 'kysely';
import { toUtcDay } from '../../platform/clock.ts';
import type { AccountTable, HoldTable } from '../../platform/store/ledger/ledger-tables.ts';
import {
  defineProcedure,
  type LedgerQueries,
  readFirst,
  readRows,
  type Steps,
} from '../../platform/store/ledger/procedure.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';
import { addCredits, addEntry, selectAccountId } from './account-queries.ts';
import {
  addToUsageDay,
  addUsage,
  computeSettleParameters,
  endHold,
  findRefusal,
  type HoldArgs,
  holdInOneStatement,
  insertHold,
  reserveCredits,
  type SettleArgs,
  type SettleParameters,
  settleAccount,
  settleInOneStatement,
} from './charge-queries.ts';
import { assertSolvent, assertSome, assertWhole, CENTS_PER_USD, PACKS } from './prices.ts';

const here = resolveThreadModule('billing/ledger/charge-procedures').href;

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

/**
 * The credits held (0 if the key has too few or is not active) and the credits still available. `disputed`: of a refused hold, the
 * credits among them that cannot be used because the payment that gave them is disputed; else 0.
 */
export type HoldResult = { amount: number; available: number; disputed: number };

/** Holds credits for a request: all of them or none. */
export const holdCredits = defineProcedure(
  here,
  'holdCredits',
  { durability: 'kept', oneStatement: true },
  function* (ledgerStore, args: HoldArgs): Steps<HoldResult> {
    assertSome(args.amount, 'a hold takes at least one whole credit');
    const wanted = { ...args, endpoint: args.endpoint ?? null };
    const placed =
      ledgerStore.dialect === 'postgres'
        ? yield* readFirst(holdInOneStatement(ledgerStore, wanted))
        : yield* holdInSteps(ledgerStore, wanted);
    if (placed === null) return NOTHING_HELD;
    assertWhole(placed.available, 'a hold takes no more credits than the key has');
    return { amount: placed.amount, available: placed.available, disputed: placed.disputed };
  },
);

/** The result for a key without an account. */
const NOTHING_HELD: HoldResult = { amount: 0, available: 0, disputed: 0 };

function* holdInSteps(
  ledgerStore: LedgerQueries,
  wanted: HoldArgs,
): Steps<{ amount: number; available: number; disputed: number } | null> {
  const account = yield* readFirst(reserveCredits(ledgerStore, wanted));
  if (account !== null) {
    yield* readRows(insertHold(ledgerStore, { ...wanted, ...resolveHoldOwner(account, wanted) }));
    return { amount: wanted.amount, available: account.available, disputed: 0 };
  }
  const refused = yield* readFirst(findRefusal(ledgerStore, wanted));
  return refused === null ? null : { amount: 0, ...refused };
}

/** Returns the account of a hold, and the calling key if it is not the account's first. */
function resolveHoldOwner(
  { key_id: account }: { key_id: string },
  { keyId }: Pick<HoldArgs, 'keyId'>,
): { account: string; spentBy: string | null } {
  return { account, spentBy: account === keyId ? null : keyId };
}

/** Holds as many credits as the key may use, at most `amount`. */
export const holdCreditsUpTo = defineProcedure(
  here,
  'holdCreditsUpTo',
  { durability: 'kept' },
  function* (ledgerStore, args: HoldArgs): Steps<HoldResult> {
    const { db, dialect } = ledgerStore;
    const stored = db
      .selectFrom('account')
      .select(sql<number>`available - disputed`.as('usable'))
      .where('key_id', '=', selectAccountId(db, args.keyId));
    // Two statements: on PostgreSQL a single one would see the row as it was before it waited for the lock.
    const account = yield* readFirst(dialect === 'postgres' ? stored.forUpdate() : stored);
    if (account === null) return NOTHING_HELD;
    // Without any credits the whole amount is requested, so that the refusal gives the reason.
    const amount = account.usable < 1 ? args.amount : Math.min(args.amount, account.usable);
    return yield* holdCredits.steps(ledgerStore, { ...args, amount });
  },
);

/** Extends open holds; leaves ended ones alone. */
export const renewHolds = defineProcedure(
  here,
  'renewHolds',
  { durability: 'kept' },
  function* ({ db }, { ids, expiresAt }: { ids: string[]; expiresAt: number }): Steps<void> {
    yield* readRows(
      db
        .updateTable('hold')
        .set({ expires_at: expiresAt })
        .where('id', 'in', ids)
        .where('state', '=', 'held')
        .where('expires_at', '<', expiresAt),
    );
  },
);

/** The credits still available, and the purchase that the settlement triggered. */
export type Settlement = { available: number; purchase: string | null };

/**
 * Ends a hold: captures the used credits with one ledger entry and releases the rest; voids the hold if nothing was used. The
 * same statement decides whether auto-reload buys a pack. Returns null, and changes nothing, if the hold is not open.
 */
export const settleHold = defineProcedure(
  here,
  'settleHold',
  { durability: 'kept', oneStatement: true },
  function* (ledgerStore, args: SettleArgs): Steps<Settlement | null> {
    const change = computeSettleParameters(args);
    if (ledgerStore.dialect === 'sqlite') return yield* settleInSteps(ledgerStore, change);
    const settled = yield* readFirst(settleInOneStatement(ledgerStore, change));
    if (settled === null) return null;
    assertWhole(settled.available, 'a settlement leaves no negative balance');
    return buildSettlement(settled, change);
  },
);

function buildSettlement(
  account: Pick<Selectable<AccountTable>, 'available' | 'reload_purchase'>,
  { purchaseId }: SettleParameters,
): Settlement {
  const bought = account.reload_purchase === purchaseId;
  return { available: account.available, purchase: bought ? purchaseId : null };
}

function* settleInSteps(ledgerStore: LedgerQueries, change: SettleParameters): Steps<Settlement | null> {
  const { id, used } = change;
  const ended = yield* readFirst(endHold(ledgerStore, change));
  if (ended === null) return null;
  const { key_id: keyId, amount } = ended;
  assert(used <= amount, 'a settlement charges no more than was held');
  const settled = yield* readFirst(
    settleAccount(ledgerStore, { ...change, keyId, amount, rest: amount - used }),
  );
  if (settled === null) throw new Error(`the hold ${id} belongs to no account`);
  assertSolvent(settled, 'a settlement leaves no negative balance');
  return yield* recordUsage(ledgerStore, { ...settled, ...ended }, change);
}

type UsedAccount = Pick<
  Selectable<AccountTable>,
  'key_id' | 'available' | 'held' | 'version' | 'reload_purchase' | 'reload_pack'
> &
  Pick<Selectable<HoldTable>, 'spent_by' | 'endpoint'>;

/** SQLite: records a settlement: the ledger entry, the day's usage, and the purchase that it triggered. `account` is the row afterwards. */
function* recordUsage(
  ledgerStore: LedgerQueries,
  account: UsedAccount,
  change: SettleParameters,
): Steps<Settlement> {
  const { id, used, at, entries, day } = change;
  const { key_id: keyId, version, available, held, spent_by: spentBy, endpoint } = account;
  if (entries > 0) {
    assertSome(version, 'ledger entries are numbered from 1');
    const entry = { keyId, version, id, delta: -used, balance: available + held, at, spentBy, endpoint };
    yield* readRows(addUsage(ledgerStore, entry));
    yield* readRows(
      addToUsageDay(ledgerStore, { keyId, day, credits: used, calls: 1, ...buildDayPart(account) }),
    );
  }
  const outcome = buildSettlement(account, change);
  if (outcome.purchase !== null)
    yield* readRows(
      ledgerStore.db.insertInto('purchase').values({
        id: outcome.purchase,
        key_id: keyId,
        pack: account.reload_pack,
        cents: PACKS[account.reload_pack].priceUsd * CENTS_PER_USD,
        credits: PACKS[account.reload_pack].credits,
        month: change.month,
        state: 'created',
        created_at: at,
      }),
    );
  return outcome;
}

/** Returns the key and route under which a day's usage counts a hold. */
function buildDayPart(hold: { spent_by: string | null; endpoint: string | null }) {
  return { spentBy: hold.spent_by ?? '', endpoint: hold.endpoint ?? '' };
}

/**
 * Undoes a hold: voids an open one, or refunds a captured one whose response was never sent. Returns the credits
 * returned to the key, 0 if the hold had already been undone.
 */
export const refundHold = defineProcedure(
  here,
  'refundHold',
  { durability: 'kept' },
  function* (ledgerStore, { id, at }: { id: string; at: number }): Steps<number> {
    const { db, dialect } = ledgerStore;
    const stored = db
      .selectFrom('hold')
      .select(['state', 'key_id', 'amount', 'used', 'spent_by', 'endpoint'])
      .where('id', '=', id);
    const hold = yield* readFirst(dialect === 'postgres' ? stored.forUpdate() : stored);
    if (hold?.state === 'held') {
      yield* settleInSteps(ledgerStore, computeSettleParameters({ id, used: 0, at }));
      return hold.amount;
    }
    if (hold?.state !== 'captured') return 0;
    assertSome(hold.used, 'a captured hold has charged credits');
    assert(hold.used <= hold.amount, 'a refund returns no more than was held');
    yield* readRows(db.updateTable('hold').set({ state: 'refunded', expires_at: at }).where('id', '=', id));
    const account = yield* readFirst(addCredits(db, hold.key_id, hold.used));
    const usage = yield* readFirst(
      db.selectFrom('entry').select('at').where('kind', '=', 'usage').where('ref', '=', id),
    );
    if (account === null || usage === null)
      throw new Error(`the captured hold ${id} has no account or no ledger entry`);
    const entry = { kind: 'refund', contra: 'revenue', ref: id, delta: hold.used, at } as const;
    yield* readRows(addEntry(db, account, entry));
    const undone = { keyId: hold.key_id, day: toUtcDay(usage.at), credits: -hold.used, calls: -1 };
    yield* readRows(addToUsageDay(ledgerStore, { ...undone, ...buildDayPart(hold) }));
    return hold.used;
  },
);

/** A charge for work that is done: `at` in ms since the epoch. */
export type ChargeArgs = Omit<HoldArgs, 'expiresAt'> & { at: number };

/** The credits charged under an id, and the purchase that the charge triggered. */
export type ChargeResult = { charged: number; purchase: string | null };
