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
import { freezeOrThaw, lockAccount } from '../ledger/account-queries.ts';

/** Maximum keys of one account that are not revoked. */
export const KEYS_PER_ACCOUNT_MAX = 50;

const here = resolveThreadModule('billing/keys/owner-procedures').href;

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

/** Returns true if another key without an expiry could still sign in. */
function* canManageWithout(
  ledgerStore: LedgerQueries,
  account: Selectable<AccountTable>,
  keyId: string,
): Steps<boolean> {
  const keys = yield* listUnrevokedKeys(ledgerStore, account);
  return keys.some(({ id, manages, expires_at }) => id !== keyId && manages === 1 && expires_at === null);
}

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
