/**
 * Composition of the HTTP server: fastify with connection handling, load shedding, error formats, CORS, every route and the MCP endpoint.
 * It builds the server but does not listen; listen.ts does. Routes are run by calls/run-route.ts.
 */
import type { Server, ServerOptions } from 'node:http';
import { type FastifyHttpOptions, type FastifyInstance, type FastifyRequest, fastify } from 'fastify';
import type { Events } from '../../contract/events.ts';
import { CONNECTIONS_MAX } from '../../contract/limits.ts';
import type { Forgettings } from '../../index/upkeep/forgettings.ts';
import type { Clock } from '../../platform/clock.ts';
import { createRequestId } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import type { LoopDelay } from '../../platform/loop-delay.ts';
import type { Exposure } from '../../platform/net/exposure.ts';
import type { Route } from '../calls/call.ts';
import { identifyCaller } from '../calls/caller.ts';
import { isFromThisMachine } from '../calls/operator.ts';
import type { RunRouteDeps } from '../calls/run-route.ts';
import { addMcp, MCP_ROUTE } from '../mcp/mcp-http.ts';
import type { SharedTools } from '../mcp/shared-tools.ts';
import { createToolCalls } from '../mcp/tool-calls.ts';
import { buildRoutes, type RouteDeps } from '../routes.ts';
import { createPageErrorFormat } from '../site/error-page.ts';
import { redirectBrowsersToReader } from './addresses/reader-view.ts';
import { answerCall, IDLE_CONNECTION_MS } from './answer-call.ts';
import { answerFailures } from './answer-failure.ts';
import { buildConnection, findCallerAddress } from './arrival.ts';
import { readBodies } from './body.ts';
import { answerBrokenRequest } from './broken-request.ts';
import { type Connections, createConnections } from './connections.ts';
import { createOpenPaths, openToPages } from './cors.ts';
import type { Draining } from './draining.ts';
import { createForeignPageGuard, refuseForeignPages } from './foreign-pages.ts';
import { buildServerUrl as addressOfServer } from './listen.ts';
import { createLoad } from './load/load.ts';
import { createLoopTurns } from './load/loop-turns.ts';
import type { RequestLimit } from './load/request-limit.ts';
import { createLoadShedder, shedLoad } from './load/shedding.ts';
import { createRequestWatch, watchRequests } from './request-log.ts';
import { normaliseTarget, rewriteMetasearchTarget } from './request-target.ts';

declare module 'fastify' {
  interface FastifyInstance {
    connections: Connections;
  }
}

/** Dependencies of the app; tests pass in their own operations. */
export type AppDeps = Omit<RouteDeps, 'isDraining' | 'serviceUrl'> &
  RunRouteDeps & {
    requestLimit: Pick<RequestLimit, 'enter' | 'hasPlace'>;
    draining: Draining;
    clock: Clock;
    events: Events;
    log: Log;
    loopDelay: LoopDelay;
    /** Null: the address that the server listens on. */
    baseUrl: string | null;
    signTopUp(keyId: string): string;
    forgettings: Forgettings;
    /** Tool state shared with other server processes; absent or null: there are none. */
    sharedTools?: SharedTools | null;
    /** The prefix of tool names. */
    brand: string;
    exposure: Exposure;
    /** The number of proxies whose `X-Forwarded-For` is trusted. */
    trustProxy: number;
    /** Requests that take longer are logged as a warning; null: none. */
    slowRequestMs: number | null;
  };

