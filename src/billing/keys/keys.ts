/**
 * API keys as operators and owners manage them: issue, rotate, describe, limit, grant, revoke and list.
 * A key's secret is returned once and stored only as a hash. Looking up the key of a call is `known-keys.ts`; charging is the ledger.
 */
import { type ExpressionBuilder, sql } from 'kysely';
import { Failure } from '../../contract/errors.ts';
import type { Events } from '../../contract/events.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ApiKeyTable, LedgerTables } from '../../platform/store/ledger/ledger-tables.ts';
import type { LedgerStore } from '../../platform/store/ledger/procedure.ts';
import { selectAccountId } from '../ledger/account-queries.ts';
import { toFreeKeyNetwork } from '../ledger/address-prefixes.ts';
import { FREE_KEY_CREDITS } from '../ledger/prices.ts';
import type { KeyTerms } from '../limits/key-limits.ts';
import {
  addKey,
  changeTerms,
  describeKey,
  endOldSecret,
  type GrantResult,
  grantCredits,
  ISSUE_REF,
  issueKey,
  KEYS_PER_ACCOUNT_MAX,
  revokeKey,
  revokeOwnKey,
  rotateKey,
} from './key-procedures.ts';
import { generateKey, generateSecret, hashKey, type KnownKeys } from './known-keys.ts';

/** A key as stored, without the secret itself. */
export type KeyRecord = Pick<ApiKeyTable, 'id' | 'kind' | 'state' | 'hint' | 'label' | 'network'> & {
  /** The id of the account's first key; the key's own id if it is the first. */
  account: string;
  /** Whether the holder may sign in and manage the account. */
  manages: boolean;
  noStore: boolean;
  terms: KeyTerms;
  /** When the secret from before a rotation stops working; null: there is none. */
  oldUntil: number | null;
  createdAt: number;
  /** Available credits of the account, shared by all its keys. */
  credits: number;
  held: number;
};

type IssuedKey = { keyId: string; apiKey: string; credits: number };

/** A further key of an account. */
type FurtherKey = { label: string | null; terms?: KeyTerms; manages: boolean; noStore?: boolean };

export type Keys = Pick<KnownKeys, 'find'> & {
  /** Issues a free key. Throws `Failure('free_key_already_issued')` if the address's network has one. */
  claimFree(address: string): Promise<IssuedKey>;
  /** Issues an operator key. */
  create(wanted: {
    credits: number;
    label: string | null;
    noStore?: boolean;
    terms?: KeyTerms;
  }): Promise<IssuedKey>;
  /** Adds a key that draws on the account of another. Null if the account already has KEYS_PER_ACCOUNT_MAX keys. */
  addTo(keyId: string, wanted: FurtherKey): Promise<Omit<IssuedKey, 'credits'> | null>;
  /**
   * Gives a key a new secret; the old one keeps working for `overlapMs`. Ends the sessions that were started with the key, except
   * `session`. Null if there is no such key or it is revoked.
   */
  rotate(
    keyId: string,
    how: { overlapMs: number; session?: string },
  ): Promise<{ apiKey: string; oldUntil: number | null } | null>;
  /** Invalidates the secret from before a rotation at once. */
  endOldSecret(keyId: string): Promise<void>;
  /** Changes the label, and whether the holder may sign in. False if no key that may sign in would be left. */
  describe(keyId: string, change: { label?: string | null; manages?: boolean }): Promise<boolean>;
  /** Revokes a key for its owner. False if no key would be left that may sign in. */
  revokeOwn(keyId: string): Promise<boolean>;
  /** Lists the keys of a key's account, oldest first and revoked ones last. */
  ofAccount(keyId: string): Promise<KeyRecord[]>;
  /** Changes the terms of a key; absent ones stay. */
  changeTerms(keyId: string, terms: Partial<KeyTerms>): Promise<boolean>;
  /** Grants credits once for each `ref`. */
  grant(wanted: { keyId: string; credits: number; ref: string }): Promise<GrantResult>;
  revoke(keyId: string): Promise<boolean>;
  /** Newest first. */
  list(limit: number): Promise<KeyRecord[]>;
  /** Finds a key by id or by the key itself. */
  show(idOrKey: string): Promise<KeyRecord | null>;
};

/** Maximum keys listed per account: all that work, and some revoked ones. */
const KEYS_SHOWN_MAX = 4 * KEYS_PER_ACCOUNT_MAX;

