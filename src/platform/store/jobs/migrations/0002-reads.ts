import type { Kysely } from 'kysely';

/** Adds page reads that processes share, the processes that take part, and the pace of hosts. Used on PostgreSQL only. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('job_read')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('job_id', 'text', (column) => column.notNull().references('job.id').onDelete('cascade'))
    .addColumn('lease_token', 'bigint', (column) => column.notNull())
    .addColumn('offered_by', 'text', (column) => column.notNull())
    .addColumn('offered_at', 'bigint', (column) => column.notNull())
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('pace_ms', 'bigint', (column) => column.notNull())
    .addColumn('request', 'text', (column) => column.notNull())
    .addColumn('claim_token', 'bigint', (column) => column.notNull())
    .addColumn('claimed_until', 'bigint', (column) => column.notNull())
    .addColumn('result', 'text')
    .execute();
  await db.schema.createIndex('job_read_of_job').on('job_read').columns(['job_id', 'lease_token']).execute();
  await db.schema
    .createTable('job_worker')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('seen_until', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('job_pace')
    .addColumn('host', 'text', (column) => column.primaryKey())
    .addColumn('ready_at', 'bigint', (column) => column.notNull())
    .execute();
}
