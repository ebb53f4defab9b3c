import { sql } from 'kysely';
import { type Check, createCheck } from './rolled.ts';

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
  sold: [sales, unsold, clawedBack],
  open: [open, unlinked],
  spent: [spent],
  failures: [failures],
} as const satisfies Record<string, readonly Check[]>;
