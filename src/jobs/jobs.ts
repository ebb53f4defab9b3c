/**
 * Asynchronous jobs (crawls and batches) as their owners see them: start, find, list, cancel and read results. A job outlives the
 * request that started it and is kept in the job store. This module only writes orders and reads results; the runner does the work.
 */
import { randomUUID } from 'node:crypto';
import { Failure } from '../contract/errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { JobQueries, JobStore } from '../platform/store/jobs/open-job-store.ts';
import type { Job, JobOrder } from './job-types.ts';
import { queueEvents } from './rows/delivery-rows.ts';
import {
  countJobs,
  findJob,
  insertJob,
  type JobCount,
  listRunningJobs,
  lockOwner,
  measureOwnerLoad,
  RESULTS_MS,
} from './rows/job-rows.ts';
import { listDocumentsAfter } from './rows/page-rows.ts';
import { listUnreadUrls, type UnreadUrl } from './rows/url-rows.ts';

/** A job that a caller orders. */
export type StartJobOptions = {
  /** The tenant that owns the job. */
  owner: string;
  /** The key that pays for its pages; null if they are free. */
  keyId: string | null;
  order: JobOrder;
  /** The first addresses, each once. */
  urls: string[];
  /** Jobs of the owner that may run at once, this one included. */
  runningMax: number;
};

/** Asynchronous jobs as their owners see them. The runner works on them. */
export type Jobs = {
  /** Resolves to the id. Throws `Failure`: `rate_limited` if too many jobs run, `overloaded` if results fill the store. */
  start(wanted: StartJobOptions): Promise<string>;
  /** Null if there is no such job of this owner. */
  find(owner: string, id: string): Promise<Job | null>;
  /** Resolves to the documents (JSON) after a place in the answer, and the place of the last one. */
  documents(
    id: string,
    slice: { place: number; limit: number },
  ): Promise<{ documents: string[]; last: number }>;
  /** Lists addresses that could not be read, and those that robots.txt forbids. */
  unread(id: string): Promise<{ failed: UnreadUrl[]; skipped: UnreadUrl[] }>;
  running(owner: string): Promise<Job[]>;
  /** Ends a running job and keeps what it has read. Resolves to the job as it was before, or null. */
  cancel(owner: string, id: string): Promise<Job | null>;
  /** Counts the jobs of all owners by kind and state, for the operator. */
  counts(): Promise<JobCount[]>;
};

/** Maximum bytes of documents in one slice of an answer. */
const SLICE_BYTES_MAX = 8_388_608;
const UNREAD_MAX = 1_000;
/** Maximum bytes of documents kept for one owner, and for all owners. */
const OWNER_BYTES_MAX = 1_073_741_824;
const ALL_BYTES_MAX = 8_589_934_592;

export function createJobs(deps: { store: JobStore; clock: Clock; onStarted(): void }): Jobs {
  const { store, clock, onStarted } = deps;
  const { db } = store;
  const find = async (owner: string, id: string): Promise<Job | null> => {
    const job = await findJob(db, id);
    return job?.owner === owner ? job : null;
  };
  return {
    find,
    async start(wanted) {
      const id = await store.transaction(async (tx) => {
        if (store.dialect === 'postgres') await lockOwner(tx, wanted.owner);
        return insert(tx, wanted, clock.now());
      });
      onStarted();
      return id;
    },
    documents: (jobId, { place, limit }) =>
      listDocumentsAfter(db, { jobId, place, limit, bytesMax: SLICE_BYTES_MAX }),
    async unread(jobId) {
      const listUnread = (state: 'failed' | 'skipped') =>
        listUnreadUrls(db, jobId, { state, limit: UNREAD_MAX });
      return { failed: await listUnread('failed'), skipped: await listUnread('skipped') };
    },
    running: (owner) => listRunningJobs(db, owner),
    counts: () => countJobs(db),
    async cancel(owner, id) {
      const job = await find(owner, id);
      if (job?.state !== 'running') return job;
      await store.transaction((tx) => cancel(tx, job, clock.now()));
      return job;
    },
  };
}

async function insert(
  tx: JobQueries,
  { owner, keyId, order, urls, runningMax }: StartJobOptions,
  now: number,
): Promise<string> {
  const { running, bytes, allBytes } = await measureOwnerLoad(tx, owner);
  if (running >= runningMax)
    throw new Failure(
      'rate_limited',
      `${running} of your jobs are running; wait for one of them to end, or cancel it.`,
    );
  if (bytes >= OWNER_BYTES_MAX || allBytes >= ALL_BYTES_MAX)
    throw new Failure('overloaded', 'The results of earlier jobs fill the store; they expire within a day.');
  const id = randomUUID();
  await insertJob(tx, { id, owner, key_id: keyId, order, urls }, now);
  await queueEvents(tx, { id, order }, { events: [{ event: 'started', number: null }], now });
  return id;
}

/** Cancels a job. The holder of its lease notices at its next write. */
async function cancel(tx: JobQueries, job: Job, now: number): Promise<void> {
  const cancelled = await tx
    .updateTable('job')
    .set({ state: 'cancelled', reason: 'cancelled', pending: 0, ended_at: now, expires_at: now + RESULTS_MS })
    .where('id', '=', job.id)
    .where('state', '=', 'running')
    .returning('id')
    .executeTakeFirst();
  if (cancelled === undefined) return;
  await queueEvents(tx, job, { events: [{ event: 'failed', number: null }], now });
}
