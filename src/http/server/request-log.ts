import { performance } from 'node:perf_hooks';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Events } from '../../contract/events.ts';
import type { CacheState } from '../../pages/article.ts';
import type { Log } from '../../platform/log.ts';
import type { Draining } from './draining.ts';

/** What is tracked about a request besides its content. */
type Watched = {
  /** Fires when the connection closes before the response has been sent. */
  readonly hungUp: AbortSignal;
  cache: CacheState | null;
  /** The code of the failure in the response. */
  code: string | null;
  /** Milliseconds of the stages of the answer, where it tells them. */
  stagesMs: Record<string, number> | null;
};

declare module 'fastify' {
  interface FastifyRequest {
    watched: Watched;
  }
}

/** Nginx's conventional status for a client that closed the request; logged, never sent. */
const HUNG_UP = 499;

/**
 * Adds the request id to every response (and, while draining, `Connection: close` to a connection's last), signals when a
 * caller hangs up, and counts and logs each request when it ends, as a warning with its stages if it took longer than
 * `slowRequestMs`: never its address, query, body or headers.
 */
export function watchRequests(
  app: FastifyInstance,
  deps: { log: Log; events: Events; draining: Draining; slowRequestMs: number | null },
): void {
  app.decorateRequest('watched');
  app.addHook('onRequest', (request, reply, done) => {
    const started = performance.now();
    const watched = new WatchedRequest();
    request.watched = watched;
    reply.header('X-Request-Id', request.id).header('X-Content-Type-Options', 'nosniff');
    reply.raw.on('close', () => {
      if (!reply.raw.writableFinished) watched.hangUp();
      const line = lineOf(request, reply, performance.now() - started);
      if (line.ms > (deps.slowRequestMs ?? Number.POSITIVE_INFINITY))
        deps.log.warn({ ...line, stagesMs: watched.stagesMs }, 'slow request');
      else deps.log.info(line, 'request');
      deps.events.requestEnded(line);
    });
    done();
  });
  app.addHook('onSend', ({ raw }, reply, _payload, done) => {
    if (deps.draining.isOn() && app.connections.isLast(raw)) reply.header('Connection', 'close');
    done();
  });
}

/** Makes the signal when it is first asked for: most answers from memory need none. */
class WatchedRequest implements Watched {
  cache: CacheState | null = null;
  code: string | null = null;
  stagesMs: Record<string, number> | null = null;
  #controller: AbortController | null = null;
  #isHungUp = false;

  get hungUp(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isHungUp) this.#controller.abort();
    return this.#controller.signal;
  }

  hangUp(): void {
    this.#isHungUp = true;
    this.#controller?.abort();
  }
}

/** Whether a response's head has been written to its connection; a response queued behind others has none yet. */
export function hasBegunToLeave({ raw }: FastifyReply): boolean {
  return raw.headersSent && raw.socket !== null;
}

/** One log line; the metrics use its route, status and time. */
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
  const line: Line = {
    requestId: request.id,
    method: request.method,
    route: request.is404 ? null : (request.routeOptions.url ?? null),
    status: reply.raw.writableFinished ? reply.raw.statusCode : HUNG_UP,
    ms: Math.round(ms),
  };
  if (code !== null) line.code = code;
  if (cache !== null) line.cache = cache;
  return line;
}
