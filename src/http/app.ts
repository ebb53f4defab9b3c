import type { Server } from 'node:http';
import cors from '@fastify/cors';
import {
  type FastifyError,
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
} from 'fastify';
import { Failure } from '../errors.ts';
import { REQUEST_BYTES_MAX } from '../limits.ts';
import { newRequestId } from '../platform/ids.ts';
import type { Log } from '../platform/log.ts';
import { answerBrokenRequest } from './broken-request.ts';
import type { Route } from './call.ts';
import { callerOf, type FindKey } from './caller.ts';
import { CORS } from './cors.ts';
import { HungUp, withinDeadline } from './deadline.ts';
import type { Draining } from './draining.ts';
import { watchRequests } from './request-log.ts';
import { normaliseTarget } from './request-target.ts';
import { type RouteParts, routesOf } from './routes.ts';
import { surfaceOf } from './surface.ts';
import { readJsonObject } from './wire.ts';

/** What the app stands on; tests hand in operations of their own. */
export type AppParts = Omit<RouteParts, 'isDraining'> & {
  findKey: FindKey;
  draining: Draining;
  log: Log;
};

/** Requests under way beyond which further ones are turned away at once. */
export const IN_FLIGHT_MAX = 200;
const CONNECTIONS_MAX = 2_000;
const RETRY_AFTER_SECONDS = '2';

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
  const routes = routesOf({ ...parts, isDraining: () => parts.draining.isOn() });
  const shed = async (): Promise<void> => {
    if (inFlight() > IN_FLIGHT_MAX)
      throw new Failure('overloaded', 'Too many requests are under way; try again in a moment.');
  };
  for (const route of routes) addRoute(app, route, { parts, shed });
  answerFailures(app, routes, parts);
  return app;
}

function serverOptions(): FastifyHttpOptions<Server> {
  return {
    bodyLimit: REQUEST_BYTES_MAX,
    clientErrorHandler: answerBrokenRequest,
    connectionTimeout: 30_000,
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
  for (const url of route.paths) {
    app.route({
      method: route.method,
      url,
      ...(route.callers === 'known' ? { onRequest: shed } : {}),
      handler: (request, reply) => serveCall(route, parts, { request, reply }),
    });
  }
}

type Exchange = { request: FastifyRequest; reply: FastifyReply };

async function serveCall(route: Route, parts: AppParts, { request, reply }: Exchange): Promise<FastifyReply> {
  const { headers, ip: address, watched } = request;
  const bounds = { ...route.limit, hungUp: watched.hungUp, lastCall: parts.draining.lastCall };
  const answer = await withinDeadline(bounds, async (signal) => {
    const body = route.method === 'POST' ? readJsonObject(request.body as Uint8Array | undefined) : {};
    const caller =
      route.callers === 'known'
        ? await callerOf({ headers, body, address }, parts.findKey)
        : ({ kind: 'keyless', address } as const);
    return route.handle({ requestId: request.id, target: request.originalUrl, body, caller, signal });
  });
  watched.cache = answer.cache ?? null;
  return reply.headers(answer.headers ?? {}).send(answer.body);
}

function answerFailures(app: FastifyInstance, routes: Route[], { log }: AppParts): void {
  app.setErrorHandler((error: Error, request, reply) => {
    if (error instanceof HungUp) {
      reply.hijack();
      reply.raw.destroy();
      return;
    }
    const failure = failureOf(error);
    if (failure.code === 'internal') log.error({ requestId: request.id, err: error }, 'request failed');
    return sendFailure(failure, { request, reply });
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0] ?? '/';
    const allowed = routes.filter(({ paths }) => paths.includes(path)).map(({ method }) => method);
    if (allowed.length === 0)
      return sendFailure(new Failure('not_found', 'There is no such route.'), { request, reply });
    const methods = allowed.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    const message = `Only ${methods.join(' and ')} is served here.`;
    return sendFailure(new Failure('method_not_allowed', message), {
      request,
      reply: reply.header('Allow', [...methods, 'OPTIONS'].join(', ')),
    });
  });
}

function sendFailure(failure: Failure, { request, reply }: Exchange): FastifyReply {
  const { status, body } = surfaceOf(request.url).word(failure, request.id);
  if (request.watched !== undefined) request.watched.code = failure.code;
  if (status === 503) reply.header('Retry-After', RETRY_AFTER_SECONDS);
  return reply.status(status).send(body);
}

/** What the framework refuses becomes one of our failures by its status; everything unexpected is internal. */
function failureOf(error: Error): Failure {
  if (error instanceof Failure) return error;
  const { statusCode } = error as Partial<FastifyError>;
  if (statusCode === 413) return new Failure('request_too_large', 'The body is larger than 1 MB.');
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new Failure('validation_error', 'body: could not be read', {
      cause: error,
      fields: [{ field: 'body', message: 'could not be read' }],
    });
  return new Failure('internal', 'Something went wrong here.', { cause: error });
}
