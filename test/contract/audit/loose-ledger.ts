import { join } from 'node:path';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { createAudit, type Finding } from '../../../src/billing/audit/audit.ts';
import type { LedgerTables } from '../../../src/platform/store/ledger/ledger-tables.ts';
import type { LedgerStore } from '../../../src/platform/store/ledger/procedure.ts';
import { createNodeSqliteDialect } from '../../../src/platform/store/node-sqlite-dialect.ts';
import { openSqlite } from '../../../src/platform/store/open-sqlite.ts';

/** A connection to a ledger store that may write anything. */
export function openLoosely(dataDir: string, databaseUrl: string | null): Kysely<LedgerTables> {
  if (databaseUrl === null)
    return new Kysely({ dialect: createNodeSqliteDialect(openSqlite(join(dataDir, 'books.db'))) });
  const types: pg.CustomTypesConfig = {
    // biome-ignore lint/suspicious/noExplicitAny: the driver's own type
    getTypeParser: (oid: number): any =>
      oid === 20 || oid === 1700 ? Number : pg.types.getTypeParser(oid, 'text'),
  };
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1, types });
  // The database is dropped while the last connection may still be closing.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return new Kysely({ dialect: new PostgresDialect({ pool }) });
}

/** Removes the checks, keys and indexes of the tables, so that broken rows can be written. */
export async function loosen(db: Kysely<LedgerTables>): Promise<void> {
  for (const table of ['hold', 'entry', 'usage_day', 'account', 'api_key']) {
    await sql`alter table ${sql.table(table)} rename to ${sql.table(`tight_${table}`)}`.execute(db);
    await sql`create table ${sql.table(table)} as select * from ${sql.table(`tight_${table}`)}`.execute(db);
  }
}

/** The findings after some statements, which are then rolled back. */
export async function auditOfBroken(
  db: Kysely<LedgerTables>,
  dialect: LedgerStore['dialect'],
  statements: string,
): Promise<Finding[]> {
  const transaction = await db.startTransaction().execute();
  try {
    for (const statement of statements.split(';')) await sql.raw(statement).execute(transaction);
    const snapshot: LedgerStore['snapshot'] = (read) => read(transaction);
    return await createAudit({ ledgerStore: { dialect, snapshot, findDamage: async () => [] } })();
  } finally {
    await transaction.rollback().execute();
  }
}
