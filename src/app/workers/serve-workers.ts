import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { createLog, type Log } from '../../platform/log.ts';
import { type Config, ConfigError } from '../config.ts';
import type { Role, WorkerKind } from './serving.ts';

/** A worker that ends is replaced after this time, and after longer ones while its successors end as well. */
const RESTART_MS_FIRST = 250;
const RESTART_MS_MAX = 30_000;
/** A worker that served this long counts as started well. */
const WELL_MS = 30_000;
/** A worker drains for 9.5 s at most. */
const END_MS = 12_000;

/**
 * Serves with several processes that share the port. One that ends is replaced. SIGTERM and SIGINT drain and end all; SIGHUP replaces them
 * one after another, each only once its successor listens, so that no call is refused. Throws ConfigError where processes cannot share.
 */
export async function serveWorkers(
  config: Config,
  { role, workers }: { role: Role; workers: number },
): Promise<void> {
  if (config.databaseUrl === null)
    throw new ConfigError(
      'DATABASE_URL: is missing: several processes share their ledger and jobs in PostgreSQL, so --workers needs it',
    );
  const log = createLog(config.logLevel);
  const supervisor = createSupervisor({ role, log });
  const end = (): void => void supervisor.end().then(() => process.exit(0));
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
  const started = startAll(supervisor, workers);
  process.on('SIGHUP', () => void started.then(supervisor.replaceAll));
  if (!(await started)) process.exitCode = 1;
}

/** Resolves to whether the first worker serves. */
async function startAll(supervisor: Supervisor, workers: number): Promise<boolean> {
  // Alone, because it may have to move or rebuild a file of the data folder.
  const first = await supervisor.start({ leads: true });
  if (first === null) return false;
  for (let nth = 1; nth < workers; nth += 1) await supervisor.start({ leads: false });
  return true;
}

type Place = { leads: boolean };

/** The worker processes, one for each place. */
type Supervisor = {
  /** Starts a worker, and keeps its place filled from then on; null if it ended before it listened. */
  start(place: Place): Promise<Worker | null>;
  replaceAll(): Promise<void>;
  end(): Promise<void>;
};

function createSupervisor({ role, log }: { role: Role; log: Log }): Supervisor {
  const places = new Map<Place, Worker>();
  let isEnding = false;
  let replacing: Promise<void> = Promise.resolve();

  const fork = async ({ leads }: Place): Promise<Worker | null> => {
    const kind: WorkerKind = !leads ? 'follower' : places.size === 0 ? 'first' : 'leader';
    cluster.setupPrimary({ args: ['serve', '--role', role, '--worker', kind] });
    const worker = cluster.fork();
    // A connection that was handed to a worker as it died goes to another one.
    worker.on('error', () => {});
    const ended = once(worker, 'exit');
    return Promise.race([once(worker, 'listening').then(() => worker), ended.then(() => null)]);
  };
  const keep = (place: Place, worker: Worker, { restartMs }: { restartMs: number }): void => {
    places.set(place, worker);
    const since = performance.now();
    worker.once('exit', (code, signal) => {
      if (isEnding || places.get(place) !== worker) return;
      log.error({ code, signal }, 'a worker ended, and is replaced');
      const nextMs = performance.now() - since > WELL_MS ? RESTART_MS_FIRST : restartMs;
      void refill(place, nextMs);
    });
  };
  const refill = async (place: Place, restartMs: number): Promise<void> => {
    for (let ms = restartMs; !isEnding; ms = Math.min(RESTART_MS_MAX, ms * 2)) {
      await pause(ms);
      const worker = isEnding ? null : await fork(place);
      if (worker !== null) return keep(place, worker, { restartMs: Math.min(RESTART_MS_MAX, ms * 2) });
    }
  };
  const replace = async (place: Place, old: Worker): Promise<void> => {
    const worker = await fork(place);
    if (worker === null) {
      log.error('a new worker did not start; the old one goes on');
      return;
    }
    keep(place, worker, { restartMs: RESTART_MS_FIRST });
    await stopWorker(old);
  };
  return {
    async start(place) {
      const worker = await fork(place);
      if (worker !== null) keep(place, worker, { restartMs: RESTART_MS_FIRST });
      return worker;
    },
    replaceAll() {
      replacing = replacing.then(async () => {
        for (const [place, old] of [...places]) if (!isEnding) await replace(place, old);
      });
      return replacing;
    },
    async end() {
      isEnding = true;
      await Promise.all([...places.values()].map(stopWorker));
    },
  };
}

/** Asks a worker to drain and end, and ends it if it does not. */
async function stopWorker(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const ended = once(worker, 'exit');
  worker.process.kill('SIGTERM');
  const late = new AbortController();
  const kill = pause(END_MS, undefined, { signal: late.signal }).then(
    () => void worker.process.kill('SIGKILL'),
    () => {},
  );
  await ended;
  late.abort();
  await kill;
}
