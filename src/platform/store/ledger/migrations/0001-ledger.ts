import { type Kysely, sql } from 'kysely';

/** Creates the ledger. Holds and entries have no foreign key: its check would lock the row of a busy key once more for every call. */
export async function up(db: Kysely<unknown>): Promise<void> {
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
