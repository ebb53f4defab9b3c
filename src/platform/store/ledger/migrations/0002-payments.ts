import { type Kysely, sql } from 'kysely';

/** Adds payments. Settings and state of auto-reload are columns of the account, so that the settlement that locks its row can decide. */
export async function up(db: Kysely<unknown>): Promise<void> {
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
