import { Failure } from '../../contract/errors.ts';
import type { Events } from '../../contract/events.ts';
import type { Clock } from '../../platform/clock.ts';
import type { LedgerStore } from '../../platform/store/ledger/ledger-store.ts';
import type { ApiKeyTable } from '../../platform/store/ledger/ledger-tables.ts';
import { createLedgerPatience } from '../ledger/ledger-patience.ts';
import { freeKeyNetwork } from '../ledger/networks.ts';
import { FREE_KEY_CREDITS } from '../ledger/prices.ts';
import type { KeyLimits, KeyTerms } from '../limits/key-limits.ts';
import { hashOfKey, newKey } from './key-hash.ts';
import { changeTerms, type Granted, grantCredits, ISSUE_REF, issueKey, revokeKey } from './key-procedures.ts';

/** A key as stored, without the secret itself. */
export type KeyRecord = Pick<ApiKeyTable, 'id' | 'kind' | 'state' | 'hint' | 'label' | 'network'> & {
  noStore: boolean;
  terms: KeyTerms;
  createdAt: number;
  credits: number;
  held: number;
};

/** A key that may call. */
export type FoundKey = {
  keyId: string;
  /** Nothing that its calls read is kept for other callers. */
  noStore: boolean;
  /** Absent: the key has none. */
  limits?: KeyLimits;
};

type IssuedKey = { keyId: string; apiKey: string; credits: number };

export type Keys = {
  /**
   * A key that is not revoked, or null. Throws `Failure('expired_api_key')`, and `StoreUnavailable` if the ledger store does not
   * answer in time.
   */
  find(apiKey: string): Promise<FoundKey | null>;
  /** Issues a free key. Throws `Failure('free_key_already_issued')` if the address's network has one. */
  claimFree(address: string): Promise<IssuedKey>;
  /** Issues a key of the operator's. */
  create(wanted: {
    credits: number;
    label: string | null;
    noStore?: boolean;
    terms?: KeyTerms;
  }): Promise<IssuedKey>;
  /** Changes the terms of a key; absent ones stay. */
  changeTerms(keyId: string, terms: Partial<KeyTerms>): Promise<boolean>;
  /** Grants credits once for each `ref`. */
  grant(wanted: { keyId: string; credits: number; ref: string }): Promise<Granted>;
  revoke(keyId: string): Promise<boolean>;
  /** Newest first. */
  list(limit: number): Promise<KeyRecord[]>;
  /** Finds a key by id or by the key itself. */
  show(idOrKey: string): Promise<KeyRecord | null>;
};

export function createKeys(deps: { ledgerStore: LedgerStore; clock: Clock; events: Events }): Keys {
  const { ledgerStore, clock, events } = deps;
  const issue = async (
    wanted: Pick<ApiKeyTable, 'kind' | 'label' | 'network'> & {
      noStore?: boolean;
      terms?: KeyTerms;
      credits: number;
    },
  ): Promise<IssuedKey | null> => {
    const { credits, ...described } = wanted;
    const { apiKey, record: key } = newKey({ ...described, at: clock.now() });
    const made = await ledgerStore.run(issueKey, { key, credits, ref: ISSUE_REF + key.id });
    if (!made) return null;
    events.keyIssued(wanted.kind);
    return { keyId: key.id, apiKey, credits };
  };
  return {
    async find(apiKey) {
      const row = await createLedgerPatience()(
        ledgerStore.db
          .selectFrom('api_key')
          .select(['id as keyId', 'no_store', 'per_minute', 'per_day', 'expires_at'])
          .where('hash', '=', hashOfKey(apiKey))
          .where('state', '!=', 'revoked')
          .executeTakeFirst(),
      );
      return row === undefined ? null : foundKeyOf(row, clock.now());
    },
    async claimFree(address) {
      const network = freeKeyNetwork(address);
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
    grant: (wanted) => ledgerStore.run(grantCredits, { ...wanted, at: clock.now() }),
    changeTerms: (keyId, terms) => ledgerStore.run(changeTerms, { keyId, terms }),
    revoke: (keyId) => ledgerStore.run(revokeKey, { keyId }),
    list: async (limit) =>
      (await records(ledgerStore).orderBy('created_at', 'desc').orderBy('id').limit(limit).execute()).map(
        recordOf,
      ),
    async show(idOrKey) {
      const row = await records(ledgerStore)
        .where((is) => is.or([is('id', '=', idOrKey), is('hash', '=', hashOfKey(idOrKey))]))
        .executeTakeFirst();
      return row === undefined ? null : recordOf(row);
    },
  };
}

function records({ db }: LedgerStore) {
  return db
    .selectFrom('api_key')
    .innerJoin('account', 'account.key_id', 'api_key.id')
    .select(['id', 'kind', 'state', 'hint', 'label', 'network', 'no_store'])
    .select(['per_minute', 'per_day', 'expires_at'])
    .select(['created_at', 'available', 'held']);
}

type Row = Awaited<ReturnType<ReturnType<typeof records>['executeTakeFirstOrThrow']>>;

function recordOf(row: Row): KeyRecord {
  const { no_store, per_minute, per_day, expires_at, created_at, available, ...described } = row;
  return {
    ...described,
    noStore: no_store === 1,
    terms: { perMinute: per_minute, perDay: per_day, expiresAt: expires_at },
    createdAt: created_at,
    credits: available,
  };
}

type FoundRow = Pick<ApiKeyTable, 'no_store' | 'per_minute' | 'per_day' | 'expires_at'> & { keyId: string };

function foundKeyOf(row: FoundRow, now: number): FoundKey {
  const { keyId, no_store, per_minute: perMinute, per_day: perDay, expires_at: expiresAt } = row;
  if (expiresAt !== null && expiresAt <= now)
    throw new Failure('expired_api_key', `This API key expired at ${new Date(expiresAt).toISOString()}.`);
  const isLimited = perMinute !== null || perDay !== null;
  return { keyId, noStore: no_store === 1, ...(isLimited ? { limits: { perMinute, perDay } } : {}) };
}
