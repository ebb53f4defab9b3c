import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Events } from '../../contract/events.ts';
import type { CacheState } from '../../pages/article.ts';
import type { Log } from '../../platform/log.ts';
import type { HungUpSignal } from '../calls/deadline.ts';
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
  readonly hungUp: HungUpSignal;
  cache: CacheState | null;
  /** The code of the failure in the response. */
  code: string | null;
  /** Milliseconds per stage of the answer, if it states them. */
  stagesMs: Record<string, number> | null;
  /** The connection closed before the response had been sent. */
  hangUp(): void;
};

/** Nginx's conventional status for a client that closed the request; logged, never sent. */
const HUNG_UP = 499;

/** Follows each request from its first byte to the end of its response. */
type RequestWatch = {
  /** Adds the request id to the response. */
  begin(request: FastifyRequest, reply: FastifyReply): void;
  /** Adds `Connection: close` to the last response of a connection while the process drains. */
  beforeSend(request: { socket: Socket }, reply: FastifyReply): void;
  /** Counts and logs the request. `status`: null if the caller hung up first. */
  end(request: FastifyRequest, status: number | null): void;
};

/**
 * Adds the request id to every response (and, while draining, `Connection: close` to a connection's last), signals when a
 * caller hangs up, and counts and logs each request when it ends, as a warning with its stages if it took longer than
 * `slowRequestMs`: never its address, query, body or headers.
 */
export function createRequestWatch(deps: {
  log: Log;
  events: Pick<Events, 'requestEnded'>;
  draining: Pick<Draining, 'isOn'>;
  connections: Pick<Connections, 'isLast'>;
  slowRequestMs: number | null;
}): RequestWatch {
  const slowMs = deps.slowRequestMs ?? Number.POSITIVE_INFINITY;
  return {
    begin(request, reply) {
      request.watched = new WatchedRequest();
      reply.header('X-Request-Id', request.id).header('X-Content-Type-Options', 'nosniff');
    },
    beforeSend(request, reply) {
      if (deps.draining.isOn() && deps.connections.isLast(request)) reply.header('Connection', 'close');
    },
    end(request, status) {
      const { watched } = request;
      if (status === null) watched.hangUp();
      const line = buildLogLine(request, status ?? HUNG_UP);
      if (line.ms > slowMs) deps.log.warn({ ...line, stagesMs: watched.stagesMs }, 'slow request');
      else deps.log.info(line, 'request');
      deps.events.requestEnded(line);
    },
  };
}

/** Installs the request watch as hooks. */
export function watchRequests(app: FastifyInstance, watch: RequestWatch): void {
  app.decorateRequest('watched');
  app.addHook('onRequest', (request, reply, done) => {
    watch.begin(request, reply);
    reply.raw.on('close', () => watch.end(request, reply.raw.writableFinished ? reply.raw.statusCode : null));
    done();
  });
  app.addHook('onSend', ({ raw }, reply, _payload, done) => {
    watch.beforeSend(raw, reply);
    done();
  });
}

/** A class, because for answers from memory, which most are, per-request closures and an EventTarget would be most of the allocations. */
class WatchedRequest implements RequestRecord, HungUpSignal {
  readonly started = performance.now();
  readonly hungUp: HungUpSignal = this;
  cache: CacheState | null = null;
  code: string | null = null;
  stagesMs: Record<string, number> | null = null;
  aborted = false;
  #listeners: Set<() => void> | null = null;

  hangUp(): void {
    if (this.aborted) return;
    this.aborted = true;
    for (const listener of this.#listeners ?? []) listener();
  }

  addEventListener(_event: 'abort', listener: () => void): void {
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
  }

  removeEventListener(_event: 'abort', listener: () => void): void {
    this.#listeners?.delete(listener);
  }
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
