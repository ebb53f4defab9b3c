import { randomUUID } from 'node:crypto';
import { Failure, type FailureCode, fetchFailed } from '../../contract/errors.ts';
import type { Tenant } from '../../platform/sharing/fair-shares.ts';
import type { JobQueries } from '../../platform/store/jobs/open-job-store.ts';
import { hostKey } from '../../text/urls/sites.ts';
import type { JobReading, ReadForJob } from '../job-types.ts';
import type { Lease } from '../rows/lease.ts';
import {
  answerRead,
  type ClaimedRead,
  claimRead,
  collectReads,
  noteWorker,
  offerRead,
  type ReadClaim,
  releaseClaims,
  removeWorker,
  renewClaims,
  sweepReads,
  withdrawEarlier,
  withdrawRead,
} from './read-rows.ts';

/**
 * Spreads the reading of a job's pages over the processes on one PostgreSQL. The holder of the job's lease decides which page is read
 * when, and writes what becomes of it; any process reads it. While no other process takes part, the holder reads all pages itself and
 * writes nothing for it.
 */
export type ReadSpreader = {
  /** Reads pages for the holder of a job's lease. */
  readFor(lease: Lease): ReadForJob;
  /** Withdraws what earlier holders of the job asked for. */
  begin(lease: Lease): Promise<void>;
  /** One round of each piece of work, for a caller that repeats them: claims and answers of reads; claims and presence kept up; rows swept. */
  look(): Promise<void>;
  /** Milliseconds until the next round of `look`. */
  pauseMs(): number;
  renew(): Promise<void>;
  sweep(): Promise<void>;
  /** Aborts what is being read here and leaves it to others. */
  stop(): Promise<void>;
};

/** Pages that one process reads at once for the jobs of all. */
const READS_AT_ONCE_MAX = 16;
/** A page on which this many processes have died, or failed for another reason than the page, is given up. */
const TRIES_MAX = 4;
/** Between two rounds of claims and answers, with and without reads in progress. */
const LOOK_MS = 30;
const IDLE_MS = 200;
/** A process that is not seen for this long counts no longer. */
const SEEN_MS = 8_000;

type Waiting = { resolve(reading: JobReading): void; reject(error: unknown): void };
type Reading = { claim: ReadClaim; ending: AbortController; done: Promise<void> };
type SpreadDeps = { db: JobQueries; read: ReadForJob };

type State = {
  me: string;
  others: number;
  /** Reads that this process waits for, by id. */
  waiting: Map<string, Waiting>;
  /** Reads that this process is at. */
  reading: Map<string, Reading>;
};

export function createReadSpreader(deps: SpreadDeps): ReadSpreader {
  const { db, read } = deps;
  const state: State = { me: randomUUID(), others: 0, waiting: new Map(), reading: new Map() };
  return {
    begin: (lease) => withdrawEarlier(db, lease),
    readFor: (lease) => (url, how) =>
      state.others === 0 ? read(url, how) : readAnywhere(deps, state, { lease, url, how }),
    async look() {
      await claimSome(deps, state);
      await collect(deps, state);
    },
    pauseMs: () => (state.waiting.size + state.reading.size > 0 ? LOOK_MS : IDLE_MS),
    async renew() {
      state.others = await noteWorker(db, state.me, SEEN_MS);
      const all = [...state.reading.values()];
      const held = await renewClaims(
        db,
        all.map(({ claim }) => claim),
      );
      for (const { claim, ending } of all) if (!held.has(claim.id)) ending.abort();
    },
    sweep: () => sweepReads(db),
    async stop() {
      const all = [...state.reading.values()];
      for (const { ending } of all) ending.abort();
      await Promise.all(all.map(({ done }) => done));
      await releaseClaims(
        db,
        all.map(({ claim }) => claim),
      );
      await removeWorker(db, state.me);
    },
  };
}

type Asked = { lease: Lease; url: string; how: Parameters<ReadForJob>[1] };

/** Offers a read to all processes, this one included, and waits for its result. */
async function readAnywhere(
  { db }: SpreadDeps,
  state: State,
  { lease, url, how }: Asked,
): Promise<JobReading> {
  const { signal, paceMs, ...request } = how;
  const id = randomUUID();
  const { promise, ...settle } = Promise.withResolvers<JobReading>();
  // The offer may fail before anybody waits for the result.
  promise.catch(() => {});
  const leave = (): void =>
    settle.reject(fetchFailed('aborted', 'the job has ended', { cause: signal.reason }));
  signal.addEventListener('abort', leave, { once: true });
  state.waiting.set(id, settle);
  try {
    await offerRead(db, lease, {
      id,
      offeredBy: state.me,
      host: hostKey(url),
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

/** This process leaves a share of its own offers to the others; if they do not take them, it does. */
function mayTakeOwn({ others, waiting, reading }: State): boolean {
  const own = [...reading.keys()].filter((id) => waiting.has(id)).length;
  return own < Math.ceil(waiting.size / (others + 1));
}

async function claimSome(deps: SpreadDeps, state: State): Promise<void> {
  while (state.reading.size < READS_AT_ONCE_MAX) {
    const claimed = await claimRead(deps.db, { worker: state.me, takesOwn: mayTakeOwn(state) });
    if (claimed === null) return;
    const ending = new AbortController();
    const done = perform(deps, claimed, ending.signal).finally(() => state.reading.delete(claimed.id));
    state.reading.set(claimed.id, { claim: claimed, ending, done });
  }
}

/** Reads a page that was claimed, and answers. Never rejects: what is not answered is claimed again when its time is over. */
async function perform({ db, read }: SpreadDeps, claimed: ClaimedRead, signal: AbortSignal): Promise<void> {
  const { url, reading, keep, tenant } = readRequest(claimed.request);
  if (claimed.token > TRIES_MAX) {
    const error = fetchFailed('protocol', 'whoever reads the page does not come to an end');
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

async function collect({ db }: SpreadDeps, { waiting }: State): Promise<void> {
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

/** What another process is asked to read. */
type ReadWanted = { url: string; reading: unknown; tenant: string | null; keep: boolean };

type ReadResult =
  | { reading: JobReading }
  | { failure: { code: FailureCode; message: string; fetch: Failure['fetch'] } };

function writeRequest(request: Omit<ReadWanted, 'tenant'> & { tenant: Tenant }): string {
  const { url, reading, keep, tenant = null } = request;
  return JSON.stringify({ url, reading, keep, tenant } satisfies ReadWanted);
}

function readRequest(json: string): ReadWanted {
  return JSON.parse(json) as ReadWanted;
}

/** A page that was read, or the `Failure` that says why it was not; null for any other error, which is not for others to have. */
function writeResult(outcome: { reading: JobReading } | { error: unknown }): string | null {
  if ('reading' in outcome) return JSON.stringify(outcome satisfies ReadResult);
  if (!(outcome.error instanceof Failure)) return null;
  const { code, message, fetch } = outcome.error;
  return JSON.stringify({ failure: { code, message, fetch } } satisfies ReadResult);
}

/** Throws the `Failure` that came instead of a page. */
function readResult(json: string): JobReading {
  const result = JSON.parse(json) as ReadResult;
  if ('reading' in result) return result.reading;
  const { code, message, fetch } = result.failure;
  throw fetch === null ? new Failure(code, message) : fetchFailedAs(code, message, fetch);
}

function fetchFailedAs(code: FailureCode, message: string, fetch: NonNullable<Failure['fetch']>): Failure {
  if (code !== 'fetch_failed') return new Failure(code, message, { fetch });
  return fetchFailed(fetch.reason, message, fetch);
}
