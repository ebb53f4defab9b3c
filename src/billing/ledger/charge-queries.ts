import { type QueryCreator, type RawBuilder, type Selectable, sql } from 'kysely';
import { toUtcDay, toUtcMonth } from '../../platform/clock.ts';
import type { AccountTable, HoldState, LedgerTables } from '../../platform/store/ledger/ledger-tables.ts';
import { createTemplate, type LedgerQueries } from '../../platform/store/ledger/procedure.ts';
import { selectAccountId } from './account-queries.ts';
import { assertWhole, CENTS_PER_USD, PACK_NAMES, PACKS, type PackName } from './prices.ts';

/** `keyId`: the calling key, whose account pays; `expiresAt` in ms since the epoch; `endpoint`: the route that was called. */
export type HoldArgs = {
  id: string;
  keyId: string;
  amount: number;
  expiresAt: number;
  endpoint?: string | null | undefined;
};

export type SettleArgs = { id: string; used: number; at: number };

/** SQLite: moves credits from available to held if the key is active and its account has enough. */
export const reserveCredits = createTemplate(reserveFromAccount);

/** SQLite: inserts the row of the hold. */
export const insertHold = createTemplate(
  ({ db }, { id, account, amount, expiresAt, spentBy, endpoint }: HoldArgs & HoldOwner) =>
    db.insertInto('hold').values({
      id,
      key_id: account,
      amount,
      used: 0,
      state: 'held',
      expires_at: expiresAt,
      spent_by: spentBy,
      endpoint: endpoint ?? null,
    }),
);

/** The paying account, and the calling key if it is not the account's first. */
type HoldOwner = { account: string; spentBy: string | null };

function reserveFromAccount({ db }: Pick<LedgerQueries, 'db'>, { keyId, amount }: HoldArgs) {
  return (
    db
      .updateTable('account')
      .set({ available: sql<number>`available - ${amount}`, held: sql<number>`held + ${amount}` })
      .where('key_id', '=', selectAccountId(db, keyId).where('state', '=', 'active'))
      // What a disputed payment gave stays on the account, and cannot be used until the dispute is settled.
      .where(sql<number>`available - disputed`, '>=', amount)
      .returning(['key_id', 'available'])
  );
}

/** PostgreSQL: one round trip, so that a busy key's row is not locked across the network. */
export const holdInOneStatement = createTemplate(({ db }, args: HoldArgs) =>
  db
    .with('taken', (part) => reserveFromAccount({ db: part as LedgerQueries['db'] }, args))
    .with('placed', (part) =>
      part
        .insertInto('hold')
        .columns(['id', 'key_id', 'amount', 'used', 'state', 'expires_at', 'spent_by', 'endpoint'])
        .expression(
          part
            .selectFrom('taken')
            .select((is) => [
              sql<string>`${args.id}::text`.as('id'),
              is.ref('taken.key_id').as('key_id'),
              sql<number>`${args.amount}::bigint`.as('amount'),
              sql<number>`0`.as('used'),
              sql<HoldState>`'held'`.as('state'),
              sql<number>`${args.expiresAt}::bigint`.as('expires_at'),
              sql<string | null>`nullif(${args.keyId}::text, taken.key_id)`.as('spent_by'),
              sql<string | null>`${args.endpoint}::text`.as('endpoint'),
            ]),
        ),
    )
    .selectFrom('taken')
    .select(['available', sql<number>`${args.amount}::bigint`.as('amount'), sql<number>`0`.as('disputed')])
    .unionAll((part) =>
      part
        .selectFrom('account')
        .select(['available', sql<number>`0`.as('amount'), 'disputed'])
        .where('key_id', '=', selectAccountId(db, args.keyId))
        .where(({ not, exists, selectFrom }) => not(exists(selectFrom('taken').select('key_id')))),
    ),
);

/** SQLite: reads why a hold was refused: the available credits of the account, and how many of them are disputed. */
export const findRefusal = createTemplate(({ db }, { keyId }: Pick<HoldArgs, 'keyId'>) =>
  db.selectFrom('account').select(['available', 'disputed']).where('key_id', '=', selectAccountId(db, keyId)),
);

/** The parameters of a settlement's queries. */
export type SettleParameters = SettleArgs & {
  state: HoldState;
  /** Ledger entries to add: one, or none if nothing was used. */
  entries: 0 | 1;
  day: string;
  month: string;
  purchaseId: string;
};

/** Computes the values that a settlement writes; a query template cannot compute. */
export function computeSettleParameters(args: SettleArgs): SettleParameters {
  const { id, used, at } = args;
  assertWhole(used, 'a settlement charges a whole number of credits');
  return {
    ...args,
    state: used > 0 ? 'captured' : 'voided',
    entries: used > 0 ? 1 : 0,
    day: toUtcDay(at),
    month: toUtcMonth(at),
    purchaseId: buildPurchaseId(id),
  };
}

