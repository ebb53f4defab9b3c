import { type Kysely, type Migration, Migrator, PostgresAdapter, sql } from 'kysely';
import type { LedgerTables } from './ledger-tables.ts';

/** Migrations in order of application; a released migration is never changed. */
const MIGRATIONS: Record<string, Migration> = {
  '0001-ledger': { up: createLedgerTables },
  '0002-payments': { up: addPayments },
  '0003-sandbox': { up: addSandbox },
  '0004-owner-cap': { up: addOwnerCap },
  '0005-no-store-keys': { up: addNoStoreKeys },
  '0006-key-limits': { up: addKeyLimits },
  '0007-daily-entries': { up: addDailyEntries },
  '0008-accounts': { up: addAccounts },
  '0009-key-version': { up: addKeyVersion },
  '0010-card-checkout': { up: addCardCheckout },
  '0011-aftermath': { up: addRefundDisputeCount },
  '0012-idempotent-calls': { up: addIdempotentCalls },
  '0013-disputed-credits': { up: addDisputedCredits },
  '0014-app-grants': { up: addAppGrants },
};

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

/** Creates the ledger. Holds and entries have no foreign key: its check would lock the row of a busy key once more for every call. */
async function createLedgerTables(db: Kysely<unknown>): Promise<void> {
  await createKeys(db);
  await db.schema
    .createTable('hold')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('amount', 'bigint', (column) => column.notNull().check(sql`amount > 0`))
    .addColumn('used', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addCheckConstraint('hold_within_amount', sql`used >= 0 and used <= amount`)
    .execute();
  await db.schema
    .createIndex('hold_open')
    .on('hold')
    .column('expires_at')
    .where(sql.ref('state'), '=', sql.lit('held'))
    .execute();
  await db.schema
    .createTable('entry')
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('version', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('contra', 'text', (column) => column.notNull())
    .addColumn('ref', 'text', (column) => column.notNull())
    .addColumn('delta', 'bigint', (column) => column.notNull())
    .addColumn('balance', 'bigint', (column) => column.notNull().check(sql`balance >= 0`))
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('entry_in_order', ['key_id', 'version'])
    .addUniqueConstraint('entry_once', ['kind', 'ref'])
    .execute();
  await createCounters(db);
}

async function createKeys(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('api_key')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('hint', 'text', (column) => column.notNull())
    .addColumn('label', 'text')
    .addColumn('network', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  // Rows without a network never collide: only free keys have one.
  await db.schema.createIndex('api_key_one_per_network').on('api_key').column('network').unique().execute();
  await db.schema
    .createTable('account')
    .addColumn('key_id', 'text', (column) => column.primaryKey().references('api_key.id'))
    .addColumn('available', 'bigint', (column) => column.notNull().check(sql`available >= 0`))
    .addColumn('held', 'bigint', (column) => column.notNull().check(sql`held >= 0`))
    .addColumn('version', 'bigint', (column) => column.notNull())
    .execute();
}

async function createCounters(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('usage_day')
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('credits', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_day_of_key', ['key_id', 'day'])
    .execute();
  await db.schema
    .createTable('allowance')
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('used', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('allowance_of_day', ['day', 'address'])
    .execute();
}

/** Adds payments. Settings and state of auto-reload are columns of the account, so that the settlement that locks its row can decide. */
async function addPayments(db: Kysely<unknown>): Promise<void> {
  for (const [name, type, standard] of [
    ['reload_enabled', 'integer', 0],
    ['reload_threshold', 'integer', 1_000],
    ['reload_pack', 'text', 'builder'],
    ['reload_cap_cents', 'bigint', 50_000],
    ['reload_spent_cents', 'bigint', 0],
    ['debt', 'bigint', 0],
  ] as const)
    await db.schema
      .alterTable('account')
      .addColumn(name, type, (column) => column.notNull().defaultTo(sql.lit(standard)))
      .execute();
  for (const name of ['reload_month', 'reload_purchase', 'reload_error', 'customer', 'card'])
    await db.schema.alterTable('account').addColumn(name, 'text').execute();
  await createCheckouts(db);
  await createPurchases(db);
  await db.schema
    .createTable('payment_event')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('object_kind', 'text', (column) => column.notNull())
    .addColumn('object_id', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('tries', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('handled_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('payment_event_open')
    .on('payment_event')
    .column('created_at')
    .where(sql.ref('handled_at'), 'is', sql.lit(null))
    .execute();
}

async function createCheckouts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('checkout')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('provider_id', 'text', (column) => column.unique())
    .addColumn('pack', 'text', (column) => column.notNull())
    .addColumn('cents', 'bigint', (column) => column.notNull())
    .addColumn('credits', 'bigint', (column) => column.notNull())
    .addColumn('top_up_key', 'text')
    .addColumn('reload_threshold', 'integer')
    .addColumn('reload_pack', 'text')
    .addColumn('reload_cap_cents', 'bigint')
    .addColumn('nonce_hash', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('charge_id', 'text', (column) => column.unique())
    .addColumn('key_id', 'text')
    .addColumn('clawed_back', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('dispute', 'text', (column) => column.notNull().defaultTo('none'))
    .addColumn('sealed_key', 'text')
    .addColumn('shown_until', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('checkout_unfinished')
    .on('checkout')
    .column('created_at')
    .where(sql.ref('state'), 'in', sql`('created', 'open', 'awaiting')`)
    .execute();
}

async function createPurchases(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('purchase')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('pack', 'text', (column) => column.notNull())
    .addColumn('cents', 'bigint', (column) => column.notNull())
    .addColumn('credits', 'bigint', (column) => column.notNull())
    .addColumn('month', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('charge_id', 'text', (column) => column.unique())
    .addColumn('attempt', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('lease_until', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('error', 'text')
    .addColumn('clawed_back', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('dispute', 'text', (column) => column.notNull().defaultTo('none'))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  // Rules out a second open purchase of a key even if the account's row is wrong.
  await db.schema
    .createIndex('purchase_one_open')
    .on('purchase')
    .column('key_id')
    .unique()
    .where(sql.ref('state'), 'in', sql`('created', 'processing')`)
    .execute();
}

/** Adds the state of the built-in stand-in for a payment provider, stored so that it survives restarts and processes share it. */
async function addSandbox(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('sandbox_object')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('reference', 'text', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('sandbox_object_once', ['kind', 'reference'])
    .execute();
  await db.schema.createIndex('sandbox_object_changed').on('sandbox_object').column('updated_at').execute();
}

/**
 * The cap that a key's owner set in a browser limits the one that a program may set. For keys that already have a card, the
 * current cap counts as the owner's.
 */
async function addOwnerCap(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('account').addColumn('reload_owner_cap_cents', 'bigint').execute();
  await sql`update account set reload_owner_cap_cents = reload_cap_cents where card is not null`.execute(db);
}

/** Lets a key withhold the pages that its calls read from other callers. */
async function addNoStoreKeys(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('api_key')
    .addColumn('no_store', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}

/** Lets an operator limit the calls of a key per minute and per day, and set its expiry. Null: no limit. */
async function addKeyLimits(db: Kysely<unknown>): Promise<void> {
  for (const column of ['per_minute', 'per_day', 'expires_at'])
    await db.schema.alterTable('api_key').addColumn(column, 'bigint').execute();
}

/** Adds columns, tables and indexes for rolling old charges into daily entries and for finding old rows without a full scan. */
async function addDailyEntries(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('entry')
    .addColumn('entries', 'bigint', (column) => column.notNull().defaultTo(1))
    .execute();
  await db.schema
    .createTable('roll_progress')
    .addColumn('key_id', 'text', (column) => column.primaryKey())
    .addColumn('version', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('horizon')
    .addColumn('subject', 'text', (column) => column.primaryKey())
    .addColumn('before', 'bigint', (column) => column.notNull())
    .execute();
  for (const [name, table, column, where] of [
    ['hold_ended', 'hold', 'expires_at', sql`state <> 'held'`],
    ['payment_event_handled', 'payment_event', 'handled_at', sql`handled_at is not null`],
    ['checkout_expired', 'checkout', 'created_at', sql`state = 'expired'`],
    ['account_card', 'account', 'card', sql`card is not null`],
  ] as const)
    await sql`create index ${sql.ref(name)} on ${sql.table(table)} (${sql.ref(column)}) where ${where}`.execute(
      db,
    );
  await recordWhenHoldsEnded(db);
}

/** Sets `expires_at` of ended holds to the time at which they ended, as it is from now on; a few ended later than they expired. */
async function recordWhenHoldsEnded(db: Kysely<unknown>): Promise<void> {
  const ended = sql`(select max(at) from entry where kind in ('usage', 'refund') and ref = hold.id)`;
  await sql`update hold set expires_at = ${ended} where state in ('captured', 'refunded') and expires_at < ${ended}`.execute(
    db,
  );
}

/**
 * Lets several keys draw on one account, counts usage by key and route, and lets owners sign in. Each existing key has its own account,
 * which a null `account_id` means, so only the rows of `usage_day` are rewritten.
 */
async function addAccounts(db: Kysely<unknown>): Promise<void> {
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

/** Columns of a key that decide whether a call is admitted, and how. */
const DECIDING = sql`hash, old_hash, old_until, state, manages, no_store, per_minute, per_day, expires_at`;

/**
 * Adds the version by which every process, which caches calling keys in memory, notices that a key has changed. A trigger increments it, so
 * that no change can omit it.
 */
async function addKeyVersion(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('key_version')
    .addColumn('version', 'bigint', (column) => column.notNull())
    .execute();
  await sql`insert into key_version (version) values (0)`.execute(db);
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  if (isPostgres) await createPostgresFunction(db);
  const raise = isPostgres
    ? sql`for each row execute function raise_key_version()`
    : sql`begin update key_version set version = version + 1; end`;
  await sql`create trigger key_changed after update of ${DECIDING} on api_key ${raise}`.execute(db);
  await sql`create trigger key_deleted after delete on api_key ${raise}`.execute(db);
}

async function createPostgresFunction(db: Kysely<unknown>): Promise<void> {
  await sql`create function raise_key_version() returns trigger language plpgsql as $$
    begin
      update key_version set version = version + 1;
      return null;
    end $$`.execute(db);
}

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

/** Adds the calls that may be repeated: their keys, and the responses to them. */
async function addIdempotentCalls(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  await db.schema
    .createTable('idempotent_call')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('attempt', 'text', (column) => column.notNull())
    .addColumn('lost_at', 'bigint')
    .addColumn('response', isPostgres ? 'bytea' : 'blob')
    .addColumn('bytes', 'integer', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('idempotent_call_expires')
    .on('idempotent_call')
    .columns(['expires_at', 'id'])
    .execute();
}

/** Counts the credits that disputed payments gave; so far a dispute froze all keys of its account. */
async function addDisputedCredits(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('account')
    .addColumn('disputed', 'bigint', (column) => column.notNull().defaultTo(0).check(sql`disputed >= 0`))
    .execute();
  for (const table of ['checkout', 'purchase'])
    await sql`update account set disputed = disputed + coalesce((select sum(credits - clawed_back) from ${sql.table(table)} as sale
      where sale.key_id = account.key_id and sale.dispute = 'open'), 0)`.execute(db);
  await sql`update api_key set state = 'active' where state = 'frozen'
    and exists (select 1 from account where account.key_id = coalesce(account_id, id) and debt = 0)`.execute(
    db,
  );
}

/** Adds what key holders have granted to applications. */
async function addAppGrants(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('app_grant')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('client_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('redirect_uri', 'text', (column) => column.notNull())
    .addColumn('challenge', 'text', (column) => column.notNull())
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('code_hash', 'text', (column) => column.notNull().unique())
    .addColumn('access_hash', 'text', (column) => column.unique())
    .addColumn('access_until', 'bigint')
    .addColumn('refresh_hash', 'text', (column) => column.unique())
    .addColumn('old_refresh_hash', 'text', (column) => column.unique())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('used_at', 'bigint', (column) => column.notNull())
    .addColumn('ends_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('app_grant_of_key').on('app_grant').column('key_id').execute();
  await db.schema.createIndex('app_grant_ends').on('app_grant').column('ends_at').execute();
}
