/**
 * Composition of the HTTP server: fastify with connection handling, load shedding, error formats, CORS, every route and the MCP endpoint.
 * It builds the server but does not listen; connections.ts does. Routes are run by calls/run-route.ts.
 */
import { type IncomingHttpHeaders, type Server, type ServerOptions, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type FastifyHttpOptions, type FastifyInstance, fastify } from 'fastify';
import { Failure } from '../../contract/errors.ts';
import type { Events } from '../../contract/events.ts';
import { CALL_WAIT_MS_MAX, CONNECTIONS_MAX } from '../../contract/limits.ts';
import type { Forgettings } from '../../index/upkeep/forget.ts';
import type { Clock } from '../../platform/clock.ts';
import { createRequestId } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import type { LoopDelay } from '../../platform/metrics.ts';
import type { Exposure } from '../../platform/net/exposure.ts';
import type { Route } from '../calls/call.ts';
import { identifyCaller } from '../calls/caller.ts';
import { wantsHtml } from '../calls/error-format.ts';
import { isFromThisMachine } from '../calls/operator.ts';
import { type RunRouteDeps, runRoute } from '../calls/run-route.ts';
import { createToolKeyFinder, findMcpAccess } from '../mcp/mcp-access.ts';
import { addMcp, MCP_ROUTE } from '../mcp/mcp-http.ts';
import { createToolCalls, type SharedTools } from '../mcp/tool-calls.ts';
import { buildRoutes, type RouteDeps } from '../routes.ts';
import { findShape } from '../shapes.ts';
import { createPageErrorFormat } from '../site/error-page.ts';
import { buildPlayLink } from '../site/play/plays.ts';
import { admitRequests, type RequestLimit } from './admission.ts';
import { answerFailures } from './answer-failure.ts';
import { buildArrival, buildConnection, findCallerAddress, readBodies } from './arrival.ts';
import {
  buildServerUrl as addressOfServer,
  type Connections,
  createConnections,
  type Draining,
} from './connections.ts';
import { openToPages, refuseForeignPages } from './foreign-pages.ts';
import { watchRequests } from './request-log.ts';
import {
  extractReaderAddress,
  normaliseTarget,
  parsePageAddress,
  READER_PATH,
  rewriteMetasearchTarget,
} from './request-target.ts';
import { addCompression, sendAnswer } from './send-answer.ts';

/** Idle connections are closed after this; a call that may take longer extends the timeout. */
const IDLE_CONNECTION_MS = 30_000;

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
  watchRequests(app, { ...deps, connections });
  admitRequests(app, { limit: deps.requestLimit, trustProxy: deps.trustProxy });
  readBodies(app);
  let baseUrl = deps.baseUrl ?? '';
  refuseForeignPages(app, deps.exposure);
  const isDraining = (): boolean => deps.draining.isOn();
  const routes = buildRoutes({ ...deps, serviceUrl: () => baseUrl, isDraining });
  // Must come before the first route: a route keeps the error handler set when it was added.
  answerFailures(app, [...routes, MCP_ROUTE], {
    ...deps,
    pageErrors: createPageErrorFormat(deps.site),
    baseUrl: () => baseUrl,
    isOnThisMachine: (request) =>
      isFromThisMachine({ headers: request.headers, address: findCallerAddress(request, deps) }),
    payerByHeaders: (request) => {
      const { headers } = request;
      // The router returns path parameters as strings, and none for a path without a route.
      const { key: pathKey } = (request.params ?? {}) as { key?: string };
      return identifyCaller({ headers, pathKey, body: {}, address: findCallerAddress(request, deps) }, deps);
    },
  });
  redirectBrowsersToReader(app);
  await openToPages(app, routes, deps.terms);
  await addCompression(app);
  for (const route of routes) addRoute(app, route, deps);
  addMcp(app, {
    brand: deps.brand,
    isMetered: deps.terms !== null,
    hasModel: deps.writer !== null,
    sharedTools: deps.sharedTools,
    baseUrl: () => baseUrl,
    toolCalls: createToolCalls({
      ...deps,
      findKey: createToolKeyFinder(deps.findKey, deps.appGrants),
      routes,
      baseUrl: () => baseUrl,
    }),
    callerOf: (request, reply) => buildConnection(request, reply, deps),
    accessOf: ({ headers, originalUrl }, base) => findMcpAccess({ headers, target: originalUrl, base }, deps),
    addressFor: deps.addressFor,
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
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, connections),
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
  const msMax = route.limit.ms + (route.callers === 'payer' ? CALL_WAIT_MS_MAX : 0);
  for (const url of route.paths) {
    app.route({
      method: route.method,
      url,
      config: {
        priced: route.callers === 'payer',
        pages: route.pages,
        probe: route.probe ?? false,
        bodyBytesMax: route.bodyBytesMax,
      },
      exposeHeadRoute: !route.noHead,
      handler: async (request, reply) => {
        if (msMax >= IDLE_CONNECTION_MS) reply.raw.setTimeout(msMax + IDLE_CONNECTION_MS);
        const answer = await runRoute(route, buildArrival(request, reply, deps), deps);
        sendAnswer(route, answer, { request, reply });
        return reply;
      },
    });
  }
}

