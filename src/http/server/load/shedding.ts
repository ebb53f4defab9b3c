import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Failure } from '../../../contract/errors.ts';
import type { Load, RequestLoad } from './load.ts';

declare module 'fastify' {
  interface FastifyRequest {
    load: RequestLoad;
  }
  interface FastifyContextConfig {
    /** Served under any load. */
    probe?: boolean;
  }
}

/**
 * Rejects requests while the service is at capacity: before their body is read and again before they are handled.
 * A request is in flight until its response is ready; from then on only the response's bytes count.
 */
export function shedLoad(
  app: FastifyInstance,
  load: Load,
  addressOf: (request: FastifyRequest) => string,
): void {
  const callerOf = (request: FastifyRequest): string => claimedCaller(request) ?? addressOf(request);
  app.decorateRequest('load');
  app.addHook('onRequest', (request, reply, done) => {
    request.load = load.begin();
    reply.raw.on('close', request.load.end);
    if (!request.routeOptions.config.probe) load.assertRoom(callerOf(request));
    done();
  });
  // Bodies that are still arriving hold no place, so slow ones do not keep others out.
  app.addHook('preHandler', (request, _reply, done) => {
    if (!request.routeOptions.config.probe) {
      const caller = callerOf(request);
      load.assertRoom(caller);
      request.load.enter(caller);
      request.load.startCall();
    }
    done();
  });
  app.addHook('onSend', (request, _reply, payload, done) => {
    // Buffers are shared between responses, so their bytes do not count; a stream's call is still running.
    if (typeof payload === 'string') request.load.addBytes(payload.length);
    if (typeof payload === 'string' || payload instanceof Uint8Array) request.load.endCall();
    done();
  });
}

/** The key that a request shows, which nobody has checked yet. */
function claimedCaller({ headers }: FastifyRequest): string | null {
  const { authorization, 'x-api-key': key } = headers;
  return authorization ?? (typeof key === 'string' ? key : null);
}

/** Answers health checks and metrics alone, in a process that is there for other work. */
export function takeProbesOnly(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.routeOptions.config.probe) done();
    else done(new Failure('not_found', 'This process works on crawls and answers no calls.'));
  });
}
