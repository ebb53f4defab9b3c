import { type Expression, type RawBuilder, sql } from 'kysely';
import { DAY_MS } from '../../platform/clock.ts';
import type { EntryKind, LedgerTables } from '../../platform/store/ledger/ledger-tables.ts';
import type { LedgerQueries } from '../../platform/store/ledger/procedure.ts';
import { ISSUE_REF } from '../keys/key-procedures.ts';
import { FREE_KEY_CREDITS } from '../ledger/prices.ts';

/** A fulfilled checkout or succeeded purchase has exactly one entry with its credits; any other has none. */
const sales = createCheck(
  ({ db }) =>
    db
      .selectFrom(
        db
          .selectFrom('checkout')
          .select(['key_id', 'id', 'credits', sql<string>`'purchase'`.as('kind')])
          .select(sql<number>`case when state = 'fulfilled' then 1 else 0 end`.as('due'))
          .unionAll(
            db
              .selectFrom('purchase')
              .select(['key_id', 'id', 'credits', sql<string>`'reload'`.as('kind')])
              .select(sql<number>`case when state = 'succeeded' then 1 else 0 end`.as('due')),
          )
          .as('sale'),
      )
      .leftJoin('entry', (on) =>
        on
          .onRef('entry.ref', '=', 'sale.id')
          .onRef('entry.kind', '=', sql.ref('sale.kind'))
          .onRef('entry.key_id', '=', sql.ref('sale.key_id')),
      )
      .select(({ fn }) => [
        'sale.key_id',
        'sale.id',
        'sale.due',
        'sale.credits',
        fn.count<number>('entry.ref').as('entries'),
        sql<number>`coalesce(sum(entry.delta), 0)`.as('credited'),
      ])
      .groupBy(['sale.key_id', 'sale.id', 'sale.due', 'sale.credits'])
      .having(
        sql<boolean>`count(entry.ref) <> sale.due or coalesce(sum(entry.delta), 0) <> sale.due * sale.credits`,
      ),
  ({ id, due, credits, entries, credited }) =>
    `${id} should have ${due} entries of ${credits} credits, found ${entries} (${credited} credits)`,
);

const unsold = createCheck(
  ({ db }) =>
    db
      .selectFrom('entry')
      .leftJoin('checkout', 'checkout.id', 'entry.ref')
      .leftJoin('purchase', 'purchase.id', 'entry.ref')
      .select(['entry.key_id', 'version', 'kind', 'ref', 'delta'])
      .where('kind', 'in', ['purchase', 'reload'])
      .where('checkout.id', 'is', null)
      .where('purchase.id', 'is', null),
  ({ version, kind, ref, delta }) =>
    `entry ${version} (${kind}, ${delta}) is for the sale ${ref}, which does not exist`,
);

const clawedBack = createCheck(
  ({ db }) =>
    db
      .selectFrom('account')
      .select('key_id')
      .select(({ selectFrom }) => [
        selectFrom('entry')
          .select(sql<number>`coalesce(-sum(delta), 0)`.as('taken'))
          .whereRef('entry.key_id', '=', 'account.key_id')
          .where('kind', 'in', ['clawback', 'restored'])
          .as('taken'),
        selectFrom('checkout')
          .select(sql<number>`coalesce(sum(clawed_back), 0)`.as('sum'))
          .whereRef('checkout.key_id', '=', 'account.key_id')
          .as('of_checkouts'),
        selectFrom('purchase')
          .select(sql<number>`coalesce(sum(clawed_back), 0)`.as('sum'))
          .whereRef('purchase.key_id', '=', 'account.key_id')
          .as('of_purchases'),
        'debt',
      ])
      .where(
        sql<boolean>`debt + (select coalesce(-sum(delta), 0) from entry where entry.key_id = account.key_id and kind in ('clawback', 'restored'))
          <> (select coalesce(sum(clawed_back), 0) from checkout where checkout.key_id = account.key_id)
           + (select coalesce(sum(clawed_back), 0) from purchase where purchase.key_id = account.key_id)`,
      ),
  ({ taken, of_checkouts, of_purchases, debt }) =>
    `${(of_checkouts ?? 0) + (of_purchases ?? 0)} credits should have been taken back, found ${taken} taken and ${debt} owed`,
);

