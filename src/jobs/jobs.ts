import { randomUUID } from 'node:crypto';
import { Failure } from '../contract/errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { JobQueries, JobStore } from '../platform/store/jobs/open-job-store.ts';
import type { Job, JobOrder } from './job-types.ts';
import { queueEvents } from './rows/delivery-rows.ts';
import {
  countJobs,
  findByRequestKey,
  findJob,
  insertJob,
  type JobCount,
  loadOf,
  lockOwner,
  RESULTS_MS,
  runningJobs,
} from './rows/job-rows.ts';
import { documentsAfter } from './rows/page-rows.ts';
import { type UnreadUrl, unreadUrls } from './rows/url-rows.ts';

/** A job that a caller orders. */
export type StartJob = {
  /** The tenant that orders it. */
  owner: string;
  /** The key that pays for its pages; null: they are free. */
  keyId: string | null;
  /** A name for the request: a second one of the same name starts nothing. */
  requestKey: string | null;
  order: JobOrder;
  /** The first addresses, each once. */
  urls: string[];
  /** Jobs of the owner that may run at once, this one included. */
  runningMax: number;
};

/** Asynchronous jobs, as their owners see them; the runner works on them. */
export type Jobs = {
  /** Resolves to the id of the job. Throws `Failure('rate_limited')` if too many run, `Failure('overloaded')` if their results fill the store. */
  start(wanted: StartJob): Promise<string>;
  /** Null if there is no such job of this owner. */
  find(owner: string, id: string): Promise<Job | null>;
  /** The documents (JSON) after a place of the answer, and the place of the last one. */
  documents(
    id: string,
    slice: { place: number; limit: number },
  ): Promise<{ documents: string[]; last: number }>;
  /** What could not be read, and what robots.txt forbids. */
  unread(id: string): Promise<{ failed: UnreadUrl[]; skipped: UnreadUrl[] }>;
  running(owner: string): Promise<Job[]>;
  /** Ends a running job; what it has read so far stays. Resolves to the job before that, or null. */
  cancel(owner: string, id: string): Promise<Job | null>;
  /** The jobs of all owners by kind and state, for the operator. */
  counts(): Promise<JobCount[]>;
};

/** Bytes of documents in one slice of an answer. */
const SLICE_BYTES_MAX = 8_388_608;
const UNREAD_MAX = 1_000;
/** Bytes of the documents that are kept for one owner, and for all. */
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
      documentsAfter(db, { jobId, place, limit, bytesMax: SLICE_BYTES_MAX }),
    async unread(jobId) {
      const listed = (state: 'failed' | 'skipped') => unreadUrls(db, jobId, { state, limit: UNREAD_MAX });
      return { failed: await listed('failed'), skipped: await listed('skipped') };
    },
    running: (owner) => runningJobs(db, owner),
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
  { owner, keyId, requestKey, order, urls, runningMax }: StartJob,
  now: number,
): Promise<string> {
  const earlier = requestKey === null ? null : await findByRequestKey(tx, { owner, requestKey });
  if (earlier !== null) return earlier;
  const { running, bytes, allBytes } = await loadOf(tx, owner);
  if (running >= runningMax)
    throw new Failure(
      'rate_limited',
      `${running} of your jobs are running; wait for one of them to end, or cancel it.`,
    );
  if (bytes >= OWNER_BYTES_MAX || allBytes >= ALL_BYTES_MAX)
    throw new Failure('overloaded', 'The results of earlier jobs fill the store; they expire within a day.');
  const id = randomUUID();
  await insertJob(tx, { id, owner, key_id: keyId, request_key: requestKey, order, urls }, now);
  await queueEvents(tx, { id, order }, { events: [{ event: 'started', number: null }], now });
  return id;
}

/** The holder of the lease notices at its next write. */
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
