import type { IncomingHttpHeaders } from 'node:http';
import { type FoundKey, hashKey } from '../../billing/keys/known-keys.ts';
import { toAllowanceAddress } from '../../billing/ledger/address-prefixes.ts';
import { Failure } from '../../contract/errors.ts';
import type { Tenant } from '../../platform/fairness/fair-queue.ts';
import type { Call, Caller, JsonObject, KnownCaller } from './call.ts';
import { createValidationFailure } from './json-body.ts';
import type { Terms } from './operation.ts';

/** Looks up a key; resolves to null if it is unknown. */
export type FindKey = (key: string) => Promise<FoundKey | null>;

/** Rules for identifying callers. */
export type CallerRules = {
  findKey: FindKey;
  /** Returns true if callers from an address are neither counted nor charged. */
  isUnmetered(address: string): boolean;
  /** Null: there are no keys and nobody is metered. */
  terms: Terms | null;
};

type Credentials = {
  headers: IncomingHttpHeaders;
  /** The parameter `:key` of the path. */
  pathKey?: string | undefined;
  body: JsonObject;
  address: string;
};

/**
 * Identifies the caller of a call, marked if its network is unmetered. Keys are ignored on services without keys. Throws
 * `Failure('invalid_api_key')`.
 */
export async function identifyCaller(presented: Credentials, rules: CallerRules): Promise<Caller> {
  const { address } = presented;
  if (rules.terms === null) return { kind: 'unmetered', payer: { kind: 'keyless', address } };
  const payer = await authenticatePayer(presented, rules.findKey);
  return rules.isUnmetered(address) ? { kind: 'unmetered', payer } : payer;
}

/**
 * Uses the first real key among `Authorization`, `x-api-key`, `X-Subscription-Token`, the path and the body's `api_key`; never falls back
 * to a later one. Throws `Failure('invalid_api_key')` if that key is unknown.
 */
async function authenticatePayer(presented: Credentials, findKey: FindKey): Promise<KnownCaller> {
  const key = findFirstKey(presented);
  if (key === null) return { kind: 'keyless', address: presented.address };
  const found = await findKey(key);
  if (found === null) throw new Failure('invalid_api_key', 'This API key is unknown.');
  return { kind: 'key', ...found };
}

/** Each key is a tenant; keyless callers share one tenant per network. */
export function toTenant(caller: Caller): Tenant {
  const payer = findPayer(caller);
  return payer.kind === 'key' ? `key ${payer.keyId}` : `network ${toAllowanceAddress(payer.address)}`;
}

/**
 * Identifies the owner of `what` stays after a call, who has to be told apart from others: only where nothing is metered is that the
 * network. Throws `Failure('invalid_api_key')`.
 */
export function resolveOwner(
  { caller, tenant }: Pick<Call, 'caller' | 'tenant'>,
  what: string,
): { owner: string; keyId: string | null } {
  if (caller.kind === 'keyless')
    throw new Failure('invalid_api_key', `${what} need an API key.`, { keyMissing: true });
  return { owner: tenant ?? '', keyId: caller.kind === 'key' ? caller.keyId : null };
}

/** Returns the payer, disregarding that the caller's network may be unmetered. */
export function findPayer(caller: Caller): KnownCaller {
  return caller.kind === 'unmetered' ? caller.payer : caller;
}

/** On any request: nothing it reads is kept for other callers. */
export const NO_STORE_HEADER = 'X-No-Store';

/** Returns false if the caller's key or the header forbids keeping pages for other callers. */
export function mayKeep(caller: Caller, headers: IncomingHttpHeaders): boolean {
  const known = findPayer(caller);
  if (known.kind === 'key' && known.noStore) return false;
  const written = headers[NO_STORE_HEADER.toLowerCase()];
  return written === undefined || /^(?:0|false|no|off)?$/i.test(String(written).trim());
}

/** Identifies a caller by its credentials before the key is looked up. The name does not reveal the key. */
export function identifySender({ headers, address }: Omit<Credentials, 'body'>): string {
  const key = findFirstKey({ headers, body: {}, address });
  return key === null ? `network ${toAllowanceAddress(address)}` : `key ${hashKey(key)}`;
}

/** Returns whether a request has a key in its headers, known or not. */
export function hasKey(headers: IncomingHttpHeaders): boolean {
  return findFirstKey({ headers, body: {}, address: '' }) !== null;
}

/** Authenticates calls reserved to a key's owner: requires the key in a header, else throws `Failure('invalid_api_key')`. */
export async function authenticateKeyOwner(
  presented: Omit<Credentials, 'body'>,
  findKey: FindKey,
): Promise<Caller & { kind: 'key' }> {
  const caller = await authenticatePayer({ ...presented, body: {} }, findKey);
  if (caller.kind === 'key') return caller;
  throw new Failure(
    'invalid_api_key',
    'Send the API key in a header: "Authorization: Bearer <key>" or "x-api-key: <key>".',
  );
}

/** Header in which clients of Brave's shape send the key. */
const BRAVE_KEY_HEADER = 'x-subscription-token';

function findFirstKey({ headers, pathKey, body }: Credentials): string | null {
  const inBody = body.api_key ?? '';
  if (typeof inBody !== 'string')
    throw createValidationFailure([{ field: 'api_key', message: 'must be a string' }]);
  return (
    parseKey(readAuthorizationToken(headers) ?? '') ??
    parseKey(readSoleValue(headers['x-api-key'])) ??
    parseKey(readSoleValue(headers[BRAVE_KEY_HEADER])) ??
    parseKey(pathKey ?? '') ??
    parseKey(inBody)
  );
}

const readSoleValue = (header: string | string[] | undefined): string =>
  Array.isArray(header) ? '' : (header ?? '');

/** Returns the token of `Authorization: Bearer <token>` or a bare `Authorization: <token>`; null for other schemes. */
export function readAuthorizationToken({ authorization }: IncomingHttpHeaders): string | null {
  const words = (authorization ?? '').trim().split(/\s+/);
  const isBearer = words[0]?.toLowerCase() === 'bearer';
  if (isBearer) return words.slice(1).join(' ');
  return words.length === 1 ? (words[0] ?? null) : null;
}

/** Returns null for an empty value and the word `keyless`: many client libraries refuse to start without a key. */
function parseKey(value: string): string | null {
  const key = value.trim();
  return key === '' || key.toLowerCase() === 'keyless' ? null : key;
}
