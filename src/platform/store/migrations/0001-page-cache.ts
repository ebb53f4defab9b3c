import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('page_cache')
    .addColumn('url', 'text', (column) => column.primaryKey())
    .addColumn('article', 'text', (column) => column.notNull())
    .addColumn('etag', 'text')
    .addColumn('last_modified', 'text')
    .addColumn('fetched_at', 'bigint', (column) => column.notNull())
    .addColumn('used_at', 'bigint', (column) => column.notNull())
    .addColumn('bytes', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.createIndex('page_cache_used_at').on('page_cache').column('used_at').execute();
}
