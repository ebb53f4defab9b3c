/**
 * Rows of jobs in the job store: inserting, finding, counting and expiring them. The functions take a database or a transaction, so that
 * callers decide what happens atomically. Writes to a running job go through the job writer, which checks the lease.
 */
import { type Selectable, sql } from 'kysely';
import type { JobTable } from '../../platform/store/jobs/job-tables.ts';
import type { JobQueries } from '../../platform/store/jobs/open-job-store.ts';
import { createRowLeases, type Lease } from '../../platform/store/row-leases.ts';
import type { Job, JobOrder } from '../job-types.ts';
import { insertUrls } from './url-rows.ts';

/** A job to insert. */
type NewJob = Pick<Job, 'id' | 'owner' | 'key_id' | 'order'> & {
  /** The first addresses, each once. */
  urls: string[];
};

/** Retention of results after the end of a job, and the maximum running time of a job. */
export const RESULTS_MS = 24 * 3_600_000;
export const JOB_MS_MAX = 12 * 3_600_000;

export async function insertJob(tx: JobQueries, job: NewJob, now: number): Promise<void> {
  const { id, owner, key_id, order, urls } = job;
  await tx
    .insertInto('job')
    .values({
      id,
      owner,
      key_id,
      kind: order.crawl === null ? 'batch' : 'crawl',
      request: JSON.stringify(order),
      state: 'running',
      reason: null,
      base: null,
      created_at: now,
      ended_at: null,
      expires_at: now + JOB_MS_MAX + RESULTS_MS,
      seeded_at: null,
      lease_token: 0,
      lease_until: 0,
      stalls: 0,
      urls: urls.length,
      batches: 0,
      open_batch: null,
      pages: 0,
      failed: 0,
      pending: urls.length,
      credits: 0,
      bytes: 0,
    })
    .execute();
  await insertUrls(tx, { jobId: id, urls, depth: 0, first: 1 });
}

export async function findJob(db: JobQueries, id: string): Promise<Job | null> {
  const row = await db.selectFrom('job').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : parseJobRow(row);
}

/** Lists the running jobs of an owner, the oldest first. */
export async function listRunningJobs(db: JobQueries, owner: string): Promise<Job[]> {
  const rows = await db
    .selectFrom('job')
    .selectAll()
    .where('owner', '=', owner)
    .where('state', '=', 'running')
    .orderBy('created_at')
    .execute();
  return rows.map(parseJobRow);
}

/** PostgreSQL only: blocks other starts of the owner's jobs until the transaction ends, so that its counts stay true. */
export async function lockOwner(tx: JobQueries, owner: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`job of ${owner}`}, 0))`.execute(tx);
}

/** Counts the running jobs of an owner, and sums the bytes of the documents of the owner's jobs and of all jobs. */
export async function measureOwnerLoad(
  db: JobQueries,
  owner: string,
): Promise<{ running: number; bytes: number; allBytes: number }> {
  const row = await db
    .selectFrom('job')
    .select([
      sql<number>`coalesce(sum(case when owner = ${owner} and state = 'running' then 1 else 0 end), 0)`.as(
        'running',
      ),
      sql<number>`coalesce(sum(case when owner = ${owner} then bytes else 0 end), 0)`.as('bytes'),
      sql<number>`coalesce(sum(bytes), 0)`.as('allBytes'),
    ])
    .executeTakeFirstOrThrow();
  return { running: Number(row.running), bytes: Number(row.bytes), allBytes: Number(row.allBytes) };
}

/** The number of stored jobs of one kind and state, with their pages. */
export type JobCount = {
  kind: Job['kind'];
  state: Job['state'];
  jobs: number;
  pages: number;
  pending: number;
};

export async function countJobs(db: JobQueries): Promise<JobCount[]> {
  const rows = await db
    .selectFrom('job')
    .select(({ fn }) => [
      ...(['kind', 'state'] as const),
      fn.countAll<number>().as('jobs'),
      fn.sum<number>('pages').as('pages'),
      fn.sum<number>('pending').as('pending'),
    ])
    .groupBy(['kind', 'state'])
    .orderBy('kind')
    .orderBy('state')
    .execute();
  return rows.map(({ kind, state, ...counts }) => ({
    kind,
    state,
    jobs: Number(counts.jobs),
    pages: Number(counts.pages),
    pending: Number(counts.pending),
  }));
}

/** Lists the ids of expired jobs. */
export async function listExpiredJobs(db: JobQueries, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('job')
    .select('id')
    .where('expires_at', '<', now)
    .where('lease_until', '<', now)
    .orderBy('expires_at')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

function parseJobRow({ request, ...row }: Selectable<JobTable>): Job {
  // The request was written by insertJob.
  return { ...row, order: JSON.parse(request) as JobOrder };
}

export const jobLeases = createRowLeases('job', { token: 'lease_token', until: 'lease_until' });

/** Thrown when another process has the job now, or the job is gone. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}

/** Duration of a lease. A killed process loses its jobs after this time; a live one renews often enough to survive missed turns. */
export const LEASE_MS = 10_000;
export const RENEW_EVERY_MS = 2_500;

/** Lists unfinished jobs without a lease, the longest abandoned first: running ones, and those whose last batch is unpaid. */
export function listClaimableJobs(
  db: JobQueries,
  { now, limit }: { now: number; limit: number },
): Promise<(Lease & { owner: string })[]> {
  return db
    .selectFrom('job')
    .select(['id', 'owner', 'lease_token as token'])
    .where(jobLeases.isFree(now))
    .where((is) => is.or([is('state', '=', sql.lit('running')), is('open_batch', 'is not', null)]))
    .orderBy('lease_until')
    .orderBy('created_at')
    .limit(limit)
    .execute();
}

/** Takes the lease of a job, if it has not changed since it was read; null if another process was faster. */
export async function takeLease(
  db: JobQueries,
  { id, token }: Lease,
  { now, leaseMs }: { now: number; leaseMs: number },
): Promise<{ lease: Lease; job: Job } | null> {
  const row = await db
    .updateTable('job')
    .set(jobLeases.claim(now + leaseMs))
    .set({ stalls: sql<number>`stalls + 1` })
    .where(jobLeases.isHeld({ id, token }))
    .where(jobLeases.isFree(now))
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? null : { lease: { id, token: token + 1 }, job: parseJobRow(row) };
}
