import { sql } from 'kysely';
import { type Check, createCheck } from './rolled.ts';

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
