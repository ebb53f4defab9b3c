import type { FastifyInstance } from 'fastify';
import type { Load, RequestLoad } from './load.ts';

declare module 'fastify' {
  interface FastifyRequest {
    load: RequestLoad;
  }
  interface FastifyContextConfig {
    /** Answered under any load. */
    probe?: boolean;
  }
}

/**
 * Refuses requests while the service carries as much as it can: before their body is read and again before they are
 * handled. A request is under way until its answer is ready; from then on only the bytes of the answer count.
 */
export function shedLoad(app: FastifyInstance, load: Load): void {
  app.decorateRequest('load');
  app.addHook('onRequest', async (request, reply) => {
    request.load = load.begin();
    reply.raw.once('close', request.load.end);
    if (!request.routeOptions.config.probe) load.assertRoom();
  });
  app.addHook('preHandler', async (request) => {
    if (request.routeOptions.config.probe) return;
    load.assertRoom();
    request.load.startCall();
  });
  app.addHook('onSend', async (request, _reply, payload) => {
    // A buffer is shared by everybody whom it is sent to; a stream is work that goes on.
    if (typeof payload === 'string') request.load.addBytes(payload.length);
    if (typeof payload === 'string' || payload instanceof Uint8Array) request.load.endCall();
  });
}
