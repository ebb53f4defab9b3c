/**
 * The store: one SQLite database in the data folder for the page cache, frontiers, runs and imports. Losing it costs work, not money; keys
 * and credits are in the ledger store. Each table belongs to one folder of the code (tables.ts).
 */

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely, type LogEvent, type Migration, Migrator } from 'kysely';
import * as pageCache from './migrations/0001-page-cache.ts';
import * as frontier from './migrations/0002-frontier.ts';
import * as operatorConsole from './migrations/0003-console.ts';
import * as imports from './migrations/0004-import.ts';
import * as crawlHosts from './migrations/0005-crawl-hosts.ts';
import * as runHolder from './migrations/0006-run-holder.ts';
import { createNodeSqliteDialect } from './node-sqlite-dialect.ts';
import { openSqlite } from './open-sqlite.ts';
import { makePrivateFolder } from './private-files.ts';
import type { Tables } from './tables.ts';

/** Prefixes of folders in the data folder during a restore: with verified files, and with files that are being moved into place. */
export const RESTORE_READY = 'restore.ready-';
export const RESTORE_MOVING = 'restore.moving-';

export type Store = Kysely<Tables>;

/** Migrations in order of application; a released migration is never changed. */
const MIGRATIONS: Record<string, Migration> = {
  '0001-page-cache': pageCache,
  '0002-frontier': frontier,
  '0003-console': operatorConsole,
  '0004-import': imports,
  '0005-crawl-hosts': crawlHosts,
  '0006-run-holder': runHolder,
};

/** Opens the store in `dataDir` (created if absent) and migrates its tables. `log` is called for each statement. */
export async function openStore(dataDir: string, log?: (event: LogEvent) => void): Promise<Store> {
  openDataFolder(dataDir);
  const database = openSqlite(join(dataDir, 'store.db'), { leavesNoTraces: true });
  const store = new Kysely<Tables>({ dialect: createNodeSqliteDialect(database), ...(log && { log }) });
  const migrator = new Migrator({ db: store, provider: { getMigrations: async () => MIGRATIONS } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) {
    await store.destroy();
    throw error;
  }
  return store;
}

/** Creates the data folder if absent. Throws if a restore into it was interrupted, because its files may be of two different states. */
export function openDataFolder(path: string): void {
  makePrivateFolder(path);
  if (findInterruptedRestore(path) === null) return;
  throw new Error(
    'a restore into its folder was interrupted; to finish it, run the same sanderling restore command again',
  );
}

/** Finds the folder of an interrupted restore that had begun to replace files; null if there is none. */
export function findInterruptedRestore(dataDir: string): string | null {
  if (!existsSync(dataDir)) return null;
  const isLeft = (name: string): boolean => name.startsWith(RESTORE_READY) || name.startsWith(RESTORE_MOVING);
  return readdirSync(dataDir).find(isLeft) ?? null;
}
