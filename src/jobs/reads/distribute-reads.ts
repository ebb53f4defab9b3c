/**
 * Distributed reading of a job's pages over the processes on one PostgreSQL. Reads are offered as rows, claimed by any process and answered
 * with a document or a failure. It does not decide what is read when; the holder of the job's lease does.
 */
import { randomUUID } from 'node:crypto';
import { createFetchFailure, Failure, type FailureCode } from '../../contract/errors.ts';
import type { Tenant } from '../../platform/fairness/fair-queue.ts';
import type { JobQueries } from '../../platform/store/jobs/open-job-store.ts';
import type { Lease } from '../../platform/store/row-leases.ts';
import { toHostKey } from '../../text/urls/sites.ts';
import type { JobReading, ReadForJob } from '../job-types.ts';
import {
  answerRead,
  CLAIM_END,
  type ClaimedRead,
  claimRead,
  collectReads,
  offerRead,
  readLeases,
  recordWorker,
  removeWorker,
  sweepReads,
  withdrawEarlier,
  withdrawRead,
} from './read-rows.ts';

/**
 * Distributes the reading of a job's pages over the processes on one PostgreSQL. The holder of the job's lease decides which page is
 * read when and writes the outcome; any process may read it. While no other process takes part, the holder reads all pages itself and
 * offers none.
 */
export type ReadDistributor = {
  /** Returns the function that reads pages for the holder of a job's lease. */
  readFor(lease: Lease): ReadForJob;
  /** Withdraws the reads that earlier holders of the job's lease offered. */
  begin(lease: Lease): Promise<void>;
  /** `look` claims reads and collects answers; `renew` extends claims and presence; `sweep` deletes old rows. The caller repeats each. */
  look(): Promise<void>;
  /** Milliseconds until the next round of `look`. */
  pauseMs(): number;
  renew(): Promise<void>;
  sweep(): Promise<void>;
  /** Aborts the reads of this process and leaves them to others. */
  stop(): Promise<void>;
};

/** Maximum pages that one process reads concurrently for the jobs of all processes. */
const READS_AT_ONCE_MAX = 16;
/** A page is given up after this many processes died on it, or failed for a reason other than the page. */
const TRIES_MAX = 4;
/** Pause between two rounds of claims and answers, with and without reads in progress. */
const LOOK_MS = 30;
const IDLE_MS = 200;
/** A process that has not been seen for this long is no longer counted. */
const SEEN_MS = 8_000;

type PendingRead = { resolve(reading: JobReading): void; reject(error: unknown): void };
type RunningRead = { claim: Lease; ending: AbortController; done: Promise<void> };
type DistributorDeps = { db: JobQueries; read: ReadForJob };

type DistributorState = {
  me: string;
  others: number;
  /** Offered reads whose results this process waits for, by id. */
  waiting: Map<string, PendingRead>;
  /** Claimed reads in progress in this process, by id. */
  reading: Map<string, RunningRead>;
};

export function createReadDistributor(deps: DistributorDeps): ReadDistributor {
  const { db, read } = deps;
  const state: DistributorState = { me: randomUUID(), others: 0, waiting: new Map(), reading: new Map() };
  return {
    begin: (lease) => withdrawEarlier(db, lease),
    readFor: (lease) => (url, how) =>
      state.others === 0 ? read(url, how) : readAnywhere(deps, state, { lease, url, how }),
    async look() {
      await claimReads(deps, state);
      await collectResults(deps, state);
    },
    pauseMs: () => (state.waiting.size + state.reading.size > 0 ? LOOK_MS : IDLE_MS),
    async renew() {
      state.others = await recordWorker(db, state.me, SEEN_MS);
      const all = [...state.reading.values()];
      const claims = all.map(({ claim }) => claim);
      const held = await readLeases.setEnd(db, claims, CLAIM_END);
      for (const { claim, ending } of all) if (!held.has(claim.id)) ending.abort();
    },
    sweep: () => sweepReads(db),
    async stop() {
      const all = [...state.reading.values()];
      for (const { ending } of all) ending.abort();
      await Promise.all(all.map(({ done }) => done));
      const claims = all.map(({ claim }) => claim);
      await readLeases.setEnd(db, claims, 0);
      await removeWorker(db, state.me);
    },
  };
}

type DistributedRead = { lease: Lease; url: string; how: Parameters<ReadForJob>[1] };

