import { sql } from 'kysely';
import { ISSUE_REF } from '../keys/key-procedures.ts';
import { FREE_KEY_CREDITS } from '../ledger/prices.ts';
import { type Check, createCheck, createRepeatedCheck } from './rolled.ts';

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
