import { type Kysely, type Migration, sql } from 'kysely';
import { openTableStore, type StorePlace, type TableStore } from '../open-table-store.ts';
import type { JobTables } from './job-tables.ts';

/** The store of asynchronous jobs and their results. */
export type JobStore = TableStore<JobTables>;
export type JobQueries = JobStore['db'];

const MIGRATIONS: Record<string, Migration> = {
  '0001-jobs': { up: createJobTables },
  '0002-reads': { up: addSharedReads },
};

/** Name of the SQLite file in the data folder. */
export const JOBS_FILE = 'jobs.db';

export function openJobStore(place: StorePlace): Promise<JobStore> {
  return openTableStore(place, {
    file: JOBS_FILE,
    name: 'job',
    migrations: () => MIGRATIONS,
    connectionsMax: 4,
  });
}

async function createJobTables(db: Kysely<unknown>): Promise<void> {
  await createJob(db);
  await createUrl(db);
  await createPage(db);
  await db.schema
    .createTable('job_delivery')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('job_id', 'text', (column) => column.notNull().references('job.id').onDelete('cascade'))
    .addColumn('event', 'text', (column) => column.notNull())
    .addColumn('number', 'bigint')
    .addColumn('attempts', 'bigint', (column) => column.notNull())
    .addColumn('due_at', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('job_delivery_due').on('job_delivery').column('due_at').execute();
  await db.schema.createIndex('job_delivery_of_job').on('job_delivery').column('job_id').execute();
}

async function createJob(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('job')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text')
    .addColumn('request_key', 'text')
    .addColumn('request', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('reason', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('ended_at', 'bigint')
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('lease_token', 'bigint', (column) => column.notNull())
    .addColumn('lease_until', 'bigint', (column) => column.notNull())
    .addColumn('stalls', 'bigint', (column) => column.notNull())
    .addColumn('base', 'text')
    .addColumn('seeded_at', 'bigint')
    .addColumn('urls', 'bigint', (column) => column.notNull())
    .addColumn('batches', 'bigint', (column) => column.notNull())
    .addColumn('open_batch', 'bigint')
    .addColumn('pages', 'bigint', (column) => column.notNull())
    .addColumn('failed', 'bigint', (column) => column.notNull())
    .addColumn('pending', 'bigint', (column) => column.notNull())
    .addColumn('credits', 'bigint', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('job_request_once', ['owner', 'request_key'])
    .execute();
  await sql`create index job_unfinished on job (lease_until) where state = 'running' or open_batch is not null`.execute(
    db,
  );
  await db.schema.createIndex('job_expires').on('job').column('expires_at').execute();
  await db.schema.createIndex('job_of_owner').on('job').columns(['owner', 'state']).execute();
}

async function createUrl(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('job_url')
    .addColumn('job_id', 'text', (column) => column.notNull().references('job.id').onDelete('cascade'))
    .addColumn('number', 'bigint', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('depth', 'bigint', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', 'bigint', (column) => column.notNull())
    .addColumn('not_before', 'bigint', (column) => column.notNull())
    .addColumn('reason', 'text')
    .addColumn('page_url', 'text')
    .addColumn('title', 'text')
    .addColumn('settled_at', 'bigint')
    .addPrimaryKeyConstraint('job_url_in_order', ['job_id', 'number'])
    .addUniqueConstraint('job_url_once', ['job_id', 'url'])
    .execute();
  await db.schema
    .createIndex('job_url_next')
    .on('job_url')
    .columns(['job_id', 'state', 'host', 'attempts', 'depth', 'number'])
    .execute();
}

async function createPage(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('job_page')
    .addColumn('job_id', 'text', (column) => column.notNull().references('job.id').onDelete('cascade'))
    .addColumn('number', 'bigint', (column) => column.notNull())
    .addColumn('page_key', 'text', (column) => column.notNull())
    .addColumn('batch', 'bigint', (column) => column.notNull())
    .addColumn('place', 'bigint')
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    // Last, so that a query of the other columns need not read past it.
    .addColumn('document', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('job_page_of_url', ['job_id', 'number'])
    .addUniqueConstraint('job_page_once', ['job_id', 'page_key'])
    .addUniqueConstraint('job_page_placed', ['job_id', 'place'])
    .execute();
}

/** Adds page reads that processes share, the processes that take part, and the pace of hosts. Used on PostgreSQL only. */
async function addSharedReads(db: Kysely<unknown>): Promise<void> {
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
