import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Failure } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ApiKeyTable } from '../../platform/store/ledger/ledger-tables.ts';
import type { LedgerStore } from '../../platform/store/ledger/procedure.ts';
import { createLedgerTimeout } from '../ledger/meter.ts';
import { type KeyLimits, type KeyTerms, NO_TERMS } from '../limits/key-limits.ts';

/** Prefix of every key. Scanners that search public code for secrets recognise it too. */
const KEY_PREFIX = 'sdl_';
const KEY_BYTES = 32;
const HINT_CHARS = 10;

/** An API key that may make calls. */
export type FoundKey = {
  keyId: string;
  /** Pages that its calls read are not kept for other callers. */
  noStore: boolean;
  /** Absent: the key has none. */
  limits?: KeyLimits;
  /** Set: the key may only make calls, not change what its account spends by itself. */
  onlyCalls?: true;
};

/** In-memory cache of the keys that make calls. */
export type KnownKeys = {
  /**
   * Finds a key that is not revoked, or null. Throws `Failure('expired_api_key')`, and `StoreUnavailable` if the ledger store does
   * not answer in time.
   */
  find(apiKey: string): Promise<FoundKey | null>;
  /** Clears the cache, because this process may have changed a key. */
  forget(): void;
};

const KNOWN_KEYS_MAX = 10_000;
/** Time for which cached keys are trusted after the key version was read; changes by other processes show within this time. */
const TRUSTED_MS = 1_000;
/** Age of the version at which it is read again in the background, while cached keys are still used. */
const CONFIRM_AFTER_MS = 500;

/** Looks up keys, and caches those that were found until the version of all keys changes. */
export function createKnownKeys({
  ledgerStore,
  clock,
}: {
  ledgerStore: Pick<LedgerStore, 'db'>;
  clock: Clock;
}): KnownKeys {
  const known = new LRUCache<string, KeyRow>({ max: KNOWN_KEYS_MAX });
  let version: number | null = null;
  /** When the last read of the version started. */
  let readAt = 0;
  let reading: Promise<void> | null = null;
  /** Number of times the cache was cleared: a row that was read before a clear is not cached after it. */
  let drops = 0;
  const forget = (): void => {
    drops += 1;
    known.clear();
  };
  const readVersion = async (): Promise<void> => {
    const begun = clock.now();
    const row = await ledgerStore.db.selectFrom('key_version').select('version').executeTakeFirstOrThrow();
    if (row.version !== version) forget();
    version = row.version;
    readAt = begun;
  };
  const confirm = (): Promise<void> => {
    reading ??= readVersion().finally(() => {
      reading = null;
    });
    return reading;
  };
  const findCachedRow = (hash: string): KeyRow | null => {
    const age = clock.now() - readAt;
    if (version === null || age < 0 || age >= TRUSTED_MS) return null;
    // If that fails, cached keys are used until they are no longer trusted.
    if (age >= CONFIRM_AFTER_MS) confirm().catch(() => {});
    return known.get(hash) ?? null;
  };
  const readRow = async (hash: string): Promise<KeyRow | null> => {
    const before = drops;
    const [row = null] = await Promise.all([readKeyRow(ledgerStore, hash), confirm()]);
    if (row !== null && before === drops) known.set(hash, row);
    return row;
  };
  return {
    async find(apiKey) {
      const hash = hashKey(apiKey);
      const row = findCachedRow(hash) ?? (await createLedgerTimeout()(readRow(hash)));
      return row === null ? null : toFoundKey(row, { hash, now: clock.now() });
    },
    forget,
  };
}

type KeyRow = Pick<ApiKeyTable, 'no_store' | 'per_minute' | 'per_day' | 'expires_at' | 'manages'> &
  Pick<ApiKeyTable, 'hash' | 'old_until'> & { keyId: string };

function readKeyRow(store: Pick<LedgerStore, 'db'>, hash: string): Promise<KeyRow | undefined> {
  return selectCallingKey(store)
    .where((is) => is.or([is('hash', '=', hash), is('old_hash', '=', hash)]))
    .executeTakeFirst();
}

/** Selects keys that are not revoked, with what their calls need. */
export function selectCallingKey({ db }: Pick<LedgerStore, 'db'>) {
  return db
    .selectFrom('api_key')
    .select(['api_key.id as keyId', 'no_store', 'per_minute', 'per_day', 'expires_at', 'manages'])
    .select(['hash', 'old_until'])
    .where('state', '!=', 'revoked');
}

/** Checks a cached row again, because it may have expired, or its old secret may have ended. */
function toFoundKey(row: KeyRow, { hash, now }: { hash: string; now: number }): FoundKey | null {
  if (row.hash !== hash && (row.old_until ?? 0) <= now) return null;
  return toCallingKey(row, now);
}

/** Throws `Failure('expired_api_key')`. */
export function toCallingKey(row: KeyRow, now: number): FoundKey {
  const { keyId, no_store, per_minute: perMinute, per_day: perDay, expires_at: expiresAt } = row;
  if (expiresAt !== null && expiresAt <= now)
    throw new Failure('expired_api_key', `This API key expired at ${new Date(expiresAt).toISOString()}.`);
  const isLimited = perMinute !== null || perDay !== null;
  return {
    keyId,
    noStore: no_store === 1,
    ...(isLimited ? { limits: { perMinute, perDay } } : {}),
    ...(row.manages === 1 ? {} : { onlyCalls: true }),
  };
}

/** Creates a random key and the row to store for it. */
export function generateKey(
  described: Pick<ApiKeyTable, 'kind' | 'label' | 'network'> & {
    noStore?: boolean;
    terms?: KeyTerms;
    /** Whether the holder may sign in and manage the account; true by default. */
    manages?: boolean;
    at: number;
  },
): {
  apiKey: string;
  record: Omit<ApiKeyTable, 'state'>;
} {
  const { at, noStore = false, terms = NO_TERMS, manages = true, ...rest } = described;
  const { apiKey, hash, hint } = generateSecret();
  const record = {
    ...rest,
    id: `key_${randomBytes(12).toString('hex')}`,
    hash,
    hint,
    account_id: null,
    old_hash: null,
    old_until: null,
    manages: manages ? 1 : 0,
    no_store: noStore ? 1 : 0,
    per_minute: terms.perMinute,
    per_day: terms.perDay,
    expires_at: terms.expiresAt,
    created_at: at,
  };
  return { apiKey, record };
}

/** Generates a random key with its hash and hint, which are all that is stored of it. */
export function generateSecret(): { apiKey: string; hash: string; hint: string } {
  const apiKey = KEY_PREFIX + randomBytes(KEY_BYTES).toString('base64url');
  return { apiKey, hash: hashKey(apiKey), hint: apiKey.slice(0, HINT_CHARS) };
}

/** SHA-256 in hex; a key has 256 random bits, so no slow hash is needed. */
export function hashKey(apiKey: string): string {
  return hash('sha256', apiKey);
}
