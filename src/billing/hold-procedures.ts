import { type Compilable, type Selectable, sql } from 'kysely';
import type { AccountTable, HoldState } from '../platform/store/books/books-tables.ts';
import {
  type BooksQueries,
  firstOf,
  procedure,
  rowsOf,
  type Steps,
} from '../platform/store/books/procedure.ts';
import { addEntry, credit } from './account-queries.ts';
import { utcDay, utcMonth } from './day.ts';
import { CENTS_PER_USD, PACKS } from './prices.ts';
import { packCredits, packPrice, purchaseIdOf, reloadDecision } from './reload-decision.ts';

export type HoldArgs = { id: string; keyId: string; amount: number; expiresAt: number };
export type SettleArgs = { id: string; used: number; at: number };

const here = import.meta.url;

/** Takes credits aside for a request. Gives what is left beside them, or null when the key has not that many. */
export const takeHold = procedure(
  here,
  'takeHold',
  { durability: 'kept', oneStatement: true },
  function* (books, args: HoldArgs): Steps<number | null> {
    if (books.dialect === 'postgres') return (yield* firstOf(takeInOne(books, args)))?.available ?? null;
    const taken = yield* firstOf(takeFrom(books, args));
    if (taken === null) return null;
    yield* rowsOf(
      books.db.insertInto('hold').values({
        id: args.id,
        key_id: args.keyId,
        amount: args.amount,
        used: 0,
        state: 'held',
        expires_at: args.expiresAt,
      }),
    );
    return taken.available;
  },
);

function takeFrom({ db }: Pick<BooksQueries, 'db'>, { keyId, amount }: HoldArgs) {
  return db
    .updateTable('account')
    .set({ available: sql<number>`available - ${amount}`, held: sql<number>`held + ${amount}` })
    .where('key_id', '=', keyId)
    .where('available', '>=', amount)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('api_key')
          .select('id')
          .whereRef('api_key.id', '=', 'account.key_id')
          .where('state', '=', 'active'),
      ),
    )
    .returning(['key_id', 'available']);
}

/** PostgreSQL: one round trip, so that a busy key is not locked while messages travel. */
function takeInOne({ db }: BooksQueries, args: HoldArgs): Compilable<{ available: number }> {
  return db
    .with('taken', (part) => takeFrom({ db: part as BooksQueries['db'] }, args))
    .with('placed', (part) =>
      part
        .insertInto('hold')
        .columns(['id', 'key_id', 'amount', 'used', 'state', 'expires_at'])
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
            ]),
        ),
    )
    .selectFrom('taken')
    .select('available');
}

/** What a key has left, and the purchase that the deduction set off. */
export type Settled = { available: number; purchase: string | null };

/**
 * Ends a hold: what was used is captured with one entry, the rest is given back; nothing used voids it. The same statement
 * decides whether auto-reload buys a pack. Null when the hold was not open any more, in which case nothing has changed.
 */
export const settleHold = procedure(
  here,
  'settleHold',
  { durability: 'kept', oneStatement: true },
  function* (books, args: SettleArgs): Steps<Settled | null> {
    if (books.dialect === 'sqlite') return yield* settleInSteps(books.db, args);
    const settled = yield* firstOf(settleInOne(books, args));
    return settled === null ? null : settledOf(settled, args);
  },
);

function settledOf(
  account: Pick<Selectable<AccountTable>, 'available' | 'reload_purchase'>,
  { id }: SettleArgs,
): Settled {
  const bought = account.reload_purchase === purchaseIdOf(id);
  return { available: account.available, purchase: bought ? account.reload_purchase : null };
}

function* settleInSteps(db: BooksQueries['db'], args: SettleArgs): Steps<Settled | null> {
  const { id, used, at } = args;
  const ended = yield* firstOf(endHold(db, args));
  if (ended === null) return null;
  const settled = yield* firstOf(
    db
      .updateTable('account')
      .set({
        held: sql<number>`held - ${ended.amount}`,
        available: sql<number>`available + ${ended.amount - used}`,
        version: sql<number>`version + ${used > 0 ? 1 : 0}`,
        ...reloadDecision(args),
      })
      .where('key_id', '=', ended.key_id)
      .returning(['key_id', 'available', 'held', 'version', 'reload_purchase', 'reload_pack']),
  );
  if (settled === null) throw new Error(`the hold ${id} belongs to no account`);
  if (used > 0) {
    yield* rowsOf(addEntry(db, settled, { kind: 'usage', contra: 'revenue', ref: id, delta: -used, at }));
    yield* rowsOf(addToDay(db, { keyId: settled.key_id, day: utcDay(at), credits: used }));
  }
  const outcome = settledOf(settled, args);
  if (outcome.purchase !== null)
    yield* rowsOf(
      db.insertInto('purchase').values({
        id: outcome.purchase,
        key_id: settled.key_id,
        pack: settled.reload_pack,
        cents: PACKS[settled.reload_pack].priceUsd * CENTS_PER_USD,
        credits: PACKS[settled.reload_pack].credits,
        month: utcMonth(at),
        state: 'created',
        created_at: at,
      }),
    );
  return outcome;
}

