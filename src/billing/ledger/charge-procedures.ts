/**
 * The procedures that move credits: hold, settle, renew and refund. A hold of some credits, of as many as the key has, and a charge at once
 * are one procedure, and its SQL is the same on both stores.
 */
import assert from 'node:assert/strict';
import { toUtcDay, toUtcMonth } from '../../platform/clock.ts';
import {
  type ChainPart,
  createChain,
  defineProcedure,
  readFirst,
  readRows,
  type Steps,
} from '../../platform/store/ledger/procedure.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';
import {
  assertSolvent,
  assertSome,
  assertWhole,
  CENTS_PER_USD,
  PACK_NAMES,
  PACKS,
  type PackName,
} from './prices.ts';

const here = resolveThreadModule('billing/ledger/charge-procedures').href;

/**
 * `keyId`: the calling key, whose account pays. `amount`: the most credits to hold; `least`: the fewest that suffice, all of them if not
 * given. The hold stays open until `expiresAt`, or is settled in full at `settledAt`; both in ms since the epoch. `endpoint`: the route
 * that was called.
 */
export type HoldArgs = {
  id: string;
  keyId: string;
  amount: number;
  least?: number;
  endpoint?: string | null | undefined;
} & ({ expiresAt: number; settledAt?: never } | { settledAt: number; expiresAt?: never });

/**
 * The credits held (0 if the key has too few or is not active) and the credits still available. `disputed`: of a refused hold, the
 * credits among them that cannot be used because the payment that gave them is disputed; else 0. `purchase`: as of a settlement.
 */
export type HoldResult = { amount: number; available: number; disputed: number; purchase: string | null };

/**
 * Holds credits of a key. A hold that is settled at once counts once per id: a repeated one returns the credits that the first charged,
 * and one that charged nothing may be repeated. Any other hold fails if its id was used before.
 */
export const holdCredits = defineProcedure(
  here,
  'holdCredits',
  { durability: 'kept', oneStatement: true },
  function* (ledgerStore, args: HoldArgs): Steps<HoldResult> {
    const { id, keyId, amount, least = amount, endpoint = null, settledAt } = args;
    assertSome(least, 'a hold takes at least one whole credit');
    assertSome(amount, 'a hold takes at least one whole credit');
    const isSettled = settledAt !== undefined;
    const at = isSettled ? settledAt : args.expiresAt;
    const { payer, balance, reload } = yield* (isSettled ? chargeAtOnce : placeHold)(ledgerStore, {
      key_id: keyId,
      least,
      most: amount,
      settles: isSettled ? 1 : 0,
      endpoint,
      ...buildMovementInput(id, at),
    });
    if (payer === undefined) return { amount: 0, available: 0, disputed: 0, purchase: null };
    if (payer.earlier !== null)
      return { amount: payer.earlier, available: payer.available, disputed: 0, purchase: null };
    if (balance === undefined)
      return { amount: 0, available: payer.available, disputed: payer.disputed, purchase: null };
    assertSound(balance);
    const { available } = balance;
    return { amount: payer.amount, available, disputed: 0, purchase: reload?.id ?? null };
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

export type SettleArgs = { id: string; used: number; at: number };

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
  function* (ledgerStore, { id, used, at }: SettleArgs): Steps<Settlement | null> {
    assertWhole(used, 'a settlement charges a whole number of credits');
    const { movement, balance, reload } = yield* endHold(ledgerStore, {
      used,
      ...buildMovementInput(id, at),
    });
    if (movement === undefined) return null;
    if (balance === undefined) throw new Error(`the hold ${id} belongs to no account`);
    assertSound(balance);
    return { available: balance.available, purchase: reload?.id ?? null };
  },
);

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
    const stored = db.selectFrom('hold').select(['state', 'amount', 'used']).where('id', '=', id);
    const hold = yield* readFirst(dialect === 'postgres' ? stored.forUpdate() : stored);
    if (hold?.state === 'held') {
      yield* settleHold.steps(ledgerStore, { id, used: 0, at });
      return hold.amount;
    }
    if (hold?.state !== 'captured') return 0;
    assertSome(hold.used, 'a captured hold has charged credits');
    assert(hold.used <= hold.amount, 'a refund returns no more than was held');
    const usage = yield* readFirst(
      db.selectFrom('entry').select('at').where('kind', '=', 'usage').where('ref', '=', id),
    );
    if (usage === null) throw new Error(`the captured hold ${id} has no ledger entry`);
    const { balance } = yield* returnCharge(ledgerStore, {
      ...buildMovementInput(id, at),
      day: toUtcDay(usage.at),
    });
    if (balance === undefined) throw new Error(`the captured hold ${id} has no account`);
    assertSound(balance);
    return hold.used;
  },
);

