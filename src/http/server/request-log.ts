import { performance } from 'node:perf_hooks';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Events } from '../../contract/events.ts';
import type { CacheState } from '../../pages/article.ts';
import type { Log } from '../../platform/log.ts';
import type { Draining } from './draining.ts';

/** What is known of a request besides its content. */
type Watched = {
  /** Fires when the connection ends before the answer has been sent. */
  hungUp: AbortSignal;
  cache: CacheState | null;
  /** The code of the failure that was answered. */
  code: string | null;
};

declare module 'fastify' {
  interface FastifyRequest {
    watched: Watched;
  }
}

/** What nginx made the usual status of a caller that did not wait; never sent. */
const HUNG_UP = 499;

/**
 * Marks every answer with its request id (and the last one of a connection with `Connection: close` while draining), tells
 * when a caller hangs up, and counts and logs each request when it is over: never its address, query, body or headers.
 */
export function watchRequests(
  app: FastifyInstance,
  parts: { log: Log; events: Events; draining: Draining },
): void {
  app.decorateRequest('watched');
  app.addHook('onRequest', async (request, reply) => {
    const hangUp = new AbortController();
    const started = performance.now();
    request.watched = { hungUp: hangUp.signal, cache: null, code: null };
    reply.header('X-Request-Id', request.id).header('X-Content-Type-Options', 'nosniff');
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) hangUp.abort();
      const line = lineOf(request, reply, performance.now() - started);
      parts.log.info(line, 'request');
      parts.events.requestEnded(line);
    });
  });
  app.addHook('onSend', async ({ raw }, reply) => {
    if (parts.draining.isOn() && app.connections.isLast(raw)) reply.header('Connection', 'close');
  });
}

/** Whether the head of an answer was handed to its connection; one that waits behind other answers has none yet. */
export function hasBegunToLeave({ raw }: FastifyReply): boolean {
  return raw.headersSent && raw.socket !== null;
}

/** What is logged; the metrics take route, status and time of it. */
type Line = {
  requestId: string;
  method: string;
  route: string | null;
  status: number;
  ms: number;
  code?: string;
  cache?: CacheState;
};

function lineOf(request: FastifyRequest, reply: FastifyReply, ms: number): Line {
  const { cache, code } = request.watched;
  return {
    requestId: request.id,
    method: request.method,
    route: request.is404 ? null : (request.routeOptions.url ?? null),
    status: reply.raw.writableFinished ? reply.raw.statusCode : HUNG_UP,
    ms: Math.round(ms),
    ...(code === null ? {} : { code }),
    ...(cache === null ? {} : { cache }),
  };
}
