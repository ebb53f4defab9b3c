import { Failure } from '../../contract/errors.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { RebuildState } from '../../search/search-types.ts';
import type { Answer, Call } from '../calls/call.ts';

/** Liveness check. Depends on nothing outside the process, so that an outage elsewhere never restarts it. */
export async function answerLiveness({ requestId }: Call): Promise<Answer> {
  return { body: { status: 'ok', requestId } };
}

/** Readiness check: fails while draining and while the store does not respond or accept writes. */
export function createReadinessHandler(deps: {
  isDraining(): boolean;
  /** Some calls are refused for lack of capacity. The process stays ready, because without it the others would be even busier. */
  isShedding(): boolean;
  ping(): Promise<void>;
  /** Null unless the local index is being rebuilt; the service works meanwhile. */
  rebuildState(): RebuildState | null;
  /**
   * State of the index cluster; null if the index is a file. Without the cluster the service still reads pages and queries its other
   * sources.
   */
  clusterState(): Promise<'reachable' | 'unreachable'> | null;
}): (call: Call) => Promise<Answer> {
  return async ({ requestId }) => {
    if (deps.isDraining()) throw new Failure('overloaded', 'The service is shutting down.');
    try {
      await deps.ping();
    } catch (cause) {
      throw new Failure('overloaded', 'The store is not responding or not accepting writes.', { cause });
    }
    const index = deps.rebuildState();
    const cluster = await deps.clusterState();
    return {
      body: {
        status: 'ready',
        requestId,
        ...(deps.isShedding() ? { load: 'shedding' } : {}),
        ...(index === null ? {} : { index }),
        ...(cluster === null ? {} : { opensearch: cluster }),
      },
    };
  };
}

/** GET /metrics in the Prometheus text format. */
export function createMetricsHandler(metrics: Pick<Metrics, 'text'>): () => Promise<Answer> {
  return async () => {
    const { contentType, body } = await metrics.text();
    return { body, headers: { 'content-type': contentType } };
  };
}
