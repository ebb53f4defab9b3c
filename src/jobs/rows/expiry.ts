import { sql } from 'kysely';
import type { JobStore } from '../../platform/store/jobs/open-job-store.ts';
import { expiredJobs } from './job-rows.ts';

/** Jobs that are deleted in one go, and rows in one statement: other work goes on between two of them. */
const JOBS_MAX = 20;
const ROWS_MAX = 50;
const RELEASED_PAGES = 2_000;

/** Deletes jobs whose time is over, with everything they have read. */
export async function deleteExpired(store: JobStore, now: number): Promise<void> {
  const expired = await expiredJobs(store.db, now, JOBS_MAX);
  for (const id of expired) await deleteJob(store, id);
  if (expired.length > 0 && store.dialect === 'sqlite') {
    await sql`pragma incremental_vacuum(${sql.raw(String(RELEASED_PAGES))})`.execute(store.db);
    await sql`pragma wal_checkpoint(truncate)`.execute(store.db);
  }
}

async function deleteJob({ db }: JobStore, id: string): Promise<void> {
  for (let last = 0; ; ) {
    const rows = await db
      .selectFrom('job_page')
      .select('number')
      .where('job_id', '=', id)
      .where('number', '>', last)
      .orderBy('number')
      .limit(ROWS_MAX)
      .execute();
    const end = rows.at(-1);
    if (end === undefined) break;
    await db.deleteFrom('job_page').where('job_id', '=', id).where('number', '<=', end.number).execute();
    last = end.number;
  }
  await db.deleteFrom('job').where('id', '=', id).execute();
}
