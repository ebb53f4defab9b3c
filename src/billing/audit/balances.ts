import { sql } from 'kysely';
import { createCheck } from './check.ts';

const heldByAccounts = createCheck(
  ({ db }) =>
    db
      .selectFrom('account')
      .leftJoin(
        db
          .selectFrom('hold')
          .select(({ fn }) => ['key_id', fn.sum<number>('amount').as('amount')])
          // A literal, so that SQLite uses the index of open holds.
          .where('state', '=', sql.lit('held'))
          .groupBy('key_id')
          .as('open'),
        'open.key_id',
        'account.key_id',
      )
      .select(['account.key_id', 'held', sql<number>`coalesce(amount, 0)`.as('open')])
      .where(sql<boolean>`held <> coalesce(amount, 0)`),
  ({ held, open }) => `the account holds ${held}, its open holds add up to ${open}`,
);

const heldWithoutAccount = createCheck(
  ({ db }) =>
    db
      .selectFrom('hold')
      .leftJoin('account', 'account.key_id', 'hold.key_id')
      .select(['hold.key_id', 'id', 'amount'])
      .where('state', '=', sql.lit('held'))
      .where('account.key_id', 'is', null),
  ({ id, amount }) => `the open hold ${id} of ${amount} belongs to a key without an account`,
);

const accounts = createCheck(
  ({ db }) =>
    db
      .selectFrom('account')
      .select(['key_id', 'available', 'held'])
      .where((is) => is.or([is('available', '<', 0), is('held', '<', 0)])),
  ({ available, held }) => `the account has ${available} available and ${held} held`,
);

const entries = createCheck(
  ({ db }) => db.selectFrom('entry').select(['key_id', 'version', 'balance']).where('balance', '<', 0),
  ({ version, balance }) => `entry ${version} leaves a balance of ${balance}`,
);

const amounts = createCheck(
  ({ db }) =>
    db
      .selectFrom('hold')
      .select(['key_id', 'id', 'amount', 'used'])
      .where((is) =>
        is.or([is('amount', '<=', 0), is('used', '<', 0), is('used', '>', is.ref('hold.amount'))]),
      ),
  ({ id, amount, used }) => `the hold ${id} of ${amount} has ${used} used`,
);

const days = createCheck(
  ({ db }) => db.selectFrom('usage_day').select(['key_id', 'day', 'credits']).where('credits', '<', 0),
  ({ day, credits }) => `the usage of ${day} is ${credits}`,
);

/** I2 and I3. */
export const balances = {
  held: [heldByAccounts, heldWithoutAccount],
  negative: [accounts, entries, amounts, days],
} as const;
