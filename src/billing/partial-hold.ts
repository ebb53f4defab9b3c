import { type Compilable, type RawBuilder, sql } from 'kysely';
import type { HoldState } from '../platform/store/books/books-tables.ts';
import {
  type BooksQueries,
  firstOf,
  procedure,
  rowsOf,
  type Steps,
} from '../platform/store/books/procedure.ts';
import type { HoldArgs } from './hold-procedures.ts';

/** What a key has left, and how much of what was wanted is held. */
export type PartialHold = { available: number; amount: number };

/**
 * Takes credits aside for a request that can do with fewer: as many as there are, at most `amount`. Null when there is not
 * one, or the key is frozen or revoked.
 */
export const takeHoldUpTo = procedure(
  import.meta.url,
  'takeHoldUpTo',
  { durability: 'kept', oneStatement: true },
  function* (books, args: HoldArgs): Steps<PartialHold | null> {
    if (books.dialect === 'postgres') return yield* firstOf(takeInOne(books, args));
    const granted = yield* firstOf(grantOf(books.db, args, sql`min`));
    if (granted === null) return null;
    const taken = yield* firstOf(
      books.db
        .updateTable('account')
        .set({
          available: sql<number>`available - ${granted.amount}`,
          held: sql<number>`held + ${granted.amount}`,
        })
        .where('key_id', '=', granted.key_id)
        .returning('available'),
    );
    if (taken === null) throw new Error(`the key ${args.keyId} lost its account within a transaction`);
    yield* rowsOf(
      books.db.insertInto('hold').values({
        id: args.id,
        key_id: granted.key_id,
        amount: granted.amount,
        used: 0,
        state: 'held',
        expires_at: args.expiresAt,
      }),
    );
    return { available: taken.available, amount: granted.amount };
  },
);

/** What can be had of the wanted amount, worked out by the store's function for the lesser of two; no row when that is nothing. */
function grantOf(db: BooksQueries['db'], { keyId, amount }: HoldArgs, lesser: RawBuilder<unknown>) {
  return db
    .selectFrom('account')
    .select(['account.key_id', sql<number>`${lesser}(account.available, ${amount})`.as('amount')])
    .where('account.key_id', '=', keyId)
    .where('account.available', '>=', 1)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('api_key')
          .select('id')
          .whereRef('api_key.id', '=', 'account.key_id')
          .where('state', '=', 'active'),
      ),
    );
}

/** PostgreSQL: the account is locked where the amount is worked out, so that what is taken is what was there. */
function takeInOne({ db }: BooksQueries, args: HoldArgs): Compilable<PartialHold> {
  return db
    .with('granted', (part) => grantOf(part as BooksQueries['db'], args, sql`least`).forUpdate('account'))
    .with('taken', (part) =>
      part
        .updateTable('account')
        .from('granted')
        .set({
          available: sql<number>`account.available - granted.amount`,
          held: sql<number>`account.held + granted.amount`,
        })
        .whereRef('account.key_id', '=', 'granted.key_id')
        .returning(['account.key_id', 'account.available', sql<number>`granted.amount`.as('amount')]),
    )
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
              is.ref('taken.amount').as('amount'),
              sql<number>`0`.as('used'),
              sql<HoldState>`'held'`.as('state'),
              sql<number>`${args.expiresAt}::bigint`.as('expires_at'),
            ]),
        ),
    )
    .selectFrom('taken')
    .select(['available', 'amount']);
}
