import { hash, randomBytes } from 'node:crypto';
import type { ApiKeyTable } from '../../platform/store/ledger/ledger-tables.ts';
import { type KeyTerms, NO_TERMS } from '../limits/key-limits.ts';

/** Marks a key, also for scanners that search public code for secrets. */
const KEY_PREFIX = 'sdl_';
const KEY_BYTES = 32;
const HINT_CHARS = 10;

/** Creates a random key and the row to store for it. */
export function generateKey(
  described: Pick<ApiKeyTable, 'kind' | 'label' | 'network'> & {
    noStore?: boolean;
    terms?: KeyTerms;
    /** Whether whoever has it may sign in; yes unless said otherwise. */
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

/** A random key with what is stored of it. */
export function generateSecret(): { apiKey: string; hash: string; hint: string } {
  const apiKey = KEY_PREFIX + randomBytes(KEY_BYTES).toString('base64url');
  return { apiKey, hash: hashKey(apiKey), hint: apiKey.slice(0, HINT_CHARS) };
}

/** SHA-256 in hex; a key has 256 random bits, so no slow hash is needed. */
export function hashKey(apiKey: string): string {
  return hash('sha256', apiKey);
}