/** The frozen credits of an account are those that its disputed payments gave. */
const frozen = createCheck(
  ({ db }) =>
    db
      .selectFrom('account')
      .select(['key_id', 'disputed'])
      .select(({ selectFrom }) => [
        selectFrom('checkout')
          .select(sql<number>`coalesce(sum(credits - clawed_back), 0)`.as('sum'))
          .whereRef('checkout.key_id', '=', 'account.key_id')
          .where('dispute', '=', 'open')
          .as('by_checkouts'),
        selectFrom('purchase')
          .select(sql<number>`coalesce(sum(credits - clawed_back), 0)`.as('sum'))
          .whereRef('purchase.key_id', '=', 'account.key_id')
          .where('dispute', '=', 'open')
          .as('by_purchases'),
      ])
      .where(
        sql<boolean>`disputed
          <> (select coalesce(sum(credits - clawed_back), 0) from checkout where checkout.key_id = account.key_id and dispute = 'open')
           + (select coalesce(sum(credits - clawed_back), 0) from purchase where purchase.key_id = account.key_id and dispute = 'open')`,
      ),
  ({ disputed, by_checkouts, by_purchases }) =>
    `disputed payments gave ${(by_checkouts ?? 0) + (by_purchases ?? 0)} credits, but ${disputed} are frozen`,
);

const open = createCheck(
  ({ db }) =>
    db
      .selectFrom('purchase')
      .select(({ fn }) => ['key_id', fn.countAll<number>().as('open')])
      .where('state', 'in', ['created', 'processing'])
      .groupBy('key_id')
      .having(sql<boolean>`count(*) > 1`),
  ({ open: count }) => `${count} purchases are open at once`,
);

const unlinked = createCheck(
  ({ db }) =>
    db
      .selectFrom('purchase')
      .innerJoin('account', 'account.key_id', 'purchase.key_id')
      .select(['purchase.key_id', 'id', 'state', 'reload_purchase'])
      .where(
        sql<boolean>`(state in ('created', 'processing')) <> (reload_purchase is not null and reload_purchase = purchase.id)`,
      ),
  ({ id, state, reload_purchase }) =>
    `the purchase ${id} is ${state}, but the account's open purchase is ${reload_purchase ?? 'none'}`,
);

const spent = createCheck(
  ({ db }) =>
    db
      .selectFrom('account')
      .leftJoin('purchase', (on) =>
        on
          .onRef('purchase.key_id', '=', 'account.key_id')
          .onRef('purchase.month', '=', 'account.reload_month')
          .on('purchase.state', '=', 'succeeded'),
      )
      .select(['account.key_id', 'reload_month', 'reload_spent_cents'])
      .select(sql<number>`coalesce(sum(purchase.cents), 0)`.as('bought'))
      .groupBy(['account.key_id', 'reload_month', 'reload_spent_cents'])
      .having(sql<boolean>`coalesce(sum(purchase.cents), 0) <> reload_spent_cents`),
  ({ reload_month, reload_spent_cents, bought }) =>
    `${reload_month} counts ${reload_spent_cents} cents spent, its purchases add up to ${bought}`,
);

const failures = createCheck(
  ({ db }) =>
    db
      .selectFrom('account')
      .select(['key_id', 'reload_error'])
      .where('reload_enabled', '=', 1)
      .where('reload_error', 'is not', null),
  ({ reload_error }) => `auto-reload is on, although it failed with: ${reload_error}`,
);

/** I5 for money, I6 (one open purchase), I7 (the month's spending, which the cap limits) and I8 (a failure turns auto-reload off). */
export const payments = {
  sold: [sales, unsold, clawedBack, frozen],
  open: [open, unlinked],
  spent: [spent],
  failures: [failures],
} as const satisfies Record<string, readonly Check[]>;

