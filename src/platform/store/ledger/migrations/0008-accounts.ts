import { type Kysely, sql } from 'kysely';

/**
 * Lets several keys draw on one account, counts usage by key and route, and lets owners sign in. Each existing key has its own account,
 * which a null `account_id` means, so only the rows of `usage_day` are rewritten.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [table, column, type] of [
    ['api_key', 'account_id', 'text'],
    ['api_key', 'old_hash', 'text'],
    ['api_key', 'old_until', 'bigint'],
    ['account', 'card_brand', 'text'],
    ['account', 'card_last4', 'text'],
    ['hold', 'spent_by', 'text'],
    ['hold', 'endpoint', 'text'],
    ['entry', 'spent_by', 'text'],
    ['entry', 'endpoint', 'text'],
  ] as const)
    await db.schema.alterTable(table).addColumn(column, type).execute();
  for (const [table, column, standard] of [
    ['api_key', 'manages', 1],
    ['checkout', 'recovery_tries', 0],
  ] as const)
    await db.schema
      .alterTable(table)
      .addColumn(column, 'integer', (definition) => definition.notNull().defaultTo(standard))
      .execute();
  await sql`create index api_key_of_account on api_key (account_id) where account_id is not null`.execute(db);
  await sql`create unique index api_key_rotated on api_key (old_hash) where old_hash is not null`.execute(db);
  for (const table of ['checkout', 'purchase'])
    await db.schema.createIndex(`${table}_of_account`).on(table).columns(['key_id', 'created_at']).execute();
  await divideUsageDays(db);
  await createSessions(db);
}

/** Recreates the table, because SQLite cannot change a primary key in place. */
async function divideUsageDays(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('usage_day').renameTo('usage_day_undivided').execute();
  await db.schema
    .createTable('usage_day')
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('credits', 'bigint', (column) => column.notNull())
    .addColumn('spent_by', 'text', (column) => column.notNull().defaultTo(''))
    .addColumn('endpoint', 'text', (column) => column.notNull().defaultTo(''))
    .addColumn('calls', 'bigint', (column) => column.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('usage_day_of_endpoint', ['key_id', 'day', 'spent_by', 'endpoint'])
    .execute();
  await sql`insert into usage_day (key_id, day, credits) select key_id, day, credits from usage_day_undivided`.execute(
    db,
  );
  await db.schema.dropTable('usage_day_undivided').execute();
}

async function createSessions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('session')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('signed_in_with', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('session_of_account').on('session').column('key_id').execute();
}
