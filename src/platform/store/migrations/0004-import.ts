import type { Kysely } from 'kysely';

/** Adds the progress of imports, so that they resume. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('import_state')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute();
}
