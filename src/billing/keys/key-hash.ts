import { createHash, randomBytes } from 'node:crypto';
import type { ApiKeyTable } from '../../platform/store/ledger/ledger-tables.ts';
import { type KeyTerms, NO_TERMS } from '../limits/key-limits.ts';

/** Marks a key, also for scanners that search public code for secrets. */
const KEY_PREFIX = 'sdl_';
const KEY_BYTES = 32;
const HINT_CHARS = 10;

/** Creates a random key and the row to store for it. */
export function newKey(
  described: Pick<ApiKeyTable, 'kind' | 'label' | 'network'> & {
    noStore?: boolean;
    terms?: KeyTerms;
    at: number;
  },
): {
  apiKey: string;
  record: Omit<ApiKeyTable, 'state'>;
} {
  const { at, noStore = false, terms = NO_TERMS, ...rest } = described;
  const apiKey = KEY_PREFIX + randomBytes(KEY_BYTES).toString('base64url');
  const record = {
    ...rest,
    id: `key_${randomBytes(12).toString('hex')}`,
    hash: hashOfKey(apiKey),
    hint: apiKey.slice(0, HINT_CHARS),
    no_store: noStore ? 1 : 0,
    per_minute: terms.perMinute,
    per_day: terms.perDay,
    expires_at: terms.expiresAt,
    created_at: at,
  };
  return { apiKey, record };
}

/** SHA-256 in hex; a key has 256 random bits, so no slow hash is needed. */
export function hashOfKey(apiKey: string): string {
  return createHash('sha256').update(apiKey).digest('hex');
}
