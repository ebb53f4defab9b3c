import { type Kysely, type Migration, Migrator, sql } from 'kysely';
import type { LedgerTables } from './ledger-tables.ts';
import * as ledger from './migrations/0001-ledger.ts';
import * as payments from './migrations/0002-payments.ts';
import * as sandbox from './migrations/0003-sandbox.ts';
import * as ownerCap from './migrations/0004-owner-cap.ts';
import * as noStoreKeys from './migrations/0005-no-store-keys.ts';
import * as keyLimits from './migrations/0006-key-limits.ts';
import * as dailyEntries from './migrations/0007-daily-entries.ts';
import * as accounts from './migrations/0008-accounts.ts';
import * as keyVersion from './migrations/0009-key-version.ts';

/** Migrations in order of application; a released migration is never changed. */
const MIGRATIONS: Record<string, Migration> = {
  '0001-ledger': ledger,
  '0002-payments': payments,
  '0003-sandbox': sandbox,
  '0004-owner-cap': ownerCap,
  '0005-no-store-keys': noStoreKeys,
  '0006-key-limits': keyLimits,
  '0007-daily-entries': dailyEntries,
  '0008-accounts': accounts,
  '0009-key-version': keyVersion,
  '0010-card-checkout': { up: addCardCheckout },
  '0011-aftermath': { up: addRefundDisputeCount },
};

/** Records which checkout saved the card, and so whose card it is. Unknown for earlier cards, which only a signed-in owner can change. */
async function addCardCheckout(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('account').addColumn('card_checkout', 'text').execute();
}

/** Counts the refunds and disputes of a sale, to recognise late messages, and indexes accounts that owe credits. */
async function addRefundDisputeCount(db: Kysely<unknown>): Promise<void> {
  for (const table of ['checkout', 'purchase']) {
    await db.schema
      .alterTable(table)
      .addColumn('aftermath', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
    const changed = sql`clawed_back > 0 or dispute <> 'none'`;
    await sql`update ${sql.table(table)} set aftermath = 1 where ${changed}`.execute(db);
  }
  await sql`create index account_owing on account (key_id) where debt > 0`.execute(db);
}

/** Migrates the tables, once even if several processes start together. */
export async function migrateLedgerStore(db: Kysely<LedgerTables>): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => MIGRATIONS },
    migrationTableName: 'books_migration',
    migrationLockTableName: 'books_migration_lock',
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}