const ISSUE = sql.lit(ISSUE_REF);
const kinds = createCheck(
  ({ db }) =>
    db
      .selectFrom('entry')
      .select(['key_id', 'version', 'kind', 'contra', 'delta'])
      .where(
        sql<boolean>`not (
          (kind = 'grant' and contra = 'grants' and delta > 0) or
          (kind = 'usage' and contra = 'revenue' and delta < 0) or
          (kind = 'rolled' and contra = 'revenue' and delta < 0) or
          (kind = 'refund' and contra = 'revenue' and delta > 0) or
          (kind in ('purchase', 'reload', 'restored') and contra = 'payments' and delta > 0) or
          (kind = 'clawback' and contra = 'payments' and delta < 0))`,
      ),
  ({ version, kind, contra, delta }) =>
    `entry ${version} moves ${delta} as ${kind} against ${contra}, which is not allowed`,
);

const unknown = createCheck(
  ({ db }) =>
    db
      .selectFrom('entry')
      .select(['key_id', 'version', 'ref', 'delta'])
      .where('kind', '=', 'grant')
      .where(
        sql<boolean>`(ref = '' or (ref like ${sql.lit(`${ISSUE_REF}%`)} and not (ref = ${ISSUE} || key_id and version = 1)))`,
      ),
  ({ version, ref, delta }) =>
    ref === ''
      ? `entry ${version} grants ${delta} credits without a reference`
      : `entry ${version} grants ${delta} credits as ${ref}, which is reserved for that key's first entry`,
);

const freeKeys = createCheck(
  ({ db }) =>
    db
      .selectFrom('api_key')
      .leftJoin('entry', (on) =>
        on
          .onRef('entry.key_id', '=', 'api_key.id')
          .on('entry.kind', '=', 'grant')
          .on('entry.ref', '=', sql<string>`${ISSUE} || api_key.id`),
      )
      .select(['api_key.id as key_id', 'entry.version', 'delta'])
      .where('api_key.kind', '=', 'free')
      .where('api_key.account_id', 'is', null)
      .where((is) => is.or([is('delta', 'is', null), is('delta', '!=', FREE_KEY_CREDITS)])),
  ({ delta }) =>
    `a free key begins with one grant of ${FREE_KEY_CREDITS}, found ${delta === null ? 'none' : delta}`,
);

const unfounded = createCheck(
  ({ db }) =>
    db
      .selectFrom('account')
      .leftJoin('entry', (on) => on.onRef('entry.key_id', '=', 'account.key_id').on('entry.version', '=', 1))
      .select(['account.key_id', 'available', 'held'])
      .where('entry.key_id', 'is', null)
      .where(sql<boolean>`available + held <> 0`),
  ({ available, held }) => `the account has ${available} available and ${held} held, but no first entry`,
);

const keysWithoutAccount = createCheck(
  ({ db }) =>
    db
      .selectFrom('api_key')
      .leftJoin('account', (on) =>
        on.on('account.key_id', '=', sql<string>`coalesce(api_key.account_id, api_key.id)`),
      )
      .select(['api_key.id as key_id', 'kind', 'hint'])
      .where('account.key_id', 'is', null),
  ({ kind, hint }) => `the ${kind} key ${hint}… has no account`,
);

const accountsWithoutKey = createCheck(
  ({ db }) =>
    db
      .selectFrom('account')
      .leftJoin('api_key', 'api_key.id', 'account.key_id')
      .select(['account.key_id', 'available', 'held'])
      .where('api_key.id', 'is', null),
  ({ available, held }) => `an account with ${available} available and ${held} held belongs to no key`,
);

const entriesWithoutAccount = createCheck(
  ({ db }) =>
    db
      .selectFrom('entry')
      .leftJoin('account', 'account.key_id', 'entry.key_id')
      .select(({ fn }) => [
        'entry.key_id',
        fn.countAll<number>().as('entries'),
        fn.sum<number>('delta').as('credits'),
      ])
      .where('account.key_id', 'is', null)
      .groupBy('entry.key_id'),
  ({ entries, credits }) => `${entries} entries (${credits} credits) belong to no account`,
);

