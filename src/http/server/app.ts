import type { Server, ServerOptions } from 'node:http';
import cors from '@fastify/cors';
import { type FastifyHttpOptions, type FastifyInstance, fastify } from 'fastify';
import type { Events } from '../../contract/events.ts';
import { CALL_WAIT_MS_MAX, CONNECTIONS_MAX } from '../../contract/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import { newRequestId } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import type { LoopDelay } from '../../platform/loop-delay.ts';
import type { Route } from '../calls/call.ts';
import { callerOf } from '../calls/caller.ts';
import { type RunRouteDeps, runRoute } from '../calls/run-route.ts';
import { addMcp, MCP_LINE } from '../mcp/mcp-http.ts';
import { createToolCalls } from '../mcp/tool-calls.ts';
import { type RouteDeps, routesOf } from '../routes.ts';
import { answerFailures } from './answer-failure.ts';
import { addressOfCaller, arrivalOf, connectionOf } from './arrival.ts';
import { readBodies } from './body.ts';
import { answerBrokenRequest } from './broken-request.ts';
import { type Connections, createConnections } from './connections.ts';
import { corsOf } from './cors.ts';
import type { Draining } from './draining.ts';
import { refuseForeignPages } from './foreign-pages.ts';
import { addressOf, listensOnLoopback } from './listen.ts';
import { createLoad } from './load.ts';
import { watchRequests } from './request-log.ts';
import { normaliseTarget } from './request-target.ts';
import { shedLoad } from './shedding.ts';

declare module 'fastify' {
  interface FastifyInstance {
    connections: Connections;
  }
}

/** What the app stands on; tests hand in operations of their own. */
export type AppDeps = Omit<RouteDeps, 'isDraining' | 'serviceUrl'> &
  RunRouteDeps & {
    draining: Draining;
    clock: Clock;
    events: Events;
    log: Log;
    loopDelay: LoopDelay;
    /** Null: the address that the server listens on. */
    baseUrl: string | null;
    signTopUp(keyId: string): string;
    /** What the names of tools begin with. */
    brand: string;
    /** Addresses under which the operator offers the service to everybody. */
    publicUrls: readonly string[];
    /** CIDRs that pages may be read from although they are private. */
    fetchAllowPrivate: readonly string[];
    /** Proxies whose `X-Forwarded-For` counts. */
    trustProxy: number;
  };

/** A connection on which nothing moves is closed; a call that may take longer has its time nonetheless. */
const IDLE_CONNECTION_MS = 30_000;

/** The faces of the service on an HTTP server that does not listen yet. */
export async function createApp(parts: AppDeps): Promise<FastifyInstance> {
  const connections = createConnections();
  const app = fastify(serverOptions(connections));
  app.decorate('connections', connections);
  watchRequests(app, parts);
  shedLoad(app, createLoad(parts.loopDelay));
  readBodies(app);
  let baseUrl = parts.baseUrl ?? '';
  let isLocal = true;
  refuseForeignPages(app, { ...parts, isLocal: () => isLocal });
  const routes = routesOf({ ...parts, serviceUrl: () => baseUrl, isDraining: () => parts.draining.isOn() });
  // Before the first route: a route keeps the error handler that was set when it was added.
  answerFailures(app, [...routes, MCP_LINE], {
    ...parts,
    baseUrl: () => baseUrl,
    payerByHeaders: (request) => {
      const { headers } = request;
      return callerOf({ headers, body: {}, address: addressOfCaller(request, parts) }, parts.findKey);
    },
  });
  await app.register(cors, corsOf(routes));
  for (const route of routes) addRoute(app, route, parts);
  addMcp(app, {
    brand: parts.brand,
    toolCalls: createToolCalls({ ...parts, routes, baseUrl: () => baseUrl }),
    callerOf: (request, reply) => connectionOf(request, reply, parts),
  });
  app.addHook('onListen', async () => {
    baseUrl ||= addressOf(app.server);
    isLocal = parts.fetchAllowPrivate.length > 0 || listensOnLoopback(app.server);
  });
  app.addHook('onClose', async () => parts.loopDelay.end());
  return app;
}

const SERVER: ServerOptions = {
  connectionsCheckingInterval: 2_000,
  headersTimeout: 10_000,
  keepAliveTimeout: 72_000,
  // An address of 8,192 characters may come percent-encoded, at three bytes a character.
  maxHeaderSize: 32_768,
  requestTimeout: 15_000,
  // Node would answer with an empty body; nothing here depends on the name that was asked for.
  requireHostHeader: false,
};

function serverOptions(connections: Connections): FastifyHttpOptions<Server> {
  return {
    clientErrorHandler: answerBrokenRequest,
    forceCloseConnections: false,
    genReqId: newRequestId,
    return503OnClosing: false,
    rewriteUrl: ({ url }) => normaliseTarget(url ?? '/'),
    serverFactory(handle) {
      const server = connections.serve(handle, SERVER);
      server.maxConnections = CONNECTIONS_MAX;
      server.setTimeout(IDLE_CONNECTION_MS);
      // A refused `Expect` would otherwise be answered by Node with an empty body.
      server.on('checkExpectation', (request, response) => server.emit('request', request, response));
      return server;
    },
  };
}

function addRoute(app: FastifyInstance, route: Route, parts: AppDeps): void {
  for (const url of route.paths) {
    app.route({
      method: route.method,
      url,
      config: { priced: route.callers === 'payer', pages: route.pages, probe: route.probe ?? false },
      exposeHeadRoute: !route.noHead,
      handler: async (request, reply) => {
        const ms = route.limit.ms + (route.callers === 'payer' ? CALL_WAIT_MS_MAX : 0);
        if (ms >= IDLE_CONNECTION_MS) reply.raw.setTimeout(ms + IDLE_CONNECTION_MS);
        const answer = await runRoute(route, arrivalOf(request, reply, parts), parts);
        request.watched.cache = answer.cache ?? null;
        return reply
          .status(answer.status ?? 200)
          .headers({ ...(answer.cache === undefined ? {} : { 'X-Cache': answer.cache }), ...answer.headers })
          .send(answer.body);
      },
    });
  }
}
