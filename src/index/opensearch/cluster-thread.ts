import { workerData } from 'node:worker_threads';
import { serveAtOnce } from '../../platform/threads/serve-calls.ts';
import { type EngineCalls, openClusterEngine } from './cluster-engine.ts';
import type { ClusterSettings } from './connect/cluster.ts';

/*
 * Runs the cluster engine in its own thread, so that reading pages into terms, parsing responses and ranking do not block the event
 * loop of the server. Calls wait for the cluster concurrently.
 */
const { calls, prepare, close } = openClusterEngine(workerData as ClusterSettings);
serveAtOnce(withPreparation(calls, prepare), { close });

/** Wraps the calls so that each first ensures that the indices exist. */
function withPreparation(engine: EngineCalls, prepare: () => Promise<void>): EngineCalls {
  let ready: Promise<void> | null = null;
  const ensureReady = (): Promise<void> => {
    ready ??= prepare().catch((error: unknown) => {
      ready = null;
      throw error;
    });
    return ready;
  };
  const calls = Object.entries(engine).map(([name, call]) => [
    name,
    async (argument: never, signal: AbortSignal) => {
      await ensureReady();
      return (call as (argument: never, signal: AbortSignal) => Promise<unknown>)(argument, signal);
    },
  ]);
  // The entries have the names and the signatures of the engine's.
  return Object.fromEntries(calls) as EngineCalls;
}