/** I5: no credits without a known grant, and no account, key or entry without its owner. */
export const credits: readonly Check[] = [
  kinds,
  createRepeatedCheck(['grant']),
  unknown,
  freeKeys,
  unfounded,
  keysWithoutAccount,
  accountsWithoutKey,
  entriesWithoutAccount,
];

/**
 * Compares each entry with the one before it. That is equivalent to summing from the first, but reports a fault once
 * rather than for every later entry.
 */
const gaps = createCheck(
  ({ db }) =>
    db
      .selectFrom(
        db
          .selectFrom('entry')
          .select(['key_id', 'version', 'entries'])
          .select(
            sql<number>`coalesce(lag(version) over (partition by key_id order by version), 0)`.as('before'),
          )
          .as('entry'),
      )
      .selectAll()
      .where(sql<boolean>`version <> before + entries`),
  ({ version, before, entries }) => {
    const expected = before + entries;
    return before === 0
      ? `the first entry is number ${version}, expected ${expected}`
      : `entry ${version} follows entry ${before}, expected ${expected}`;
  },
);

const sums = createCheck(
  ({ db }) =>
    db
      .selectFrom(
        db
          .selectFrom('entry')
          .select(['key_id', 'version', 'kind', 'ref', 'delta', 'balance'])
          .select(
            sql<number>`coalesce(lag(balance) over (partition by key_id order by version), 0)`.as('before'),
          )
          .as('entry'),
      )
      .selectAll()
      .where(sql<boolean>`balance <> before + delta`),
  ({ version, kind, ref, delta, balance, before }) =>
    `entry ${version} (${kind} ${ref}) moves ${delta} from ${before}: expected balance ${before + delta}, found ${balance}`,
);

const versions = createCheck(
  ({ db }) =>
    db
      .selectFrom('account')
      .leftJoin(
        db
          .selectFrom('entry')
          .select(({ fn }) => ['key_id', fn.sum<number>('entries').as('entries')])
          .groupBy('key_id')
          .as('counted'),
        'counted.key_id',
        'account.key_id',
      )
      .select(['account.key_id', 'version', sql<number>`coalesce(entries, 0)`.as('found')])
      .where(sql<boolean>`version <> coalesce(entries, 0)`),
  ({ version, found }) => `the account counts ${version} entries, found ${found}`,
);

const balance = createCheck(
  ({ db }) =>
    db
      .selectFrom('account')
      .innerJoin(
        db
          .selectFrom('entry')
          .select(({ fn }) => ['key_id', fn.max('version').as('version')])
          .groupBy('key_id')
          .as('newest'),
        'newest.key_id',
        'account.key_id',
      )
      .innerJoin('entry', (on) =>
        on.onRef('entry.key_id', '=', 'newest.key_id').onRef('entry.version', '=', 'newest.version'),
      )
      .select(['account.key_id', 'entry.version', 'available', 'held', 'balance'])
      .where(sql<boolean>`balance <> available + held`),
  ({ version, available, held, balance }) =>
    `the last entry (${version}) has balance ${balance}; the account has ${available} available and ${held} held, together ${available + held}`,
);

/** I1: versions without gaps, balances that add up, and an account that agrees with them. */
export const chain: readonly Check[] = [gaps, sums, versions, balance];

/** Selects the instant below which usage may be rolled or holds may be deleted; 0 before the first pass. */
export function selectHorizon(subject: LedgerTables['horizon']['subject']): RawBuilder<number> {
  return sql<number>`coalesce((select before from horizon where subject = ${sql.lit(subject)}), 0)`;
}

