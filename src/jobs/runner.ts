import { setTimeout as timeout } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Log } from '../platform/log.ts';
import { createShares } from '../platform/sharing/fair-shares.ts';
import type { JobStore } from '../platform/store/jobs/open-job-store.ts';
import type { Job } from './job-types.ts';
import { expiredJobs } from './rows/job-rows.ts';
import {
  claimable,
  LEASE_MS,
  type Lease,
  LeaseLost,
  RENEW_EVERY_MS,
  releaseLease,
  renewLeases,
  takeLease,
} from './rows/lease.ts';
import { createJobWriter } from './run/job-writer.ts';
import { type RunJobDeps, runJob } from './run/run-job.ts';
import { createReadSpreader, type ReadSpreader } from './spread/spread-reads.ts';
import type { Deliver } from './webhooks/deliver.ts';

/** Jobs that are deleted in one go, and rows in one statement: other work goes on between two of them. */
const JOBS_MAX = 20;

const ROWS_MAX = 50;

const RELEASED_PAGES = 2_000;

/** Works on the jobs of the store: those that were started here, and those that another process left behind. */
export type JobRunner = {
  start(): void;
  /** Looks for work now, instead of at the next turn. */
  wake(): void;
  /** Stops working, and leaves every job to whoever looks next. */
  stop(): Promise<void>;
};

/** Jobs that one process works on at once: of one owner at most half of them. */
const JOBS_AT_ONCE_MAX = 8;
const CLAIMABLE_MAX = 100;
const LOOK_EVERY_MS = 1_000;
const DELETE_EVERY_MS = 60_000;
/** Until a job is tried again that failed for another reason than its pages. */
const RETRY_MS = 5_000;
/** A job that changed hands this often without a page being written would fail for ever, and might take the process with it. */
const STALLS_MAX = 15;

type RunnerDeps = RunJobDeps & { deliver: Deliver; log: Log };
type Running = { lease: Lease; ending: AbortController; done: Promise<void> };

export function createJobRunner(deps: RunnerDeps): JobRunner {
  const { store, clock, deliver, log } = deps;
  const spreader = spreaderOf(deps);
  const running = new Map<string, Running>();
  const shares = createShares({ slots: JOBS_AT_ONCE_MAX });
  const stopping = new AbortController();
  const { signal } = stopping;
  let loops: Repeated[] = [];
  let wake = (): void => {};

  const begin = ({ job, lease }: { job: Job; lease: Lease }): void => {
    const ending = new AbortController();
    shares.take(job.owner);
    const until = AbortSignal.any([ending.signal, signal]);
    const done = workOn({ ...deps, spreader }, { job, lease }, until).finally(() => {
      running.delete(job.id);
      shares.release(job.owner);
      wake();
    });
    running.set(job.id, { lease, ending, done });
  };
  const claim = async (): Promise<void> => {
    for (const seen of await claimable(store.db, { now: clock.now(), limit: CLAIMABLE_MAX })) {
      if (signal.aborted) return;
      if (running.has(seen.id) || !shares.mayTake(seen.owner)) continue;
      const taken = await takeLease(store.db, seen, { now: clock.now(), leaseMs: LEASE_MS });
      if (taken !== null) begin(taken);
    }
  };
  const renew = async (): Promise<void> => {
    const all = [...running.values()];
    const leases = all.map(({ lease }) => lease);
    const held = await renewLeases(store, leases, clock.now() + LEASE_MS);
    for (const { lease, ending } of all) if (!held.has(lease.id)) ending.abort();
  };
  return {
    wake: () => wake(),
    start() {
      const every: Every = (ms, work) =>
        repeat(work, { ms, signal, onError: (err) => log.warn({ err }, 'work on jobs failed') });
      const claims = every(LOOK_EVERY_MS, claim);
      const deliveries = every(LOOK_EVERY_MS, () => deliver.look(signal, () => deliveries.wake()));
      wake = claims.wake;
      loops = [
        ...[claims, deliveries],
        every(RENEW_EVERY_MS, renew),
        every(DELETE_EVERY_MS, () => deleteExpired(store, clock.now())),
        ...loopsOf(spreader, every),
      ];
    },
    async stop() {
      stopping.abort();
      await Promise.all(loops.map(({ done }) => done));
      await Promise.all([...running.values()].map(({ done }) => done));
      await spreader?.stop();
      await deliver.idle();
    },
  };
}

/** Null on SQLite, where there is one process. */
function spreaderOf({ store, read }: RunnerDeps): ReadSpreader | null {
  return store.dialect === 'postgres' ? createReadSpreader({ db: store.db, read }) : null;
}

type Every = (ms: number | (() => number), work: () => Promise<unknown>) => Repeated;

function loopsOf(spreader: ReadSpreader | null, every: Every): Repeated[] {
  if (spreader === null) return [];
  return [
    every(spreader.pauseMs, spreader.look),
    every(RENEW_EVERY_MS, spreader.renew),
    every(DELETE_EVERY_MS, spreader.sweep),
  ];
}

/** Runs a job until it ends, and gives its lease back. Never rejects. */
async function workOn(
  { spreader, ...deps }: RunnerDeps & { spreader: ReadSpreader | null },
  { job, lease }: { job: Job; lease: Lease },
  signal: AbortSignal,
): Promise<void> {
  const { store, clock, log } = deps;
  try {
    if (job.stalls > STALLS_MAX && job.state === 'running') {
      log.error({ job: job.id, stalls: job.stalls }, 'a job was given up: nobody could go on with it');
      return await createJobWriter(deps, job, lease).end({ state: 'failed', reason: 'internal' });
    }
    await spreader?.begin(lease);
    const read = spreader?.readFor(lease) ?? deps.read;
    await runJob({ ...deps, read }, { job, lease }, signal);
    await releaseLease(store.db, lease, 0);
  } catch (error) {
    if (error instanceof LeaseLost) return;
    if (!signal.aborted) log.warn({ job: job.id, err: error }, 'work on a job failed; it is tried again');
    const until = signal.aborted ? 0 : clock.now() + RETRY_MS;
    await releaseLease(store.db, lease, until).catch((err: unknown) =>
      log.warn({ job: job.id, err }, 'the lease of a job could not be given back'),
    );
  }
}

/** Work that is done again and again. */
type Repeated = {
  /** Does it again at once, instead of after the pause. */
  wake(): void;
  /** Resolves when the signal has fired and the work has ended. */
  done: Promise<void>;
};

/** Does work until the signal fires, never twice at once, with a pause of `ms`, a constant or as it is then, after each time. */
function repeat(
  work: () => Promise<unknown>,
  {
    ms,
    signal,
    onError,
  }: { ms: number | (() => number); signal: AbortSignal; onError(error: unknown): void },
): Repeated {
  let woken = Promise.withResolvers<void>();
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      woken = Promise.withResolvers();
      await work().catch(onError);
      const paused = new AbortController();
      const pauseMs = typeof ms === 'number' ? ms : ms();
      const pause = timeout(pauseMs, undefined, { signal: AbortSignal.any([signal, paused.signal]) });
      // Aborted: the pause is over.
      await Promise.race([pause.catch(() => {}), woken.promise]);
      paused.abort();
    }
  };
  return { wake: () => woken.resolve(), done: run() };
}

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
