import { sql } from 'kysely';
import type { JobQueries } from '../../platform/store/jobs/open-job-store.ts';
import { createRowLeases, type Lease } from '../../platform/store/row-leases.ts';
import type { Job } from '../job-types.ts';
import { parseJobRow } from './job-rows.ts';

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
