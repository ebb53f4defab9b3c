import { resolve } from 'node:path';
import { StoreUnavailable } from '../contract/errors.ts';
import type { LedgerStore } from '../platform/store/ledger/ledger-store.ts';
import { openLedgerStore } from '../platform/store/ledger/open-ledger-store.ts';
import { type Config, ConfigError } from './config.ts';

type Place = Pick<Config, 'dataDir' | 'databaseUrl'>;

/** Opens the ledger store of the settings. Throws a ConfigError of one line if it cannot be used. */
export async function openLedgerStoreOf(
  place: Place,
  options: { statementMs?: number } = {},
): Promise<LedgerStore> {
  try {
    return await openLedgerStore(place, options);
  } catch (error) {
    throw createUnusableStoreError(place, error);
  }
}

/** The error of one line of a store that cannot be opened, without its password. */
export function createUnusableStoreError(place: Place, cause: unknown): ConfigError {
  const setting = place.databaseUrl === null ? 'DATA_DIR' : 'DATABASE_URL';
  return new ConfigError(`${setting}: ${describeLedgerPlace(place)} cannot be used: ${findReason(cause)}`, {
    cause,
  });
}

/** Where the ledger is, without the password that the address may contain. */
export function describeLedgerPlace({ dataDir, databaseUrl }: Place): string {
  if (databaseUrl === null) return resolve(dataDir, 'books.db');
  const { host, pathname } = new URL(databaseUrl);
  return `database ${pathname.slice(1)} at ${host}`;
}

/** A host with several addresses fails with one error for each, inside an error without a message. */
function findReason(error: unknown): string {
  if (error instanceof StoreUnavailable) return findReason(error.cause);
  if (error instanceof AggregateError) return error.errors.map(findReason).join(', ');
  return error instanceof Error ? error.message : String(error);
}