/**
 * Redirects a person who opens `/r/{url}` in a browser to the site's reading page, before anything is counted. Only browsers declare a
 * navigation in Sec-Fetch headers: programs get Markdown whatever they accept.
 */
function redirectBrowsersToReader(app: FastifyInstance): void {
  app.addHook('onRequest', ({ method, url, originalUrl, headers }, reply, done) => {
    if (url !== READER_PATH || method !== 'GET' || !isOpenedByPerson(headers)) return done();
    const asked = parsePageAddress(extractReaderAddress(originalUrl) ?? '');
    const { url: page = '', question, at } = asked ?? {};
    const location = buildPlayLink('/read', {
      url: page,
      query: question ?? '',
      at: at == null ? '' : new Date(at).toISOString(),
    });
    reply
      .status(303)
      .headers({ Location: location, 'Cache-Control': 'no-store', Vary: 'Accept, Sec-Fetch-Dest' })
      .send();
  });
}

/** Browsers send these headers on https and on this machine; elsewhere they get Markdown, as programs do. */
function isOpenedByPerson(headers: IncomingHttpHeaders): boolean {
  return (
    headers['sec-fetch-dest'] === 'document' && headers['sec-fetch-mode'] === 'navigate' && wantsHtml(headers)
  );
}

type ClientError = Error & { code?: string };

/** Responds to requests that the HTTP parser rejected, in the error format of their path's shape like every other failure. */
function answerBrokenRequest(error: ClientError, socket: Socket, connections: Connections): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  // If a response has already been partly sent on this connection, it can only be closed.
  if (socket.bytesWritten > 0 && isAnswerUnderWay(socket)) {
    socket.destroy();
    return;
  }
  const requestId = createRequestId();
  const { format } = findShape(normaliseTarget(connections.findTarget(socket)));
  const answer = format.word(describeBrokenRequest(error), describeNoShop(requestId));
  const body = JSON.stringify(answer.body);
  socket.end(
    [
      `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

function describeBrokenRequest({ code }: ClientError): Failure {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Failure('headers_too_large', 'The address or the headers are too long.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Failure('request_timeout', 'The request did not arrive in time.');
  return new Failure('bad_request', 'This is not a valid HTTP request.');
}

/** Nothing that is wrong with the HTTP of a request is resolved by a key or by credits. */
const describeNoShop = (requestId: string) => ({ requestId, baseUrl: '', topUp: null, terms: null });

/** Node keeps a connection's current response in a socket property that is missing from its types. */
function isAnswerUnderWay(socket: Socket): boolean {
  const { _httpMessage: answer } = socket as Socket & { _httpMessage?: { headersSent: boolean } | null };
  return answer?.headersSent === true;
}
