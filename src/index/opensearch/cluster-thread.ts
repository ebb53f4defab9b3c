import { workerData } from 'node:worker_threads';
import { serveAtOnce } from '../../platform/threads/serve-calls.ts';
import { type EngineCalls, openClusterEngine } from './cluster-engine.ts';
import type { ClusterSettings } from './connect/cluster.ts';

/*
 * The index behind a cluster, in a thread of its own: reading pages into terms, parsing what the cluster answers, and ranking
 * keep the event loop of the server free. Calls wait for the cluster side by side.
 */
const { calls, prepare, close } = openClusterEngine(workerData as ClusterSettings);
serveAtOnce(onceReady(calls, prepare), { close });

/** The same calls, each of which first makes sure that the indices stand. */
function onceReady(engine: EngineCalls, prepare: () => Promise<void>): EngineCalls {
  let ready: Promise<void> | null = null;
  const isReady = (): Promise<void> => {
    ready ??= prepare().catch((error: unknown) => {
      ready = null;
      throw error;
    });
    return ready;
  };
  const calls = Object.entries(engine).map(([name, call]) => [
    name,
    async (argument: never, signal: AbortSignal) => {
      await isReady();
      return (call as (argument: never, signal: AbortSignal) => Promise<unknown>)(argument, signal);
    },
  ]);
  // The same procedures by the same names.
  return Object.fromEntries(calls) as EngineCalls;
}
