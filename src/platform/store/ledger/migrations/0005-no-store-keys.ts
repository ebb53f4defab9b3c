import type { Kysely } from 'kysely';

/** Lets a key withhold the pages that its calls read from other callers. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('api_key')
    .addColumn('no_store', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
