import { resolve } from 'node:path';
import { StoreUnavailable } from '../contract/errors.ts';
import type { LedgerStore } from '../platform/store/ledger/ledger-store.ts';
import { openLedgerStore } from '../platform/store/ledger/open-ledger-store.ts';
import { type Config, ConfigError } from './config.ts';

type Place = Pick<Config, 'dataDir' | 'databaseUrl'>;

/** The books that the settings name. Throws a ConfigError of one line when they cannot be used. */
export async function openLedgerStoreOf(
  place: Place,
  how: { statementMs?: number } = {},
): Promise<LedgerStore> {
  try {
    return await openLedgerStore(place, how);
  } catch (error) {
    const setting = place.databaseUrl === null ? 'DATA_DIR' : 'DATABASE_URL';
    throw new ConfigError(`${setting}: ${ledgerStorePlace(place)} cannot be used: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

/** Where the books are, without the password that may stand in the address. */
export function ledgerStorePlace({ dataDir, databaseUrl }: Place): string {
  if (databaseUrl === null) return resolve(dataDir, 'books.db');
  const { host, pathname } = new URL(databaseUrl);
  return `database ${pathname.slice(1)} at ${host}`;
}

/** A host that has several addresses fails with one error for each, and no words of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof StoreUnavailable) return reasonOf(error.cause);
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}