/** Only charges are rolled, each of at least one credit; the reference names the first of them. */
const shapes = createCheck(
  ({ db }) =>
    db
      .selectFrom('entry')
      .select(['key_id', 'version', 'kind', 'ref', 'delta', 'entries'])
      .where(
        sql<boolean>`case kind
          when 'rolled' then entries < 1 or delta > -entries or ref <> key_id || ':' || (version - entries + 1)
          else entries <> 1 end`,
      ),
  ({ version, kind, ref, delta, entries }) =>
    kind === 'rolled'
      ? `entry ${version} (${ref}, ${delta}) cannot stand for ${entries} charges up to its number`
      : `entry ${version} is a ${kind} that stands for ${entries} entries, expected 1`,
);

/** Only whole days are rolled, and only those below the horizon. */
const days = createCheck(
  ({ db }) =>
    db
      .selectFrom('entry')
      .select(['key_id', 'version', 'at'])
      .where('kind', '=', 'rolled')
      .where(
        sql<boolean>`(at % ${sql.lit(DAY_MS)} <> 0 or at + ${sql.lit(DAY_MS)} > ${selectHorizon('usage')})`,
      ),
  ({ version, at }) =>
    `entry ${version} is rolled for the day that begins at ${at}, which is no whole day of the past that may be rolled`,
);

/** Rolled charges have no hold, and refunded charges are never rolled, so each refund still has its charge. */
const unrefunded = createCheck(
  ({ db }) =>
    db
      .selectFrom('entry')
      .leftJoin('entry as usage', (on) =>
        on
          .on('usage.kind', '=', 'usage')
          .onRef('usage.ref', '=', 'entry.ref')
          .onRef('usage.key_id', '=', 'entry.key_id'),
      )
      .select(['entry.key_id', 'entry.version', 'entry.ref', 'entry.delta'])
      .where('entry.kind', '=', 'refund')
      .where(sql<boolean>`coalesce(-usage.delta, 0) <> entry.delta`),
  ({ version, ref, delta }) => `entry ${version} refunds ${delta} for ${ref}, which was not charged that`,
);

/** Rules for entries that stand for several, and for charges whose holds are gone. */
export const rolled: readonly Check[] = [shapes, days, unrefunded, createRepeatedCheck(['rolled'])];

/** Finds references with more than one entry; a unique index should have rejected the second. */
export function createRepeatedCheck(kinds: EntryKind[]): Check {
  return createCheck(
    ({ db }) =>
      db
        .selectFrom('entry')
        .select(({ fn }) => [
          fn.min('key_id').as('key_id'),
          'ref',
          'kind',
          fn.countAll<number>().as('times'),
          fn.sum<number>('delta').as('credits'),
        ])
        .where('kind', 'in', kinds)
        .groupBy(['kind', 'ref'])
        .having(sql<boolean>`count(*) > 1`),
    ({ kind, ref, times, credits }) =>
      `the ${kind} ${ref} has ${times} entries, ${credits} credits in total; expected one`,
  );
}

/** Finds one kind of fault: counts all, and lists the first `most`. */
export type Check = { find(ledgerStore: LedgerQueries, most: number): Promise<FaultReport> };

type FaultPlace = { keyId: string | null; text: string };

export type FaultReport = { count: number; places: FaultPlace[] };

/**
 * Builds a check from a query whose every row is a fault, and a function that describes a row. Rows are ordered by their first
 * two columns, so that two audits of the same state agree.
 */
export function createCheck<Row extends { key_id: string | null }>(
  wrong: (ledgerStore: LedgerQueries) => Expression<Row>,
  describe: (row: Row) => string,
): Check {
  return {
    async find(ledgerStore, most) {
      const counted = sql<
        Row & { count: number }
      >`select wrong.*, count(*) over () as count from ${wrong(ledgerStore)} as wrong order by 1, 2 limit ${sql.lit(most)}`;
      const { rows } = await counted.execute(ledgerStore.db);
      return {
        count: rows[0]?.count ?? 0,
        places: rows.map((row) => ({ keyId: row.key_id, text: describe(row) })),
      };
    },
  };
}
