import { sql } from 'kysely';
import type { LedgerStore } from './ledger-store.ts';

/** What keeps the books; `weakness` says why it does not keep what it promises, where that is so. */
type LedgerStoreServer = { name: string; weakness: string | null };

/** A PostgreSQL that does not flush promises more than it holds when the power goes (https://www.postgresql.org/docs/15/runtime-config-wal.html). */
export async function ledgerStoreServer({
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
    weakness: off.length === 0 ? null : `${off.join(' and ')} off: a power cut can lose what was paid for`,
  };
}