/** SQLite: ends an open hold. Returns no row if the hold is not open. */
export const endHold = createTemplate(endOpenHold);

function endOpenHold({ db }: Pick<LedgerQueries, 'db'>, { id, used, state, at }: SettleParameters) {
  return db
    .updateTable('hold')
    .set({ state, used, expires_at: at })
    .where('id', '=', id)
    .where('state', '=', 'held')
    .returning(['key_id', 'amount', 'spent_by', 'endpoint']);
}

type AccountChange = SettleParameters & { keyId: string; amount: number; rest: number };

/** SQLite: settles a hold of `amount` credits, releases `rest` of them, and decides on auto-reload. */
export const settleAccount = createTemplate(({ db }, change: AccountChange) =>
  db
    .updateTable('account')
    .set({
      held: sql<number>`held - ${change.amount}`,
      available: sql<number>`available + ${change.rest}`,
      version: sql<number>`version + ${change.entries}`,
      ...buildReloadDecision(change),
    })
    .where('key_id', '=', change.keyId)
    .returning(['available', 'held', 'version', 'reload_purchase', 'reload_pack']),
);

type Usage = {
  keyId: string;
  version: number;
  id: string;
  delta: number;
  balance: number;
  at: number;
  spentBy: string | null;
  endpoint: string | null;
};

/** SQLite: inserts the ledger entry of a settlement. */
export const addUsage = createTemplate(
  ({ db }, { keyId, version, id, delta, balance, at, spentBy, endpoint }: Usage) =>
    db.insertInto('entry').values({
      key_id: keyId,
      version,
      kind: 'usage',
      contra: 'revenue',
      ref: id,
      delta,
      balance,
      at,
      spent_by: spentBy,
      endpoint,
    }),
);

type DayPart = {
  keyId: string;
  day: string;
  credits: number;
  calls: number;
  /** Empty where the hold has null. */
  spentBy: string;
  endpoint: string;
};

const DAY_PART = ['key_id', 'day', 'spent_by', 'endpoint'] as const;
const DAY_SUMS = {
  credits: sql<number>`usage_day.credits + excluded.credits`,
  calls: sql<number>`usage_day.calls + excluded.calls`,
};

/** Adds to the usage of an account on a UTC day, by calling key and route. */
export const addToUsageDay = createTemplate(
  ({ db }, { keyId, day, credits, calls, spentBy, endpoint }: DayPart) =>
    db
      .insertInto('usage_day')
      .values({ key_id: keyId, day, credits, calls, spent_by: spentBy, endpoint })
      .onConflict((row) => row.columns(DAY_PART).doUpdateSet(DAY_SUMS)),
);

/** The part of a statement that follows the one named `settled`. */
type AfterSettled = QueryCreator<LedgerTables & { settled: SettledAccount }>;
type SettledAccount = Pick<
  Selectable<AccountTable>,
  'key_id' | 'available' | 'held' | 'version' | 'reload_purchase' | 'reload_pack'
> &
  Pick<Selectable<LedgerTables['hold']>, 'spent_by' | 'endpoint'>;

/**
 * PostgreSQL: ends a hold in one round trip. It locks the hold before the account, whereas placing a hold locks the account
 * first; no other transaction can see a hold that is being placed, so the two cannot deadlock.
 */
export const settleInOneStatement = createTemplate(({ db }, change: SettleParameters) =>
  db
    .with('ended', (part) => endOpenHold({ db: part as LedgerQueries['db'] }, change))
    .with('settled', (part) =>
      part
        .updateTable('account')
        .from('ended')
        .set({
          held: sql<number>`account.held - ended.amount`,
          available: sql<number>`account.available + ended.amount - ${change.used}::bigint`,
          version: sql<number>`account.version + ${change.entries}::bigint`,
          ...buildReloadDecision(change),
        })
        .whereRef('account.key_id', '=', 'ended.key_id')
        .returning([
          'account.key_id',
          'account.available',
          'account.held',
          'account.version',
          'account.reload_purchase',
          'account.reload_pack',
          'ended.spent_by',
          'ended.endpoint',
        ]),
    )
    .with('bought', (part) => insertDecidedPurchase(part, change))
    .with('noted', (part) => insertUsageEntry(part, change))
    .with('counted', (part) => countUsageDay(part, change))
    .selectFrom('settled')
    .select(['available', 'reload_purchase']),
);

