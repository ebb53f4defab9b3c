import { Failure } from '../../contract/errors.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Answer, Call } from '../calls/call.ts';

/** The process lives. Depends on nothing outside it, so that an outage elsewhere never restarts it. */
export async function healthz({ requestId }: Call): Promise<Answer> {
  return { body: { status: 'ok', requestId } };
}

/** Traffic may come: not while draining, and not while the store does not answer or takes no writes. */
export function readyz(parts: {
  isDraining(): boolean;
  ping(): Promise<void>;
}): (call: Call) => Promise<Answer> {
  return async ({ requestId }) => {
    if (parts.isDraining()) throw new Failure('overloaded', 'The service is shutting down.');
    try {
      await parts.ping();
    } catch (cause) {
      throw new Failure('overloaded', 'The store does not answer or takes no writes.', { cause });
    }
    return { body: { status: 'ready', requestId } };
  };
}

/** GET /metrics: the text format of Prometheus. */
export function metricsHandler(metrics: Pick<Metrics, 'text'>): () => Promise<Answer> {
  return async () => {
    const { contentType, body } = await metrics.text();
    return { body, headers: { 'content-type': contentType } };
  };
}
