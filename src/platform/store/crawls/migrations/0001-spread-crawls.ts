import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create sequence spread_token`.execute(db);
  await db.schema
    .createTable('spread_crawl')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('place', 'text', (column) => column.notNull())
    .addColumn('request', 'text', (column) => column.notNull())
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('wanted_until', 'bigint', (column) => column.notNull())
    .addColumn('done', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('duplicate', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('skipped', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('failed', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await createHost(db);
  await createUrl(db);
  await db.schema
    .createTable('spread_worker')
    .addColumn('crawl_id', 'text', (column) =>
      column.notNull().references('spread_crawl.id').onDelete('cascade'),
    )
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('seen_until', 'bigint', (column) => column.notNull())
    .addColumn('reserved', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('spread_worker_of_crawl', ['crawl_id', 'id'])
    .execute();
}

async function createHost(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('spread_host')
    .addColumn('crawl_id', 'text', (column) =>
      column.notNull().references('spread_crawl.id').onDelete('cascade'),
    )
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('urls', 'bigint', (column) => column.notNull())
    .addColumn('pending', 'bigint', (column) => column.notNull())
    .addColumn('visited', 'boolean', (column) => column.notNull().defaultTo(false))
    .addColumn('holder', 'text')
    .addColumn('lease_token', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('lease_until', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('ready_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('pace_ms', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('given_up', 'boolean', (column) => column.notNull().defaultTo(false))
    .addPrimaryKeyConstraint('spread_host_of_crawl', ['crawl_id', 'host'])
    .execute();
  await db.schema
    .createIndex('spread_host_next')
    .on('spread_host')
    .columns(['crawl_id', 'lease_until'])
    .where(sql.ref('pending'), '>', 0)
    .execute();
}

async function createUrl(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('spread_url')
    .addColumn('id', 'bigserial', (column) => column.primaryKey())
    .addColumn('crawl_id', 'text', (column) =>
      column.notNull().references('spread_crawl.id').onDelete('cascade'),
    )
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('depth', 'bigint', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('not_before', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('reason', 'text')
    .addColumn('page_url', 'text')
    .addColumn('title', 'text')
    .addUniqueConstraint('spread_url_once', ['crawl_id', 'url'])
    .execute();
  await db.schema
    .createIndex('spread_url_next')
    .on('spread_url')
    .columns(['crawl_id', 'host', 'state', 'attempts', 'depth', 'id'])
    .execute();
  await sql`create index spread_url_page on spread_url (crawl_id, page_url) where page_url is not null`.execute(
    db,
  );
}