/** Inserts the purchase if this settlement decided on it. */
function insertDecidedPurchase(part: AfterSettled, { at, month, purchaseId }: SettleParameters) {
  return part
    .insertInto('purchase')
    .columns(['id', 'key_id', 'pack', 'cents', 'credits', 'month', 'state', 'created_at'])
    .expression(
      part
        .selectFrom('settled')
        .where('settled.reload_purchase', '=', purchaseId)
        .select((is) => [
          is.ref('settled.reload_purchase').$notNull().as('id'),
          is.ref('settled.key_id').as('key_id'),
          is.ref('settled.reload_pack').as('pack'),
          selectPackPrice('settled').as('cents'),
          selectPackCredits('settled').as('credits'),
          sql<string>`${month}::text`.as('month'),
          sql<'created'>`'created'`.as('state'),
          sql<number>`${at}::bigint`.as('created_at'),
        ]),
    );
}

/** Inserts the ledger entry if any credits were used. */
function insertUsageEntry(part: AfterSettled, { id, used, at }: SettleParameters) {
  return part
    .insertInto('entry')
    .columns([
      ...(['key_id', 'version', 'kind', 'contra', 'ref'] as const),
      ...(['delta', 'balance', 'at', 'spent_by', 'endpoint'] as const),
    ])
    .expression(
      part
        .selectFrom('settled')
        .where(sql<boolean>`${used}::bigint > 0`)
        .select((is) => [
          is.ref('settled.key_id').as('key_id'),
          is.ref('settled.version').as('version'),
          sql<'usage'>`'usage'`.as('kind'),
          sql<'revenue'>`'revenue'`.as('contra'),
          sql<string>`${id}::text`.as('ref'),
          sql<number>`-(${used}::bigint)`.as('delta'),
          sql<number>`settled.available + settled.held`.as('balance'),
          sql<number>`${at}::bigint`.as('at'),
          is.ref('settled.spent_by').as('spent_by'),
          is.ref('settled.endpoint').as('endpoint'),
        ]),
    );
}

/** Adds the credits to the day's usage if any were used. */
function countUsageDay(part: AfterSettled, { used, day }: SettleParameters) {
  return part
    .insertInto('usage_day')
    .columns(['key_id', 'day', 'credits', 'spent_by', 'endpoint', 'calls'])
    .expression(
      part
        .selectFrom('settled')
        .where(sql<boolean>`${used}::bigint > 0`)
        .select((is) => [
          is.ref('settled.key_id').as('key_id'),
          sql<string>`${day}::text`.as('day'),
          sql<number>`${used}::bigint`.as('credits'),
          sql<string>`coalesce(settled.spent_by, '')`.as('spent_by'),
          sql<string>`coalesce(settled.endpoint, '')`.as('endpoint'),
          sql<number>`1`.as('calls'),
        ]),
    )
    .onConflict((row) => row.columns(DAY_PART).doUpdateSet(DAY_SUMS));
}

/** Returns the id of the purchase that settling a hold may trigger. */
function buildPurchaseId(holdId: string): string {
  return `pur_${holdId}`;
}

/**
 * Sets the account's open purchase when auto-reload has to buy: the settlement leaves the balance (including held credits)
 * strictly below the threshold, no purchase is open, and the price fits into what is left of this UTC month's cap. Part of
 * the statement that locks the row, so that only one of many concurrent settlements buys.
 */
function buildReloadDecision({
  purchaseId,
  used,
  month,
}: {
  purchaseId: string;
  used: number;
  month: string;
}): {
  reload_purchase: RawBuilder<string | null>;
} {
  const spent = sql`case when account.reload_month = ${month} then account.reload_spent_cents else 0 end`;
  return {
    reload_purchase: sql<string | null>`case
      when account.reload_enabled = 1
        and ${used} > 0
        and account.reload_purchase is null
        and account.card is not null
        and account.available + account.held - ${used} < account.reload_threshold
        and (${spent}) + (${selectPackPrice('account')}) <= account.reload_cap_cents
      then ${purchaseId}
      else account.reload_purchase
    end`,
  };
}

/** Selects the price in cents of the pack in a row's `reload_pack`. */
function selectPackPrice(row: string): RawBuilder<number> {
  return selectByPack(row, (pack) => PACKS[pack].priceUsd * CENTS_PER_USD);
}

function selectPackCredits(row: string): RawBuilder<number> {
  return selectByPack(row, (pack) => PACKS[pack].credits);
}

function selectByPack(row: string, value: (pack: PackName) => number): RawBuilder<number> {
  const cases = PACK_NAMES.map((pack) => sql`when ${sql.lit(pack)} then ${sql.lit(value(pack))}`);
  return sql<number>`case ${sql.ref(`${row}.reload_pack`)} ${sql.join(cases, sql` `)} end`;
}
