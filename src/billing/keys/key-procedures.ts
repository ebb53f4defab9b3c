import type { Selectable } from 'kysely';
import type { AccountTable, ApiKeyTable } from '../../platform/store/ledger/ledger-tables.ts';
import {
  defineProcedure,
  type LedgerQueries,
  readFirst,
  readRows,
  type Steps,
} from '../../platform/store/ledger/procedure.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';
import {
  addCredits,
  addEntry,
  freezeOrThaw,
  lockAccount,
  selectAccountId,
} from '../ledger/account-queries.ts';
import { assertWhole } from '../ledger/prices.ts';
import type { KeyTerms } from '../limits/key-limits.ts';

const here = resolveThreadModule('billing/keys/key-procedures').href;

/** Maximum keys of one account that are not revoked. */
export const KEYS_PER_ACCOUNT_MAX = 50;

/**
 * Adds a key that draws on the account of another, of the same kind, and returns the kind.
 * Returns null if the account already has KEYS_PER_ACCOUNT_MAX keys.
 */
export const addKey = defineProcedure(
  here,
  'addKey',
  { durability: 'flushed' },
  function* (
    ledgerStore,
    { of, key }: { of: string; key: Omit<ApiKeyTable, 'state' | 'kind'> },
  ): Steps<ApiKeyTable['kind'] | null> {
    const { db } = ledgerStore;
    const account = yield* lockAccount(ledgerStore, of);
    const keys = yield* listUnrevokedKeys(ledgerStore, account);
    if (keys.length >= KEYS_PER_ACCOUNT_MAX) return null;
    const first = yield* readFirst(db.selectFrom('api_key').select('kind').where('id', '=', account.key_id));
    if (first === null) throw new Error(`the account ${account.key_id} has no first key`);
    const { kind } = first;
    yield* readRows(
      db.insertInto('api_key').values({ ...key, kind, account_id: account.key_id, state: 'active' }),
    );
    // An account that owes credits has no key that could spend.
    yield* freezeOrThaw(ledgerStore, account.key_id);
    return kind;
  },
);

/**
 * Gives a key a new secret. Its limits, label, jobs and usage are unchanged. A secret from an earlier rotation stops working.
 * Returns false if there is no such key or it is revoked.
 */
export const rotateKey = defineProcedure(
  here,
  'rotateKey',
  { durability: 'flushed' },
  function* ({ db }, { keyId, hash, hint, oldUntil, session }: RotateArgs): Steps<boolean> {
    const rotated = yield* readFirst(
      db
        .updateTable('api_key')
        .set(({ ref }) => ({
          hash,
          hint,
          old_until: oldUntil,
          old_hash: oldUntil === null ? null : ref('hash'),
        }))
        .where('id', '=', keyId)
        .where('state', '!=', 'revoked')
        .returning('id'),
    );
    if (rotated === null) return false;
    yield* readRows(
      db
        .deleteFrom('session')
        .where('signed_in_with', '=', keyId)
        .where('id', '!=', session ?? ''),
    );
    // Whoever had the old secret may have signed applications in with it.
    yield* readRows(db.deleteFrom('app_grant').where('key_id', '=', keyId));
    return true;
  },
);

/** Invalidates the secret that a key had before it was rotated. */
export const endOldSecret = defineProcedure(
  here,
  'endOldSecret',
  { durability: 'flushed' },
  function* ({ db }, { keyId }: { keyId: string }): Steps<void> {
    yield* readRows(
      db.updateTable('api_key').set({ old_hash: null, old_until: null }).where('id', '=', keyId),
    );
  },
);

/** Changes the label of a key, and whether its holder may sign in. Absent fields stay unchanged. */
export const describeKey = defineProcedure(
  here,
  'describeKey',
  { durability: 'flushed' },
  function* (
    ledgerStore,
    { keyId, label, manages }: { keyId: string; label?: string | null; manages?: boolean },
  ): Steps<boolean> {
    const account = yield* lockAccount(ledgerStore, keyId);
    if (manages === false && !(yield* canManageWithout(ledgerStore, account, keyId))) return false;
    yield* readRows(
      ledgerStore.db
        .updateTable('api_key')
        .set({
          ...(label === undefined ? { id: keyId } : { label }),
          ...(manages === undefined ? {} : { manages: manages ? 1 : 0 }),
        })
        .where('id', '=', keyId),
    );
    return true;
  },
);

/** Revokes a key for its owner, who must keep one to sign in with. Returns false, and changes nothing, if it is the last. */
export const revokeOwnKey = defineProcedure(
  here,
  'revokeOwnKey',
  { durability: 'flushed' },
  function* (ledgerStore, { keyId }: { keyId: string }): Steps<boolean> {
    const account = yield* lockAccount(ledgerStore, keyId);
    if (!(yield* canManageWithout(ledgerStore, account, keyId))) return false;
    yield* readRows(ledgerStore.db.updateTable('api_key').set({ state: 'revoked' }).where('id', '=', keyId));
    return true;
  },
);

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

function listUnrevokedKeys({ db }: LedgerQueries, { key_id }: Selectable<AccountTable>) {
  return readRows(
    db
      .selectFrom('api_key')
      .select(['id', 'manages', 'expires_at'])
      .where((is) => is.or([is('id', '=', key_id), is('account_id', '=', key_id)]))
      .where('state', '!=', 'revoked'),
  );
}

type RotateArgs = {
  keyId: string;
  /** The new secret, as stored. */
  hash: string;
  hint: string;
  /** When the old secret stops working; null: now. */
  oldUntil: number | null;
  /** The session to keep; all others that were started with the key end. */
  session: string | null;
};

/** Returns true if another key without an expiry could still sign in. */
function* canManageWithout(
  ledgerStore: LedgerQueries,
  account: Selectable<AccountTable>,
  keyId: string,
): Steps<boolean> {
  const keys = yield* listUnrevokedKeys(ledgerStore, account);
  return keys.some(({ id, manages, expires_at }) => id !== keyId && manages === 1 && expires_at === null);
}
