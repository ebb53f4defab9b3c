import type { Kysely } from 'kysely';

/** Adds the tables of the console: runs of the server, sources that are switched off, and the operator's actions. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('crawl_run')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('run_order', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('counts', 'text', (column) => column.notNull())
    .addColumn('note', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('ended_at', 'bigint')
    .addColumn('touched_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('source_switch')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('off_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('operator_action')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('subject', 'text')
    .addColumn('outcome', 'text', (column) => column.notNull())
    .execute();
}
