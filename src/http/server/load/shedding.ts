import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Failure } from '../../../contract/errors.ts';
import type { Load, RequestLoad } from './load.ts';
import type { LoopTurns, Requester } from './loop-turns.ts';

declare module 'fastify' {
  interface FastifyRequest {
    load: RequestLoad;
  }
  interface FastifyContextConfig {
    /** Served under any load. */
    probe?: boolean;
  }
}

/** Load accounting at each stage of a request. */
type LoadShedder = {
  /** Throws `Failure('overloaded')` before the body is read. */
  begin(request: FastifyRequest): void;
  /** Throws `Failure('overloaded')` before the request is handled. */
  admit(request: FastifyRequest): void;
  sent(request: FastifyRequest, payload: unknown): void;
  requesterOf(request: FastifyRequest): Requester;
};

/**
 * Rejects requests while the service is at capacity: before their body is read, and again before they are handled. A request is in flight
 * until its response is ready; from then on only the response's bytes count.
 */
export function createLoadShedder(load: Load, addressOf: (request: FastifyRequest) => string): LoadShedder {
  const identifySender = (request: FastifyRequest): string => readClaimedKey(request) ?? addressOf(request);
  return {
    requesterOf: (request) => ({ address: addressOf(request), claim: readClaimedKey(request) ?? '' }),
    begin(request) {
      request.load = load.begin();
      if (!request.routeOptions.config.probe) load.assertRoom(identifySender(request));
    },
    // Requests whose body is still arriving hold no place, so that slow senders do not keep others out.
    admit(request) {
      if (request.routeOptions.config.probe) return;
      const caller = identifySender(request);
      load.assertRoom(caller);
      request.load.enter(caller);
      request.load.startCall();
    },
    sent(request, payload) {
      // Buffers are shared between responses, so their bytes do not count; a stream's call is still running.
      if (typeof payload === 'string') request.load.addBytes(payload.length);
      if (typeof payload === 'string' || payload instanceof Uint8Array) request.load.endCall();
    },
  };
}

/** Installs load shedding as hooks; admitted requests begin in their turn on the event loop. */
export function shedLoad(
  app: FastifyInstance,
  { shedding, turns }: { shedding: LoadShedder; turns: LoopTurns },
): void {
  app.decorateRequest('load');
  app.addHook('onRequest', (request, reply, done) => {
    reply.raw.on('close', () => request.load.end());
    shedding.begin(request);
    done();
  });
  app.addHook('preHandler', (request, _reply, done) => {
    shedding.admit(request);
    if (request.routeOptions.config.probe) done();
    else turns.take(shedding.requesterOf(request), done);
  });
  app.addHook('onSend', (request, _reply, payload, done) => {
    shedding.sent(request, payload);
    done();
  });
}

/** Reads the key that a request sends, unchecked. */
function readClaimedKey({ headers }: FastifyRequest): string | null {
  const { authorization, 'x-api-key': key } = headers;
  return authorization ?? (typeof key === 'string' ? key : null);
}

/** Answers only health checks and metrics, in a process that serves no calls. */
export function answerProbesOnly(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.routeOptions.config.probe) done();
    else done(new Failure('not_found', 'This process works on crawls and answers no calls.'));
  });
}