/** Asserts that a movement leaves a sound account. */
function assertSound({ available, held, version }: BalanceRow): void {
  assertSolvent({ available, held }, 'a movement leaves no negative balance');
  assertSome(version, 'ledger entries are numbered from 1');
}

/** The input that every movement of credits is given. */
type MovementInput = { id: string; at: number; day: string; month: string; purchase: string };
const MOVEMENT = { id: 'text', at: 'bigint', day: 'text', month: 'text', purchase: 'text' } as const;

function buildMovementInput(id: string, at: number): MovementInput {
  return { id, at, day: toUtcDay(at), month: toUtcMonth(at), purchase: buildPurchaseId(id) };
}

/** Returns the id of the purchase that a hold may trigger. */
function buildPurchaseId(holdId: string): string {
  return `pur_${holdId}`;
}

// Credits of a disputed payment stay on the account, and cannot be used until the dispute is settled.
const USABLE = '(account.available - account.disputed)';

/** Finds the account of a key, and decides how many of its credits the hold takes. */
const PAYER: ChainPart = {
  name: 'payer',
  locks: 'account',
  sql: `
    select account.key_id, account.available, account.disputed, earlier.used as earlier,
      case
        when earlier.id is not null or api_key.state <> 'active' or ${USABLE} < :input.least then 0
        when ${USABLE} < :input.most then ${USABLE}
        else :input.most
      end as amount
    from api_key
    join account on account.key_id = coalesce(api_key.account_id, api_key.id)
    left join hold as earlier on earlier.id = :input.id and :input.settles = 1
    where api_key.id = :input.key_id`,
};
type PayerRow = { available: number; disputed: number; earlier: number | null; amount: number };

// A movement is how a hold changes its account, and the credits that it used; those that a refund gives back are negative.
const HOLD_PLACED: ChainPart = {
  name: 'movement',
  sql: `
    insert into hold (id, key_id, amount, used, state, expires_at, spent_by, endpoint)
    select :input.id, :payer.key_id, :payer.amount, :payer.amount * :input.settles,
      case when :input.settles = 1 then 'captured' else 'held' end, :input.at,
      nullif(:input.key_id, :payer.key_id), :input.endpoint
    :from where :payer.amount > 0
    returning hold.key_id, hold.spent_by, hold.endpoint, used, -amount as to_available, amount - used as to_held`,
};

const HOLD_ENDED: ChainPart = {
  name: 'movement',
  sql: `
    update hold
    set state = case when :input.used > 0 then 'captured' else 'voided' end, used = :input.used, expires_at = :input.at
    where id = :input.id and state = 'held'
    returning key_id, spent_by, endpoint, used, amount - used as to_available, -amount as to_held`,
};

const CHARGE_RETURNED: ChainPart = {
  name: 'movement',
  sql: `
    update hold set state = 'refunded', expires_at = :input.at
    where id = :input.id and state = 'captured'
    returning key_id, spent_by, endpoint, -used as used, used as to_available, 0 as to_held`,
};

/**
 * Changes the account. Sets its open purchase when auto-reload has to buy: the charge leaves the balance (including held credits) strictly
 * below the threshold, no purchase is open, and the price fits into what is left of this UTC month's cap. Part of the statement that locks
 * the row, so that only one of many concurrent charges buys. `before`: what a hold has just read under its lock; PostgreSQL first checks an
 * update against the row as the statement began, which may have had fewer credits, and would refuse it.
 */
