import type { Kysely } from 'kysely';

/** Adds the state of the built-in stand-in for a payment provider, stored so that it survives restarts and processes share it. */
export async function up(db: Kysely<unknown>): Promise<void> {
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
