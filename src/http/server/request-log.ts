/** Follows each request from its first byte to the end of its response: its id, its hang-up signal, its log line and its figures. */
import { performance } from 'node:perf_hooks';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Events } from '../../contract/events.ts';
import type { CacheState } from '../../pages/article.ts';
import type { Log } from '../../platform/log.ts';
import type { LoadOfDay } from '../console/state/load-of-day.ts';
import type { Connections, Draining } from './connections.ts';

declare module 'fastify' {
  interface FastifyRequest {
    watched: RequestRecord;
  }
}

/** Data tracked about a request besides its content. */
type RequestRecord = {
  /** Arrival time, a `performance.now()`. */
  readonly started: number;
  /** Fires when the connection closes before the response has been sent. */
  readonly hungUp: AbortSignal;
  cache: CacheState | null;
  /** The code of the failure in the response. */
  code: string | null;
  /** Milliseconds per stage of the answer, if it states them. */
  stagesMs: Record<string, number> | null;
};

/** Nginx's conventional status for a client that closed the request; logged, never sent. */
const HUNG_UP = 499;

/**
 * Adds the request id to every response (and, while draining, `Connection: close` to a connection's last), signals when a
 * caller hangs up, and counts and logs each request when it ends, as a warning with its stages if it took longer than
 * `slowRequestMs`: never its address, query, body or headers.
 */
export function watchRequests(
  app: FastifyInstance,
  deps: {
    log: Log;
    events: Pick<Events, 'requestEnded'>;
    draining: Pick<Draining, 'isOn'>;
    connections: Pick<Connections, 'isLast'>;
    slowRequestMs: number | null;
    /** Null: no operator looks at the load of the day. */
    console: { loadOfDay: Pick<LoadOfDay, 'note'> } | null;
  },
): void {
  const slowMs = deps.slowRequestMs ?? Number.POSITIVE_INFINITY;
  app.decorateRequest('watched');
  app.addHook('onRequest', (request, reply, done) => {
    const hangUp = new AbortController();
    const started = performance.now();
    request.watched = { started, hungUp: hangUp.signal, cache: null, code: null, stagesMs: null };
    reply.header('X-Request-Id', request.id).header('X-Content-Type-Options', 'nosniff');
    reply.raw.on('close', () => {
      const isSent = reply.raw.writableFinished;
      if (!isSent) hangUp.abort();
      const line = buildLogLine(request, isSent ? reply.raw.statusCode : HUNG_UP);
      if (line.ms > slowMs) deps.log.warn({ ...line, stagesMs: request.watched.stagesMs }, 'slow request');
      else deps.log.info(line, 'request');
      deps.events.requestEnded(line);
      deps.console?.loadOfDay.note(line);
    });
    done();
  });
  app.addHook('onSend', ({ raw }, reply, _payload, done) => {
    if (deps.draining.isOn() && deps.connections.isLast(raw)) reply.header('Connection', 'close');
    done();
  });
}

/** Returns true if a response's head has been written to its connection; a response queued behind others has no connection yet. */
export function hasBegunSending({ raw }: Pick<FastifyReply, 'raw'>): boolean {
  return raw.headersSent && raw.socket !== null;
}

/** One log line; the metrics use its route, status and time. */
type LogLine = {
  requestId: string;
  method: string;
  route: string | null;
  status: number;
  ms: number;
  code?: string;
  cache?: CacheState;
};

function buildLogLine(request: FastifyRequest, status: number): LogLine {
  const { cache, code, started } = request.watched;
  const line: LogLine = {
    requestId: request.id,
    method: request.method,
    route: request.is404 ? null : (request.routeOptions.url ?? null),
    status,
    ms: Math.round(performance.now() - started),
  };
  if (code !== null) line.code = code;
  if (cache !== null) line.cache = cache;
  return line;
}
