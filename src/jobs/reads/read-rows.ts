import { sql } from 'kysely';
import type { JobQueries } from '../../platform/store/jobs/open-job-store.ts';
import { createRowLeases, type Lease } from '../../platform/store/row-leases.ts';

/** A read that this process has claimed. */
export type ClaimedRead = Lease & { jobId: string; offeredBy: string; request: string };

export const readLeases = createRowLeases('job_read', { token: 'claim_token', until: 'claimed_until' });

/** Duration of a claim. After it, another process may claim the reads of a killed one; a live process renews its claims in time. */
const CLAIM_MS = 6_000;
/** After this time, a process takes a read of its own that no other process has claimed. */
const LEFT_LYING_MS = 1_000;
const PACE_KEPT_MS = 3_600_000;

/** The clock of the database, which all processes share. */
const NOW = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
/** End of a claim that is made or renewed now. */
export const CLAIM_END = sql<number>`${NOW} + ${CLAIM_MS}::bigint`;

export async function offerRead(
  db: JobQueries,
  lease: Lease,
  read: { id: string; offeredBy: string; host: string; paceMs: number; request: string },
): Promise<void> {
  await db
    .insertInto('job_read')
    .values({
      id: read.id,
      job_id: lease.id,
      lease_token: lease.token,
      offered_by: read.offeredBy,
      offered_at: NOW,
      host: read.host,
      pace_ms: Math.ceil(read.paceMs),
      request: read.request,
      claim_token: 0,
      claimed_until: 0,
      result: null,
    })
    .execute();
}

/**
 * Claims the longest waiting read whose host may be read now; null if there is none. Rows that another process is claiming are
 * skipped. If two processes claim reads of one host, the second finds that the pace forbids it.
 */
export async function claimRead(
  db: JobQueries,
  { worker, takesOwn }: { worker: string; takesOwn: boolean },
): Promise<ClaimedRead | null> {
  const { rows } = await sql<{
    id: string;
    claim_token: number;
    job_id: string;
    offered_by: string;
    request: string;
  }>`
    with offer as (
      select r.id, r.host, r.pace_ms from job_read r
      where r.result is null and ${readLeases.isFree(NOW)}
        and (${takesOwn}::boolean or r.offered_by <> ${worker} or r.offered_at < ${NOW} - ${LEFT_LYING_MS}::bigint)
        and not exists (select 1 from job_pace p where p.host = r.host and p.ready_at > ${NOW})
      order by r.offered_at limit 1 for update skip locked
    ), paced as (
      insert into job_pace (host, ready_at) select host, ${NOW} + pace_ms from offer
      on conflict (host) do update set ready_at = excluded.ready_at where job_pace.ready_at <= ${NOW}
      returning host
    )
    update job_read set claim_token = claim_token + 1, claimed_until = ${CLAIM_END}
    where id in (select id from offer) and exists (select 1 from paced)
    returning id, claim_token, job_id, offered_by, request`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  return {
    id: row.id,
    token: row.claim_token,
    jobId: row.job_id,
    offeredBy: row.offered_by,
    request: row.request,
  };
}

/** Answers a read; resolves to whether the claim was still held. */
export async function answerRead(db: JobQueries, claim: Lease, result: string): Promise<boolean> {
  const answered = await db
    .updateTable('job_read')
    .set({ result })
    .where(readLeases.isHeld(claim))
    .returning('id')
    .execute();
  return answered.length > 0;
}

/** Removes the answered reads among `ids` and returns their results. */
export async function collectReads(
  db: JobQueries,
  ids: readonly string[],
): Promise<{ id: string; result: string }[]> {
  const answered = await db
    .deleteFrom('job_read')
    .where('id', 'in', ids)
    .where('result', 'is not', null)
    .returning(['id', 'result'])
    .execute();
  return answered.map(({ id, result }) => ({ id, result: result ?? '' }));
}

export async function withdrawRead(db: JobQueries, id: string): Promise<void> {
  await db.deleteFrom('job_read').where('id', '=', id).execute();
}

/** Withdraws the reads that earlier holders of a job's lease offered. */
export async function withdrawEarlier(db: JobQueries, { id, token }: Lease): Promise<void> {
  await db.deleteFrom('job_read').where('job_id', '=', id).where('lease_token', '<', token).execute();
}

/** Records that a process takes part until `ms` from now; resolves to the number of other processes that do. */
export async function recordWorker(db: JobQueries, id: string, ms: number): Promise<number> {
  const { rows } = await sql<{ others: number }>`
    with own as (
      insert into job_worker (id, seen_until) values (${id}, ${NOW} + ${ms}::bigint)
      on conflict (id) do update set seen_until = excluded.seen_until
    )
    select count(*) as others from job_worker where id <> ${id} and seen_until > ${NOW}`.execute(db);
  return Number(rows[0]?.others ?? 0);
}

export async function removeWorker(db: JobQueries, id: string): Promise<void> {
  await db.deleteFrom('job_worker').where('id', '=', id).execute();
}

/** Deletes expired rows of workers and host paces. */
export async function sweepReads(db: JobQueries): Promise<void> {
  await sql`delete from job_worker where seen_until < ${NOW}`.execute(db);
  await sql`delete from job_pace where ready_at < ${NOW} - ${PACE_KEPT_MS}::bigint`.execute(db);
}
