import { sql } from 'kysely';
import type { JobQueries, JobStore } from '../../platform/store/jobs/open-job-store.ts';
import type { Job } from '../job-types.ts';
import { parseJobRow } from './job-rows.ts';

/** The right to write a job. It is lost as soon as another process takes the job over. */
export type Lease = { id: string; token: number };

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
    .where('lease_until', '<', now)
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
    .set({ lease_token: token + 1, lease_until: now + leaseMs, stalls: sql<number>`stalls + 1` })
    .where('id', '=', id)
    .where('lease_token', '=', token)
    .where('lease_until', '<', now)
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? null : { lease: { id, token: token + 1 }, job: parseJobRow(row) };
}

/** Extends leases; returns the ids of those that are still held. */
export async function renewLeases(store: JobStore, leases: Lease[], until: number): Promise<Set<string>> {
  if (leases.length === 0) return new Set();
  const held = await store.db
    .updateTable('job')
    .set({ lease_until: until })
    .where((is) =>
      is.or(leases.map(({ id, token }) => is.and([is('id', '=', id), is('lease_token', '=', token)]))),
    )
    .returning('id')
    .execute();
  return new Set(held.map(({ id }) => id));
}

/** Releases a job: from `until` on, any process may take it. */
export async function releaseLease(db: JobQueries, { id, token }: Lease, until: number): Promise<void> {
  await db
    .updateTable('job')
    .set({ lease_until: until })
    .where('id', '=', id)
    .where('lease_token', '=', token)
    .execute();
}