const createBalancePart = (before: 'account.available' | ':payer.available'): ChainPart => ({
  name: 'balance',
  sql: `
    update account
    set available = ${before} + :movement.to_available,
      held = held + :movement.to_held,
      version = version + abs(sign(:movement.used)),
      reload_purchase = case
        when reload_enabled = 1
          and :movement.used > 0
          and reload_purchase is null
          and card is not null
          and account.available + held - :movement.used < reload_threshold
          and case when reload_month = :input.month then reload_spent_cents else 0 end
            + ${selectByPack('reload_pack', ({ priceUsd }) => priceUsd * CENTS_PER_USD)} <= reload_cap_cents
        then :input.purchase
        else reload_purchase
      end
    :from where account.key_id = :movement.key_id
    returning account.key_id, account.available, held, version, reload_purchase, reload_pack`,
});
/** After a hold or a charge at once, whose account is locked and read. */
const BALANCE_OF_PAYER = createBalancePart(':payer.available');
const BALANCE = createBalancePart('account.available');
type BalanceRow = { available: number; held: number; version: number };

/** Adds the ledger entry, if credits were used or given back. */
const POSTING: ChainPart = {
  name: 'posting',
  sql: `
    insert into entry (key_id, version, kind, contra, ref, delta, balance, at, spent_by, endpoint)
    select :balance.key_id, :balance.version, case when :movement.used > 0 then 'usage' else 'refund' end, 'revenue',
      :input.id, -:movement.used, :balance.available + :balance.held, :input.at, :movement.spent_by, :movement.endpoint
    :from where :movement.used <> 0
    returning key_id, delta`,
};

/** Counts the entry in the usage of its account on a UTC day, by calling key and route. */
const DAY_USAGE: ChainPart = {
  name: 'day_usage',
  sql: `
    insert into usage_day (key_id, day, credits, calls, spent_by, endpoint)
    select :posting.key_id, :input.day, -:posting.delta, -sign(:posting.delta),
      coalesce(:movement.spent_by, ''), coalesce(:movement.endpoint, '')
    :from where :posting.delta <> 0
    on conflict (key_id, day, spent_by, endpoint)
    do update set credits = usage_day.credits + excluded.credits, calls = usage_day.calls + excluded.calls
    returning credits`,
};

/** Opens the purchase on which the charge decided. */
const RELOAD: ChainPart = {
  name: 'reload',
  sql: `
    insert into purchase (id, key_id, pack, cents, credits, month, state, created_at)
    select :balance.reload_purchase, :balance.key_id, :balance.reload_pack,
      ${selectByPack(':balance.reload_pack', ({ priceUsd }) => priceUsd * CENTS_PER_USD)},
      ${selectByPack(':balance.reload_pack', ({ credits }) => credits)}, :input.month, 'created', :input.at
    :from where :balance.reload_purchase = :input.purchase and :posting.delta < 0
    returning id`,
};

type HoldInput = MovementInput & {
  key_id: string;
  least: number;
  most: number;
  settles: 0 | 1;
  endpoint: string | null;
};
type SettleInput = MovementInput & { used: number };
type MovementRows = { movement: object; balance: BalanceRow; reload: { id: string } };

const HOLD: Record<keyof HoldInput, 'text' | 'bigint'> = {
  ...MOVEMENT,
  key_id: 'text',
  least: 'bigint',
  most: 'bigint',
  settles: 'bigint',
  endpoint: 'text',
};
const placeHold = createChain<HoldInput, MovementRows & { payer: PayerRow }>({
  types: HOLD,
  parts: [PAYER, HOLD_PLACED, BALANCE_OF_PAYER],
  results: ['payer', 'balance'],
});
const chargeAtOnce = createChain<HoldInput, MovementRows & { payer: PayerRow }>({
  types: HOLD,
  parts: [PAYER, HOLD_PLACED, BALANCE_OF_PAYER, POSTING, DAY_USAGE, RELOAD],
  results: ['payer', 'balance', 'reload'],
});
const endHold = createChain<SettleInput, MovementRows>({
  types: { ...MOVEMENT, used: 'bigint' },
  parts: [HOLD_ENDED, BALANCE, POSTING, DAY_USAGE, RELOAD],
  results: ['movement', 'balance', 'reload'],
});
const returnCharge = createChain<MovementInput, MovementRows>({
  types: MOVEMENT,
  parts: [CHARGE_RETURNED, BALANCE, POSTING, DAY_USAGE],
  results: ['balance'],
});

/** Returns SQL for a number of the pack that an expression names. */
function selectByPack(name: string, read: (pack: (typeof PACKS)[PackName]) => number): string {
  const cases = PACK_NAMES.map((pack) => `when '${pack}' then ${read(PACKS[pack])}`);
  return `case ${name} ${cases.join(' ')} end`;
}
