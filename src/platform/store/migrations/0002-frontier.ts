import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('crawl')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('starts', 'text', (column) => column.notNull())
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('seeded_at', 'bigint')
    .execute();
  await db.schema
    .createTable('crawl_url')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('crawl_id', 'text', (column) => column.notNull().references('crawl.id').onDelete('cascade'))
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('depth', 'integer', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('not_before', 'bigint', (column) => column.notNull())
    .addColumn('reason', 'text')
    .addColumn('page_url', 'text')
    .addColumn('title', 'text')
    .addUniqueConstraint('crawl_url_once', ['crawl_id', 'url'])
    .execute();
  await db.schema
    .createIndex('crawl_url_next')
    .on('crawl_url')
    .columns(['crawl_id', 'state', 'host', 'attempts', 'depth', 'id'])
    .execute();
}