export function createKeys(deps: {
  ledgerStore: LedgerStore;
  known: Pick<KnownKeys, 'find'>;
  clock: Clock;
  events: Events;
}): Keys {
  const { ledgerStore, known, clock, events } = deps;
  const issue = async (
    wanted: Pick<ApiKeyTable, 'kind' | 'label' | 'network'> & {
      noStore?: boolean;
      terms?: KeyTerms;
      credits: number;
    },
  ): Promise<IssuedKey | null> => {
    const { credits, ...described } = wanted;
    const { apiKey, record: key } = generateKey({ ...described, at: clock.now() });
    const made = await ledgerStore.run(issueKey, { key, credits, ref: ISSUE_REF + key.id });
    if (!made) return null;
    events.keyIssued(wanted.kind);
    return { keyId: key.id, apiKey, credits };
  };
  return {
    find: known.find,
    async claimFree(address) {
      const network = toFreeKeyNetwork(address);
      const issued = await issue({ kind: 'free', label: null, network, credits: FREE_KEY_CREDITS });
      if (issued === null)
        throw new Failure(
          'free_key_already_issued',
          'A free key has already been issued for your network; buy a pack for more.',
        );
      return issued;
    },
    async create(wanted) {
      const issued = await issue({ ...wanted, kind: 'operator', network: null });
      if (issued === null) throw new Error('an operator key has no network, yet collided with another key');
      return issued;
    },
    ...createOwnerOperations({ ledgerStore, clock, events }),
    grant: (wanted) => ledgerStore.run(grantCredits, { ...wanted, at: clock.now() }),
    changeTerms: (keyId, terms) => ledgerStore.run(changeTerms, { keyId, terms }),
    revoke: (keyId) => ledgerStore.run(revokeKey, { keyId }),
    list: async (limit) =>
      (
        await selectRecords(ledgerStore).orderBy('created_at', 'desc').orderBy('id').limit(limit).execute()
      ).map(toKeyRecord),
    async show(idOrKey) {
      const row = await selectRecords(ledgerStore)
        .where((is) => is.or([is('id', '=', idOrKey), hasSecret(idOrKey, clock.now())(is)]))
        .executeTakeFirst();
      return row === undefined ? null : toKeyRecord(row);
    },
  };
}

type Deps = Omit<Parameters<typeof createKeys>[0], 'known'>;

/** Operations that owners perform on the keys of their account. */
function createOwnerOperations({
  ledgerStore,
  clock,
  events,
}: Deps): Pick<Keys, 'addTo' | 'rotate' | 'endOldSecret' | 'describe' | 'revokeOwn' | 'ofAccount'> {
  return {
    async addTo(of, wanted) {
      const { apiKey, record } = generateKey({ ...wanted, kind: 'paid', network: null, at: clock.now() });
      const { kind: _, ...key } = record;
      const kind = await ledgerStore.run(addKey, { of, key });
      if (kind === null) return null;
      events.keyIssued(kind);
      return { keyId: key.id, apiKey };
    },
    async rotate(keyId, { overlapMs, session = null }) {
      const { apiKey, ...stored } = generateSecret();
      const oldUntil = overlapMs > 0 ? clock.now() + overlapMs : null;
      const rotated = await ledgerStore.run(rotateKey, { keyId, ...stored, oldUntil, session });
      return rotated ? { apiKey, oldUntil } : null;
    },
    endOldSecret: (keyId) => ledgerStore.run(endOldSecret, { keyId }),
    describe: (keyId, change) => ledgerStore.run(describeKey, { keyId, ...change }),
    revokeOwn: (keyId) => ledgerStore.run(revokeOwnKey, { keyId }),
    async ofAccount(keyId) {
      const rows = await selectRecords(ledgerStore)
        .where('account.key_id', '=', selectAccountId(ledgerStore.db, keyId))
        .orderBy(sql`case when state = 'revoked' then 1 else 0 end`)
        .orderBy('created_at')
        .orderBy('id')
        .limit(KEYS_SHOWN_MAX)
        .execute();
      return rows.map(toKeyRecord);
    },
  };
}

/** Matches a key by its secret, or by its old secret while that still works. */
function hasSecret(apiKey: string, now: number) {
  const hash = hashKey(apiKey);
  return (is: ExpressionBuilder<LedgerTables, 'api_key'>) =>
    is.or([is('hash', '=', hash), is.and([is('old_hash', '=', hash), is('old_until', '>', now)])]);
}

function selectRecords({ db }: LedgerStore) {
  return db
    .selectFrom('api_key')
    .innerJoin('account', (on) =>
      on.on('account.key_id', '=', sql<string>`coalesce(api_key.account_id, api_key.id)`),
    )
    .select(['id', 'kind', 'state', 'hint', 'label', 'network', 'no_store', 'account.key_id as account'])
    .select(['per_minute', 'per_day', 'expires_at', 'manages', 'old_until'])
    .select(['created_at', 'available', 'held']);
}

type Row = Awaited<ReturnType<ReturnType<typeof selectRecords>['executeTakeFirstOrThrow']>>;

function toKeyRecord(row: Row): KeyRecord {
  const { no_store, per_minute, per_day, expires_at, created_at, available, ...rest } = row;
  const { manages, old_until: oldUntil, ...described } = rest;
  return {
    ...described,
    noStore: no_store === 1,
    manages: manages === 1,
    oldUntil,
    terms: { perMinute: per_minute, perDay: per_day, expiresAt: expires_at },
    createdAt: created_at,
    credits: available,
  };
}
