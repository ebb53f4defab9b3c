import { Failure } from '../../contract/errors.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { RebuildState } from '../../search/search-types.ts';
import type { Answer, Call } from '../calls/call.ts';

/** Liveness. Depends on nothing outside the process, so that an outage elsewhere never restarts it. */
export async function healthz({ requestId }: Call): Promise<Answer> {
  return { body: { status: 'ok', requestId } };
}

/** Readiness: fails while draining and while the store does not respond or accept writes. */
export function readyz(deps: {
  isDraining(): boolean;
  /** Whether some calls are refused for want of room. The process then does all that it can, so it stays ready: without it the others would have more to do. */
  isShedding(): boolean;
  ping(): Promise<void>;
  /** Null unless the local index is being rebuilt, which does not keep the service from working. */
  rebuildState(): RebuildState | null;
  /** How the cluster with the index is; null where the index is a file. While it is away the service still reads pages and asks its other sources. */
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
export function metricsHandler(metrics: Pick<Metrics, 'text'>): () => Promise<Answer> {
  return async () => {
    const { contentType, body } = await metrics.text();
    return { body, headers: { 'content-type': contentType } };
  };
}
