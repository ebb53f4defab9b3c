import type { Server } from 'node:http';
import cors from '@fastify/cors';
import {
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
} from 'fastify';
import type { Meter } from '../billing/meter.ts';
import { Failure } from '../errors.ts';
import type { Events } from '../events.ts';
import { REQUEST_BYTES_MAX } from '../limits.ts';
import type { Clock } from '../platform/clock.ts';
import { newRequestId } from '../platform/ids.ts';
import type { Log } from '../platform/log.ts';
import { answerFailures } from './answer-failure.ts';
import { answerBrokenRequest } from './broken-request.ts';
import type { Answer, Call, FreeRoute, Route } from './call.ts';
import { type Caller, callerOf, type FindKey, keyOwner } from './caller.ts';
import { callerAddress } from './caller-address.ts';
import { charged } from './charged.ts';
import { CORS } from './cors.ts';
import { withinDeadline } from './deadline.ts';
import type { Draining } from './draining.ts';
import { addressOf } from './listen.ts';
import { assertOperator } from './operator.ts';
import { watchRequests } from './request-log.ts';
import { normaliseTarget } from './request-target.ts';
import { type RouteParts, routesOf } from './routes.ts';
import { readJsonObject } from './wire.ts';

/** What the app stands on; tests hand in operations of their own. */
export type AppParts = Omit<RouteParts, 'isDraining' | 'serviceUrl'> & {
  findKey: FindKey;
  meter: Meter;
  draining: Draining;
  clock: Clock;
  events: Events;
  log: Log;
  /** Null: the address that the server listens on. */
  baseUrl: string | null;
  signTopUp(keyId: string): string;
  /** Proxies whose `X-Forwarded-For` counts. */
  trustProxy: number;
  metricsToken: string | null;
};

/** Requests under way beyond which further ones are turned away at once. */
export const IN_FLIGHT_MAX = 200;
const CONNECTIONS_MAX = 2_000;
/** A connection on which nothing moves is closed; a call that may take longer has its time nonetheless. */
const IDLE_CONNECTION_MS = 30_000;

/** The faces of the service on an HTTP server that does not listen yet. */
export async function createApp(parts: AppParts): Promise<FastifyInstance> {
  const app = fastify(serverOptions());
  app.server.maxConnections = CONNECTIONS_MAX;
  // A refused `Expect` would otherwise be answered by Node with an empty body.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  const inFlight = watchRequests(app, parts);
  await app.register(cors, CORS);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  app.addHook('onRequest', async (request) => {
    // The body is JSON, whatever the content type says.
    request.headers['content-type'] = 'application/json';
  });
  let baseUrl = parts.baseUrl ?? '';
  const routes = routesOf({ ...parts, serviceUrl: () => baseUrl, isDraining: () => parts.draining.isOn() });
  const shed = async (): Promise<void> => {
    if (inFlight() > IN_FLIGHT_MAX)
      throw new Failure('overloaded', 'Too many requests are under way; try again in a moment.');
  };
  for (const route of routes) addRoute(app, route, { parts, shed });
  app.addHook('onListen', async () => {
    baseUrl ||= addressOf(app.server);
  });
  answerFailures(app, routes, {
    ...parts,
    baseUrl: () => baseUrl,
    payerByHeaders: (request) => callerOf(presented(request, parts, {}), parts.findKey),
  });
  return app;
}

function serverOptions(): FastifyHttpOptions<Server> {
  return {
    bodyLimit: REQUEST_BYTES_MAX,
    clientErrorHandler: answerBrokenRequest,
    connectionTimeout: IDLE_CONNECTION_MS,
    forceCloseConnections: false,
    genReqId: newRequestId,
    http: {
      connectionsCheckingInterval: 2_000,
      headersTimeout: 10_000,
      // An address of 8,192 characters may come percent-encoded, at three bytes a character.
      maxHeaderSize: 32_768,
      requestTimeout: 15_000,
      // Node would answer with an empty body; nothing here depends on the name that was asked for.
      requireHostHeader: false,
    },
    keepAliveTimeout: 72_000,
    requestTimeout: 15_000,
    return503OnClosing: false,
    rewriteUrl: ({ url }) => normaliseTarget(url ?? '/'),
  };
}

function addRoute(
  app: FastifyInstance,
  route: Route,
  { parts, shed }: { parts: AppParts; shed: () => Promise<void> },
): void {
  const priced = route.callers === 'payer';
  for (const url of route.paths) {
    app.route({
      method: route.method,
      url,
      config: { priced, pages: route.pages },
      exposeHeadRoute: !route.noHead,
      ...(priced ? { onRequest: shed } : {}),
      handler: async (request, reply) => {
        if (route.limit.ms >= IDLE_CONNECTION_MS) reply.raw.setTimeout(route.limit.ms + IDLE_CONNECTION_MS);
        const answer = await serveCall(route, parts, { request, reply });
        request.watched.cache = answer.cache ?? null;
        if (answer.timingsMs !== undefined) parts.events.stagesTimed(answer.timingsMs);
        return reply
          .status(answer.status ?? 200)
          .headers(answer.headers ?? {})
          .send(answer.body);
      },
    });
  }
}

type Exchange = { request: FastifyRequest; reply: FastifyReply };

async function serveCall(route: Route, parts: AppParts, exchange: Exchange): Promise<Answer> {
  const { request, reply } = exchange;
  const began = performance.now();
  const { hungUp } = request.watched;
  const withinTime = <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const ms = route.limit.ms - (performance.now() - began);
    return withinDeadline({ ...route.limit, ms, hungUp, lastCall: parts.draining.lastCall }, work);
  };
  const told = {
    requestId: request.id,
    target: request.originalUrl,
    // The router gives texts for named parts.
    params: request.params as Record<string, string>,
    query: new URLSearchParams(request.originalUrl.split('?').slice(1).join('?')),
    headers: request.headers,
    bytes: (request.body as Uint8Array | undefined) ?? new Uint8Array(),
  };
  if (route.callers !== 'payer')
    return withinTime(async (signal) => {
      const caller = await callerOfFree(route, parts, request);
      return route.handle({ ...told, body: bodyOf(route, request), caller, signal });
    });
  const body = bodyOf(route, request);
  const caller = await callerOf(presented(request, parts, body), parts.findKey);
  return charged(route, { ...told, body, caller }, { meter: parts.meter, reply, hungUp, withinTime });
}

/** Only who has to show a key or to pay sends anything that is read. */
function bodyOf(route: Route, request: FastifyRequest): Call['body'] {
  if (route.method === 'GET' || route.callers === 'anybody') return {};
  return readJsonObject(request.body as Uint8Array | undefined);
}

async function callerOfFree(route: FreeRoute, parts: AppParts, request: FastifyRequest): Promise<Caller> {
  const { headers, address } = presented(request, parts, {});
  if (route.callers === 'key') return keyOwner({ headers, address }, parts.findKey);
  if (route.callers === 'operator') assertOperator({ headers, address, token: parts.metricsToken });
  return { kind: 'keyless', address };
}

function presented(
  { headers, socket }: FastifyRequest,
  { trustProxy }: AppParts,
  body: Call['body'],
): Parameters<typeof callerOf>[0] {
  const address = callerAddress({
    // Gone together with a caller that hung up.
    socketAddress: socket.remoteAddress ?? '0.0.0.0',
    forwardedFor: headers['x-forwarded-for'],
    hops: trustProxy,
  });
  return { headers, body, address };
}
