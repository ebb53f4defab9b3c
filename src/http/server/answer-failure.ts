import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Meter, Payer } from '../../billing/ledger/meter.ts';
import { Failure, type FailureCode, StoreUnavailable } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Route } from '../calls/call.ts';
import { countUnread, REMAINING_HEADER } from '../calls/charged-call.ts';
import { HungUp } from '../calls/deadline.ts';
import { type ErrorFormat, errorFormatOf, firstShape, type WordedFailure } from '../calls/error-format.ts';
import { wantsHtml } from '../calls/wants-html.ts';
import { pageErrorFormat } from '../site/error-page.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether calls of the route are charged. */
    priced?: boolean;
    /** Whose failures are pages. */
    pages?: Route['pages'];
  }
}

type FailureDeps = {
  meter: Meter;
  clock: Clock;
  log: Log;
  baseUrl(): string;
  /** A reference that adds credits to a key without naming it. */
  signTopUp(keyId: string): string;
  /** Who sent a request, as far as its headers tell. Throws `Failure('invalid_api_key')`. */
  payerByHeaders(request: FastifyRequest): Promise<Payer>;
};

const RETRY_AFTER_SECONDS = 2;
/** Failures that turn a call away before it counts. */
const NEVER_BEGAN: ReadonlySet<FailureCode> = new Set(['overloaded', 'method_not_allowed', 'forbidden']);

/** What a failure must know of a route: which methods its paths serve, and whether they are charged. */
type ServedLine = Pick<Route, 'method' | 'paths' | 'noHead'> & { callers?: Route['callers'] };

/** Every failure of every layer becomes an answer in the words of its shape. */
export function answerFailures(
  app: FastifyInstance,
  routes: readonly ServedLine[],
  parts: FailureDeps,
): void {
  app.setErrorHandler(async (error: Error, request, reply) => {
    if (error instanceof HungUp) {
      reply.hijack();
      reply.raw.destroy();
      return;
    }
    const failure = failureOf(error);
    logFailure(failure, request.id, parts.log);
    if (request.routeOptions.config.priced && !reply.hasHeader(REMAINING_HEADER))
      await setRemaining(failure, { request, reply, parts });
    return sendFailure(failure, { request, reply, parts });
  });
  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?')[0] ?? '/';
    const allowed = routes.filter(({ paths }) => paths.some((pattern) => fits(path, pattern)));
    if (allowed.length === 0)
      return sendFailure(new Failure('not_found', 'There is no such route.'), { request, reply, parts });
    const methods = allowed.flatMap(({ method, noHead }) =>
      method === 'GET' && !noHead ? ['GET', 'HEAD'] : [method],
    );
    const message = `Only ${methods.join(' and ')} ${methods.length === 1 ? 'is' : 'are'} served here.`;
    const failure = new Failure('method_not_allowed', message);
    reply.header('Allow', [...methods, 'OPTIONS'].join(', '));
    if (allowed.some(({ callers }) => callers === 'payer'))
      await setRemaining(failure, { request, reply, parts });
    return sendFailure(failure, { request, reply, parts });
  });
}

function logFailure(failure: Failure, requestId: string, log: Log): void {
  if (failure.code === 'internal') log.error({ requestId, err: failure.cause ?? failure }, 'request failed');
  if (failure instanceof StoreUnavailable)
    log.warn({ requestId, err: failure.cause ?? failure }, 'the store failed a request');
}

/** Whether a path is that of a route, whose `:name` stands for one part. */
function fits(path: string, pattern: string): boolean {
  const [given, wanted] = [path.split('/'), pattern.split('/')];
  const isPart = (part: string, place: number): boolean => part === given[place] || part.startsWith(':');
  return given.length === wanted.length && wanted.every(isPart);
}

type Exchange = { request: FastifyRequest; reply: FastifyReply; parts: FailureDeps };

/**
 * For what failed before charging began: a body that could not be read counts like any keyless request that fails; a call
 * that was turned away never began. Nobody is told a number for a key that does not exist. Never throws.
 */
async function setRemaining(failure: Failure, { request, reply, parts }: Exchange): Promise<void> {
  const { code } = failure;
  // A store that has just failed is not asked again: the answer would only be late.
  if (failure instanceof StoreUnavailable || code === 'keyless_limit' || code === 'invalid_api_key') {
    reply.header(REMAINING_HEADER, '0');
    return;
  }
  try {
    const payer = await parts.payerByHeaders(request);
    if (NEVER_BEGAN.has(code)) reply.header(REMAINING_HEADER, String(await parts.meter.remaining(payer)));
    else
      await countUnread(payer, {
        meter: parts.meter,
        setRemaining(credits) {
          reply.header(REMAINING_HEADER, String(credits));
        },
        requestId: request.id,
      });
  } catch (error) {
    // The failure that is being answered matters more than this one, which is logged and goes no further.
    logFailure(failureOf(error as Error), request.id, parts.log);
    reply.header(REMAINING_HEADER, '0');
  }
}

function sendFailure(failure: Failure, { request, reply, parts }: Exchange): FastifyReply {
  const { status, statusMessage, headers, body } = worded(failure, request, parts);
  if (request.watched !== undefined) request.watched.code = failure.code;
  const retryAfter = failure.retryAfterSeconds ?? (status === 503 ? RETRY_AFTER_SECONDS : null);
  if (retryAfter !== null) reply.header('Retry-After', String(retryAfter));
  if (statusMessage !== undefined) reply.raw.statusMessage = statusMessage;
  return reply.status(status).headers(headers).send(body);
}

/** Never throws: a failure that cannot be put into words is answered as an internal one. */
function worded(failure: Failure, request: FastifyRequest, parts: FailureDeps): WordedFailure {
  const errorFormat = errorFormatFor(request);
  const circumstances = { requestId: request.id, baseUrl: parts.baseUrl() };
  try {
    const topUp = failure.keyId === null ? null : parts.signTopUp(failure.keyId);
    return errorFormat.word(failure, { ...circumstances, topUp });
  } catch (error) {
    const internal = failureOf(error as Error);
    logFailure(internal, request.id, parts.log);
    return errorFormat.word(internal, { ...circumstances, topUp: null });
  }
}

/** The shape of the path, or a page: on the site, and for a browser that asks for something that is not there. */
function errorFormatFor(request: FastifyRequest): ErrorFormat {
  const { pages } = request.routeOptions.config ?? {};
  const shape = errorFormatOf(request.url);
  if (pages === 'always') return pageErrorFormat;
  const isAsked = pages === 'for browsers' || (request.is404 && shape === firstShape);
  return isAsked && wantsHtml(request.headers) ? pageErrorFormat : shape;
}

/** What the framework refuses becomes one of our failures by its status; everything unexpected is internal. */
function failureOf(error: Error): Failure {
  if (error instanceof Failure) return error;
  const { statusCode } = error as Partial<FastifyError>;
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new Failure('validation_error', 'body: could not be read', {
      cause: error,
      fields: [{ field: 'body', message: 'could not be read' }],
    });
  return new Failure('internal', 'Something went wrong here.', { cause: error });
}