/** Offers a read to all processes, including this one, and waits for its result. */
async function readAnywhere(
  { db }: DistributorDeps,
  state: DistributorState,
  { lease, url, how }: DistributedRead,
): Promise<JobReading> {
  const { signal, paceMs, ...request } = how;
  const id = randomUUID();
  const { promise, ...settle } = Promise.withResolvers<JobReading>();
  // The offer may fail before anybody waits for the result.
  promise.catch(() => {});
  const leave = (): void =>
    settle.reject(createFetchFailure('aborted', 'the job has ended', { cause: signal.reason }));
  signal.addEventListener('abort', leave, { once: true });
  state.waiting.set(id, settle);
  try {
    await offerRead(db, lease, {
      id,
      offeredBy: state.me,
      host: toHostKey(url),
      paceMs,
      request: writeRequest({ ...request, url }),
    });
    return await promise;
  } catch (error) {
    if (signal.aborted) await withdrawRead(db, id);
    throw error;
  } finally {
    signal.removeEventListener('abort', leave);
    state.waiting.delete(id);
  }
}

/** Returns true while this process has claimed less than its share of its own offers; the rest is left to the others. */
function mayTakeOwn({ others, waiting, reading }: DistributorState): boolean {
  const own = [...reading.keys()].filter((id) => waiting.has(id)).length;
  return own < Math.ceil(waiting.size / (others + 1));
}

async function claimReads(deps: DistributorDeps, state: DistributorState): Promise<void> {
  while (state.reading.size < READS_AT_ONCE_MAX) {
    const claimed = await claimRead(deps.db, { worker: state.me, takesOwn: mayTakeOwn(state) });
    if (claimed === null) return;
    const ending = new AbortController();
    const done = performRead(deps, claimed, ending.signal).finally(() => state.reading.delete(claimed.id));
    state.reading.set(claimed.id, { claim: claimed, ending, done });
  }
}

/** Reads a claimed page and answers. Never rejects: an unanswered read can be claimed again when the claim expires. */
async function performRead(
  { db, read }: DistributorDeps,
  claimed: ClaimedRead,
  signal: AbortSignal,
): Promise<void> {
  const { url, reading, keep, tenant } = readRequest(claimed.request);
  if (claimed.token > TRIES_MAX) {
    const error = createFetchFailure('protocol', 'whoever reads the page does not come to an end');
    await answerRead(db, claimed, writeResult({ error }) ?? '').catch(() => {});
    return;
  }
  const outcome = await read(url, { reading, keep, tenant: tenant ?? undefined, signal, paceMs: 0 }).then(
    (page) => ({ reading: page }),
    (error: unknown) => ({ error }),
  );
  if (signal.aborted) return;
  const result = writeResult(outcome);
  if (result !== null) await answerRead(db, claimed, result).catch(() => {});
}

async function collectResults({ db }: DistributorDeps, { waiting }: DistributorState): Promise<void> {
  if (waiting.size === 0) return;
  for (const { id, result } of await collectReads(db, [...waiting.keys()])) {
    const { resolve, reject } = waiting.get(id) ?? { resolve() {}, reject() {} };
    try {
      resolve(readResult(result));
    } catch (error) {
      reject(error);
    }
  }
}

/** A read as it is offered to other processes, stored as JSON. */
type ReadRequest = { url: string; reading: unknown; tenant: string | null; keep: boolean };

type ReadResult =
  | { reading: JobReading }
  | { failure: { code: FailureCode; message: string; fetch: Failure['fetch'] } };

function writeRequest(request: Omit<ReadRequest, 'tenant'> & { tenant: Tenant }): string {
  const { url, reading, keep, tenant = null } = request;
  return JSON.stringify({ url, reading, keep, tenant } satisfies ReadRequest);
}

function readRequest(json: string): ReadRequest {
  return JSON.parse(json) as ReadRequest;
}

/** Serializes a page, or the `Failure` that says why it was not read; null for any other error, which other processes must not get. */
function writeResult(outcome: { reading: JobReading } | { error: unknown }): string | null {
  if ('reading' in outcome) return JSON.stringify(outcome satisfies ReadResult);
  if (!(outcome.error instanceof Failure)) return null;
  const { code, message, fetch } = outcome.error;
  return JSON.stringify({ failure: { code, message, fetch } } satisfies ReadResult);
}

/** Parses a page; throws the `Failure` if the read failed. */
function readResult(json: string): JobReading {
  const result = JSON.parse(json) as ReadResult;
  if ('reading' in result) return result.reading;
  const { code, message, fetch } = result.failure;
  throw fetch === null ? new Failure(code, message) : restoreFailure(code, message, fetch);
}

function restoreFailure(code: FailureCode, message: string, fetch: NonNullable<Failure['fetch']>): Failure {
  if (code !== 'fetch_failed') return new Failure(code, message, { fetch });
  return createFetchFailure(fetch.reason, message, fetch);
}