function endHold(db: BooksQueries['db'], { id, used }: SettleArgs) {
  return db
    .updateTable('hold')
    .set({ state: used > 0 ? 'captured' : 'voided', used })
    .where('id', '=', id)
    .where('state', '=', 'held')
    .returning(['key_id', 'amount']);
}

/** PostgreSQL: the hold is locked before the account here, and taken after it above; since nobody else knows the new hold, they cannot lock each other out. */
function settleInOne(
  { db }: BooksQueries,
  args: SettleArgs,
): Compilable<{ available: number; reload_purchase: string | null }> {
  const { id, used, at } = args;
  return db
    .with('ended', (part) => endHold(part as BooksQueries['db'], args))
    .with('settled', (part) =>
      part
        .updateTable('account')
        .from('ended')
        .set({
          held: sql<number>`account.held - ended.amount`,
          available: sql<number>`account.available + ended.amount - ${used}::bigint`,
          version: sql<number>`account.version + ${used > 0 ? 1 : 0}::bigint`,
          ...reloadDecision(args),
        })
        .whereRef('account.key_id', '=', 'ended.key_id')
        .returning([
          'account.key_id',
          'account.available',
          'account.held',
          'account.version',
          'account.reload_purchase',
          'account.reload_pack',
        ]),
    )
    .with('bought', (part) =>
      part
        .insertInto('purchase')
        .columns(['id', 'key_id', 'pack', 'cents', 'credits', 'month', 'state', 'created_at'])
        .expression(
          part
            .selectFrom('settled')
            .where('settled.reload_purchase', '=', purchaseIdOf(id))
            .select((is) => [
              is.ref('settled.reload_purchase').$notNull().as('id'),
              is.ref('settled.key_id').as('key_id'),
              is.ref('settled.reload_pack').as('pack'),
              packPrice('settled').as('cents'),
              packCredits('settled').as('credits'),
              sql<string>`${utcMonth(at)}::text`.as('month'),
              sql<'created'>`'created'`.as('state'),
              sql<number>`${at}::bigint`.as('created_at'),
            ]),
        ),
    )
    .with('noted', (part) =>
      part
        .insertInto('entry')
        .columns(['key_id', 'version', 'kind', 'contra', 'ref', 'delta', 'balance', 'at'])
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
            ]),
        ),
    )
    .with('counted', (part) =>
      part
        .insertInto('usage_day')
        .columns(['key_id', 'day', 'credits'])
        .expression(
          part
            .selectFrom('settled')
            .where(sql<boolean>`${used}::bigint > 0`)
            .select((is) => [
              is.ref('settled.key_id').as('key_id'),
              sql<string>`${utcDay(at)}::text`.as('day'),
              sql<number>`${used}::bigint`.as('credits'),
            ]),
        )
        .onConflict((row) =>
          row
            .columns(['key_id', 'day'])
            .doUpdateSet({ credits: sql<number>`usage_day.credits + excluded.credits` }),
        ),
    )
    .selectFrom('settled')
    .select(['available', 'reload_purchase']);
}

function addToDay(
  db: BooksQueries['db'],
  { keyId, day, credits }: { keyId: string; day: string; credits: number },
): Compilable {
  return db
    .insertInto('usage_day')
    .values({ key_id: keyId, day, credits })
    .onConflict((row) =>
      row
        .columns(['key_id', 'day'])
        .doUpdateSet({ credits: sql<number>`usage_day.credits + excluded.credits` }),
    );
}

/**
 * Undoes a hold: an open one is voided, what was captured for an answer that never reached its caller is refunded. Gives the
 * credits that came back: 0 when it was over before.
 */
export const refundHold = procedure(
  here,
  'refundHold',
  { durability: 'kept' },
  function* ({ db, dialect }, { id, at }: { id: string; at: number }): Steps<number> {
    const stored = db.selectFrom('hold').select(['state', 'key_id', 'amount', 'used']).where('id', '=', id);
    const hold = yield* firstOf(dialect === 'postgres' ? stored.forUpdate() : stored);
    if (hold?.state === 'held') {
      yield* settleInSteps(db, { id, used: 0, at });
      return hold.amount;
    }
    if (hold?.state !== 'captured') return 0;
    yield* rowsOf(db.updateTable('hold').set({ state: 'refunded' }).where('id', '=', id));
    const account = yield* firstOf(credit(db, hold.key_id, hold.used));
    const usage = yield* firstOf(
      db.selectFrom('entry').select('at').where('kind', '=', 'usage').where('ref', '=', id),
    );
    if (account === null || usage === null)
      throw new Error(`the captured hold ${id} has no account or no entry`);
    const entry = { kind: 'refund', contra: 'revenue', ref: id, delta: hold.used, at } as const;
    yield* rowsOf(addEntry(db, account, entry));
    yield* rowsOf(addToDay(db, { keyId: hold.key_id, day: utcDay(usage.at), credits: -hold.used }));
    return hold.used;
  },
);
