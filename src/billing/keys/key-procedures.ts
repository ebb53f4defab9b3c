import type { ApiKeyTable } from '../../platform/store/ledger/ledger-tables.ts';
import {
  defineProcedure,
  type LedgerQueries,
  readFirst,
  readRows,
  type Steps,
} from '../../platform/store/ledger/procedure.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';
import { addCredits, addEntry, selectAccountId } from '../ledger/account-queries.ts';
import { assertWhole } from '../ledger/credits.ts';
import type { KeyTerms } from '../limits/key-limits.ts';

/** Prefix of the reference of a key's first grant, `issue:<key id>`. No other grant may use it. */
export const ISSUE_REF = 'issue:';

type IssueArgs = {
  key: Omit<ApiKeyTable, 'state'>;
  /** The key's first credits, and the reference under which they are granted once. */
  credits: number;
  ref: string;
};

type GrantArgs = { keyId: string; credits: number; ref: string; at: number };
/** The outcome of a grant. `before` is the grant that first used the reference. */
export type GrantResult =
  | { kind: 'granted'; available: number }
  | { kind: 'granted before'; available: number; before: { keyId: string; credits: number } }
  | { kind: 'unknown key' };

const here = resolveThreadModule('billing/keys/key-procedures').href;

/** Creates a key with its account and its first credits. Returns false, and creates nothing, if its network already has a free key. */
export const issueKey = defineProcedure(
  here,
  'issueKey',
  { durability: 'flushed' },
  function* ({ db }, { key, credits, ref }: IssueArgs): Steps<boolean> {
    assertWhole(credits, 'a key is issued with a whole number of credits');
    const made = yield* readFirst(
      db
        .insertInto('api_key')
        .values({ ...key, state: 'active' })
        .onConflict((row) => row.column('network').doNothing())
        .returning('id'),
    );
    if (made === null) return false;
    const account = { key_id: key.id, available: 0, held: 0, version: 0 };
    yield* readRows(db.insertInto('account').values(account));
    if (credits > 0) yield* addGrant(db, { keyId: key.id, credits, ref, at: key.created_at });
    return true;
  },
);

/** Adds credits to a key, once for each reference. */
export const grantCredits = defineProcedure(
  here,
  'grantCredits',
  { durability: 'flushed' },
  function* ({ db, dialect }, args: GrantArgs): Steps<GrantResult> {
    // The lock makes a second grant with the same reference wait until it sees the first.
    const account = db
      .selectFrom('account')
      .select('available')
      .where('key_id', '=', selectAccountId(db, args.keyId));
    const locked = yield* readFirst(dialect === 'postgres' ? account.forUpdate() : account);
    if (locked === null) return { kind: 'unknown key' };
    const before = yield* readFirst(
      db
        .selectFrom('entry')
        .select(['key_id as keyId', 'delta as credits'])
        .where('kind', '=', 'grant')
        .where('ref', '=', args.ref),
    );
    if (before !== null) return { kind: 'granted before', available: locked.available, before };
    return { kind: 'granted', available: yield* addGrant(db, args) };
  },
);

function* addGrant(db: LedgerQueries['db'], { keyId, credits, ref, at }: GrantArgs): Steps<number> {
  const account = yield* readFirst(addCredits(db, keyId, credits));
  if (account === null) throw new Error(`the key ${keyId} has no account`);
  yield* readRows(addEntry(db, account, { kind: 'grant', contra: 'grants', ref, delta: credits, at }));
  return account.available;
}

/** Revokes a key permanently. Returns false if there is no such key. */
export const revokeKey = defineProcedure(
  here,
  'revokeKey',
  { durability: 'flushed' },
  function* ({ db }, { keyId }: { keyId: string }): Steps<boolean> {
    const revoked = yield* readFirst(
      db.updateTable('api_key').set({ state: 'revoked' }).where('id', '=', keyId).returning('id'),
    );
    return revoked !== null;
  },
);

/** Changes the terms of a key; absent ones stay. Returns false if there is no such key. */
export const changeTerms = defineProcedure(
  here,
  'changeTerms',
  { durability: 'flushed' },
  function* ({ db }, { keyId, terms }: { keyId: string; terms: Partial<KeyTerms> }): Steps<boolean> {
    const { perMinute, perDay, expiresAt } = terms;
    const changed = yield* readFirst(
      db
        .updateTable('api_key')
        .set({
          ...(perMinute === undefined ? {} : { per_minute: perMinute }),
          ...(perDay === undefined ? {} : { per_day: perDay }),
          ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
        })
        .where('id', '=', keyId)
        .returning('id'),
    );
    return changed !== null;
  },
);
