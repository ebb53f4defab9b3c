import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { openDataFolder } from '../data-folder.ts';
import { JOBS_FILE } from '../jobs/open-job-store.ts';
import type { LedgerStore } from './ledger-store.ts';
import { openSqliteLedgerStore } from './sqlite-ledger-store.ts';

/**
 * Opens PostgreSQL if there is a URL, else SQLite in `dataDir` (created if absent), and migrates the tables under a lock.
 * PostgreSQL cancels statements that take longer than `statementMs`.
 */
export async function openLedgerStore(
  place: { dataDir: string; databaseUrl: string | null },
  options: { statementMs?: number } = {},
): Promise<LedgerStore> {
  if (place.databaseUrl !== null) {
    // Imported on demand: its driver takes memory that SQLite does not need.
    const { openPostgresLedgerStore } = await import('./postgres-ledger-store.ts');
    return openPostgresLedgerStore(place.databaseUrl, options);
  }
  openDataFolder(place.dataDir);
  assertLedgerIsThere(place.dataDir);
  return openSqliteLedgerStore(join(place.dataDir, LEDGER_FILE));
}

const LEDGER_FILE = 'books.db';
/** Files that a server creates only after opening its ledger. */
const BESIDE_LEDGER = ['books.mark', JOBS_FILE];

/** Throws if the ledger is missing from a used folder: a partly restored one would start with an empty ledger, without keys or credits. */
function assertLedgerIsThere(dataDir: string): void {
  if (existsSync(join(dataDir, LEDGER_FILE))) return;
  const left = BESIDE_LEDGER.filter((name) => existsSync(join(dataDir, name)));
  if (left.length === 0) return;
  const names = left.join(' and ');
  throw new Error(
    `${LEDGER_FILE} is missing, although ${names} of a server that had a ledger ${left.length === 1 ? 'is' : 'are'} there. Restore the whole folder (sanderling restore), or, to begin with an empty ledger, remove ${names} too`,
  );
}

/** The database behind a ledger store; `weakness` says which promise its settings break, if any. */
type LedgerStoreServer = { name: string; weakness: string | null };

/**
 * Describes the database. PostgreSQL without flushes can lose commits in a power cut
 * (https://www.postgresql.org/docs/15/runtime-config-wal.html).
 */
export async function describeLedgerServer({
  dialect,
  db,
}: Pick<LedgerStore, 'dialect' | 'db'>): Promise<LedgerStoreServer> {
  if (dialect === 'sqlite') {
    const { rows } = await sql<{ version: string }>`select sqlite_version() as version`.execute(db);
    return { name: `SQLite ${rows[0]?.version}`, weakness: null };
  }
  const { rows } = await sql<{ version: string; fsync: string; pages: string }>`
    select current_setting('server_version') as version, current_setting('fsync') as fsync,
      current_setting('full_page_writes') as pages`.execute(db);
  const off = [rows[0]?.fsync === 'off' && 'fsync', rows[0]?.pages === 'off' && 'full_page_writes'].filter(
    (name) => name !== false,
  );
  return {
    name: `PostgreSQL ${rows[0]?.version.split(' ')[0]}`,
    weakness: off.length === 0 ? null : `${off.join(' and ')} off: a power cut can lose paid credits`,
  };
}