/** Builds the HTTP server with every route and the MCP endpoint; it does not listen yet. */
export async function createApp(deps: AppDeps): Promise<FastifyInstance> {
  const connections = createConnections(deps);
  const app = fastify(buildServerOptions(connections));
  app.decorate('connections', connections);
  const watch = createRequestWatch({ ...deps, connections });
  const findRequestAddress = (request: FastifyRequest): string => findCallerAddress(request, deps);
  const shedding = createLoadShedder(createLoad(deps.requestLimit), findRequestAddress);
  watchRequests(app, watch);
  shedLoad(app, { shedding, turns: createLoopTurns() });
  readBodies(app);
  let baseUrl = deps.baseUrl ?? '';
  const guard = createForeignPageGuard(deps.exposure);
  refuseForeignPages(app, guard);
  const isDraining = (): boolean => deps.draining.isOn();
  const routes = buildRoutes({ ...deps, serviceUrl: () => baseUrl, isDraining });
  // Must come before the first route: a route keeps the error handler set when it was added.
  answerFailures(app, [...routes, MCP_ROUTE], {
    ...deps,
    pageErrors: createPageErrorFormat(deps.site),
    baseUrl: () => baseUrl,
    isOnThisMachine: (request) =>
      isFromThisMachine({ headers: request.headers, address: findRequestAddress(request) }),
    payerByHeaders: (request) => {
      const { headers } = request;
      // The router returns path parameters as strings, and none for a path without a route.
      const { key: pathKey } = (request.params ?? {}) as { key?: string };
      return identifyCaller({ headers, pathKey, body: {}, address: findRequestAddress(request) }, deps);
    },
  });
  redirectBrowsersToReader(app);
  const openPath = createOpenPaths(routes, deps.terms);
  openToPages(app, openPath);
  for (const route of routes) addRoute(app, route, deps);
  addMcp(app, {
    brand: deps.brand,
    isMetered: deps.terms !== null,
    sharedTools: deps.sharedTools,
    baseUrl: () => baseUrl,
    toolCalls: createToolCalls({ ...deps, routes, baseUrl: () => baseUrl }),
    callerOf: (request, reply) => buildConnection(request, reply, deps),
  });
  app.addHook('onListen', async () => {
    baseUrl ||= addressOfServer(app.server);
  });
  app.addHook('onClose', async () => deps.loopDelay.end());
  return app;
}

const SERVER = {
  connectionsCheckingInterval: 2_000,
  headersTimeout: 10_000,
  keepAliveTimeout: 72_000,
  // Room for an address of 8,192 characters, percent-encoded at three bytes a character.
  maxHeaderSize: 32_768,
  requestTimeout: 15_000,
  // Node would answer a missing Host header with an empty body; nothing here depends on the host name.
  requireHostHeader: false,
} satisfies ServerOptions;

function buildServerOptions(connections: Connections): FastifyHttpOptions<Server> {
  return {
    clientErrorHandler: answerBrokenRequest,
    forceCloseConnections: false,
    genReqId: createRequestId,
    return503OnClosing: false,
    // The framework would refuse a longer parameter in its own words. The size of a request's head bounds it.
    routerOptions: { maxParamLength: SERVER.maxHeaderSize },
    schemaController: { compilersFactory: { buildValidator: rejectSchema, buildSerializer: rejectSchema } },
    rewriteUrl: ({ method = 'GET', url = '/' }) => rewriteMetasearchTarget(method, normaliseTarget(url)),
    serverFactory(handle) {
      const server = connections.serve(handle, SERVER);
      server.maxConnections = CONNECTIONS_MAX;
      server.setTimeout(IDLE_CONNECTION_MS);
      // Node would otherwise reject an unsupported `Expect` with an empty body.
      server.on('checkExpectation', (request, response) => server.emit('request', request, response));
      return server;
    },
  };
}

/** Routes validate bodies themselves, so the framework's schema compilers, a quarter of its memory, are not loaded. */
function rejectSchema(): never {
  throw new Error('no route has a schema for the framework');
}

function addRoute(app: FastifyInstance, route: Route, deps: AppDeps): void {
  for (const url of route.paths) {
    app.route({
      method: route.method,
      url,
      config: { priced: route.callers === 'payer', pages: route.pages, probe: route.probe ?? false },
      exposeHeadRoute: !route.noHead,
      handler: async (request, reply) => {
        await answerCall(route, { request, reply }, deps);
        return reply;
      },
    });
  }
}
