import { sql } from 'kysely';
import { createShares } from '../platform/fairness/fair-queue.ts';
import type { Log } from '../platform/log.ts';
import { type RepeatingTask, repeatWork } from '../platform/repeat-work.ts';
import type { JobStore } from '../platform/store/jobs/open-job-store.ts';
import type { Lease } from '../platform/store/row-leases.ts';
import type { Job } from './job-types.ts';
import { createReadDistributor, type ReadDistributor } from './reads/distribute-reads.ts';
import {
  jobLeases,
  LEASE_MS,
  LeaseLost,
  listClaimableJobs,
  listExpiredJobs,
  RENEW_EVERY_MS,
  takeLease,
} from './rows/job-rows.ts';
import { createJobWriter } from './run/job-writer.ts';
import { type RunJobDeps, runJob } from './run/run-job.ts';
import type { WebhookSender } from './webhooks/deliver.ts';

/** Maximum jobs deleted per turn, and rows per statement; other work goes on between statements. */
const JOBS_MAX = 20;

const ROWS_MAX = 50;

const RELEASED_PAGES = 2_000;

/** Runs the jobs of the store: those started in this process, and those that another process left behind. */
export type JobRunner = {
  start(): void;
  /** Looks for work now instead of at the next turn. */
  wake(): void;
  /** Stops all work and releases every job for other processes. */
  stop(): Promise<void>;
};

/** Maximum concurrent jobs of one process; one owner gets at most half of them. */
const JOBS_AT_ONCE_MAX = 8;
const CLAIMABLE_MAX = 100;
const LOOK_EVERY_MS = 1_000;
const DELETE_EVERY_MS = 60_000;
/** Delay before a job is retried that failed for a reason other than its pages. */
const RETRY_MS = 5_000;
/** Maximum times a job may change hands without writing a page. Beyond it, it would fail forever and might take the process down. */
const STALLS_MAX = 15;

type RunnerDeps = RunJobDeps & { deliver: WebhookSender; log: Log };
type RunningJob = { lease: Lease; ending: AbortController; done: Promise<void> };

export function createJobRunner(deps: RunnerDeps): JobRunner {
  const { store, clock, deliver, log } = deps;
  const distributor = createDistributor(deps);
  const running = new Map<string, RunningJob>();
  const shares = createShares({ slots: JOBS_AT_ONCE_MAX });
  const stopping = new AbortController();
  const { signal } = stopping;
  let loops: RepeatingTask[] = [];
  let wake = (): void => {};

  const begin = ({ job, lease }: { job: Job; lease: Lease }): void => {
    const ending = new AbortController();
    shares.take(job.owner);
    const until = AbortSignal.any([ending.signal, signal]);
    const done = runLeasedJob({ ...deps, distributor }, { job, lease }, until).finally(() => {
      running.delete(job.id);
      shares.release(job.owner);
      wake();
    });
    running.set(job.id, { lease, ending, done });
  };
  const claim = async (): Promise<void> => {
    for (const seen of await listClaimableJobs(store.db, { now: clock.now(), limit: CLAIMABLE_MAX })) {
      if (signal.aborted) return;
      if (running.has(seen.id) || !shares.mayTake(seen.owner)) continue;
      const taken = await takeLease(store.db, seen, { now: clock.now(), leaseMs: LEASE_MS });
      if (taken !== null) begin(taken);
    }
  };
  const renew = async (): Promise<void> => {
    const all = [...running.values()];
    const leases = all.map(({ lease }) => lease);
    const held = await jobLeases.setEnd(store.db, leases, clock.now() + LEASE_MS);
    for (const { lease, ending } of all) if (!held.has(lease.id)) ending.abort();
  };
  return {
    wake: () => wake(),
    start() {
      const startLoop: StartLoop = (ms, work) =>
        repeatWork(work, { ms, signal, onError: (err) => log.warn({ err }, 'work on jobs failed') });
      const claims = startLoop(LOOK_EVERY_MS, claim);
      const deliveries = startLoop(LOOK_EVERY_MS, () => deliver.look(signal, () => deliveries.wake()));
      wake = claims.wake;
      loops = [
        ...[claims, deliveries],
        startLoop(RENEW_EVERY_MS, renew),
        startLoop(DELETE_EVERY_MS, () => deleteExpired(store, clock.now())),
        ...startDistributorLoops(distributor, startLoop),
      ];
    },
    async stop() {
      stopping.abort();
      await Promise.all(loops.map(({ done }) => done));
      await Promise.all([...running.values()].map(({ done }) => done));
      await distributor?.stop();
      await deliver.idle();
    },
  };
}

/** Returns null on SQLite, where there is only one process. */
function createDistributor({ store, read }: RunnerDeps): ReadDistributor | null {
  return store.dialect === 'postgres' ? createReadDistributor({ db: store.db, read }) : null;
}

type StartLoop = (ms: number | (() => number), work: () => Promise<unknown>) => RepeatingTask;

function startDistributorLoops(distributor: ReadDistributor | null, every: StartLoop): RepeatingTask[] {
  if (distributor === null) return [];
  return [
    every(distributor.pauseMs, distributor.look),
    every(RENEW_EVERY_MS, distributor.renew),
    every(DELETE_EVERY_MS, distributor.sweep),
  ];
}

/** Runs a job until it ends and releases its lease. Never rejects. */
async function runLeasedJob(
  { distributor, ...deps }: RunnerDeps & { distributor: ReadDistributor | null },
  { job, lease }: { job: Job; lease: Lease },
  signal: AbortSignal,
): Promise<void> {
  const { store, clock, log } = deps;
  try {
    if (job.stalls > STALLS_MAX && job.state === 'running') {
      log.error({ job: job.id, stalls: job.stalls }, 'a job was given up: nobody could go on with it');
      return await createJobWriter(deps, job, lease).end({ state: 'failed', reason: 'internal' });
    }
    await distributor?.begin(lease);
    const read = distributor?.readFor(lease) ?? deps.read;
    await runJob({ ...deps, read }, { job, lease }, signal);
    await jobLeases.setEnd(store.db, [lease], 0);
  } catch (error) {
    if (error instanceof LeaseLost) return;
    if (!signal.aborted) log.warn({ job: job.id, err: error }, 'work on a job failed; it is tried again');
    const until = signal.aborted ? 0 : clock.now() + RETRY_MS;
    await jobLeases
      .setEnd(store.db, [lease], until)
      .catch((err: unknown) => log.warn({ job: job.id, err }, 'the lease of a job could not be given back'));
  }
}

/** Deletes expired jobs with everything they have read. */
export async function deleteExpired(store: JobStore, now: number): Promise<void> {
  const expired = await listExpiredJobs(store.db, now, JOBS_MAX);
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
