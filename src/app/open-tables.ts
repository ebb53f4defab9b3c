import { resolve } from 'node:path';
import { createLazyLoader } from '../platform/lazy.ts';
import type { Log } from '../platform/log.ts';
import {
  MONITORS_FILE,
  type MonitorStore,
  openMonitorStore,
} from '../platform/store/monitors/open-monitor-store.ts';
import { openOrSetAside } from '../platform/store/open-sqlite.ts';
import type { StorePlace, TableStore } from '../platform/store/open-table-store.ts';
import { type Config, ConfigError } from './config.ts';
import type { Teardown } from './teardown.ts';

export type OpenMonitorTables = () => Promise<MonitorStore>;

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

/** Opens the store of monitors on its first use: a command that only deletes pages need not know whether there are any. */
export function openMonitorTables(
  config: Pick<Config, 'dataDir' | 'databaseUrl'>,
  { log, teardown }: { log: Log; teardown: Teardown },
): OpenMonitorTables {
  let isOpened = false;
  teardown.add(async () => {
    if (isOpened) await (await open()).close();
  });
  const open = createLazyLoader(() => {
    isOpened = true;
    return openTables(config, { what: 'monitors', file: MONITORS_FILE, open: openMonitorStore }, log);
  });
  return open;
}
