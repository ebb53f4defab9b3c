import type { Cluster } from '../connect/cluster.ts';
import { type IndexNames, STATE_ID } from '../layout/layout.ts';

/** Counters shared by all processes: changes to pages, changes that removed pages, and times that pages were forgotten. */
export type ClusterCounters = { changes: number; removals: number; epoch: number };

const READ_TIMEOUT_MS = 1_000;

/** Reads the current counters. */
export async function readCounters(cluster: Cluster, { state }: IndexNames): Promise<ClusterCounters> {
  const { _source: counters } = await cluster.request<{ _source: ClusterCounters }>({
    method: 'GET',
    path: `/${state}/_doc/${STATE_ID}`,
    timeoutMs: READ_TIMEOUT_MS,
  });
  return counters;
}

const SUM = ['changes', 'removals', 'epoch']
  .map((name) => `ctx._source.${name} += params.${name}`)
  .join('; ');

/** Increases the counters; must be called once searches find the changes. */
export async function countChanges(
  cluster: Cluster,
  { state }: IndexNames,
  { changes, removals = 0, epoch = 0 }: { changes: number; removals?: number; epoch?: number },
): Promise<void> {
  await cluster.request({
    method: 'POST',
    path: `/${state}/_update/${STATE_ID}`,
    query: { retry_on_conflict: 20 },
    body: {
      script: {
        lang: 'painless',
        source: SUM,
        params: { changes, removals, epoch },
      },
      upsert: { changes, removals, epoch },
    },
  });
}
