import { resolve } from 'node:path';
import type { Log } from '../platform/log.ts';
import { openOrSetAside } from '../platform/store/open-sqlite.ts';
import type { StorePlace, TableStore } from '../platform/store/open-table-store.ts';
import { ConfigError } from './config.ts';

/**
 * Opens a store of tables. On SQLite a damaged file is moved aside, and what it held is lost: it holds no credits. Throws ConfigError with the
 * setting that says where the store is.
 */
export async function openTables<Tables>(
  { dataDir, databaseUrl }: StorePlace,
  store: { what: string; file: string; open(place: StorePlace): Promise<TableStore<Tables>> },
  log: Log,
): Promise<TableStore<Tables>> {
  const open = (): Promise<TableStore<Tables>> => store.open({ dataDir, databaseUrl });
  try {
    if (databaseUrl !== null) return await open();
    return await openOrSetAside(resolve(dataDir, store.file), { open, log });
  } catch (cause) {
    const setting = databaseUrl === null ? 'DATA_DIR' : 'DATABASE_URL';
    const { message } = cause as Error;
    throw new ConfigError(`${setting}: the store of ${store.what} cannot be used: ${message}`, { cause });
  }
}
