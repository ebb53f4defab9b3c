/**
 * Serving with several processes on one port, and only that: a single process is served by `serve.ts` without any of this.
 * The primary process answers no requests; it starts, replaces and drains workers, and merges their metrics.
 */
import cluster, { type Worker } from 'node:cluster';
import { createLog } from '../../platform/log.ts';
import { type Config, ConfigError } from '../config.ts';
import { createMetricsGatherer } from './gather-readings.ts';
import type { Role, WorkerKind } from './supervisor.ts';
import { Supervisor } from './supervisor.ts';

/**
 * Serves with several processes that share the port. One that ends is replaced. SIGTERM and SIGINT drain and end all; SIGHUP replaces them
 * one after another, each only once its successor listens, so that no call is refused. Throws ConfigError without DATABASE_URL.
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
  const metrics = createMetricsGatherer();
  const fork = (kind: WorkerKind): Worker => {
    const worker = forkWorker(role, kind);
    metrics.add(worker);
    return worker;
  };
  const supervisor = new Supervisor({ fork, log });
  const end = (): void => void supervisor.end().then(() => process.exit(0));
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
  const started = startAll(supervisor, workers);
  process.on('SIGHUP', () => void started.then(() => supervisor.replaceAll()));
  if (!(await started)) process.exitCode = 1;
}

function forkWorker(role: Role, kind: WorkerKind): Worker {
  cluster.setupPrimary({ args: ['serve', '--role', role, '--worker', kind] });
  return cluster.fork();
}

/** Starts all workers. Resolves to whether the first one serves. */
async function startAll(supervisor: Supervisor, workers: number): Promise<boolean> {
  // The first starts alone, because it may have to move or rebuild a file of the data folder.
  if (!(await supervisor.start({ leads: true }))) return false;
  for (let nth = 1; nth < workers; nth += 1) await supervisor.start({ leads: false });
  return true;
}
