import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Meter, Payer } from '../../billing/ledger/meter.ts';
import { Failure, type FailureCode, StoreUnavailable } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Route } from '../calls/call.ts';
import { isHangUp } from '../calls/call.ts';
import { countUnread, REMAINING_HEADER } from '../calls/charged-call.ts';
import {
  type ErrorFormat,
  type FailureResponse,
  firstShapeFormat,
  wantsHtml,
} from '../calls/error-format.ts';
import type { Terms } from '../calls/operation.ts';
import { findShape } from '../shapes.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Calls of the route are charged. */
    priced?: boolean;
    /** Which callers get failures as HTML pages. */
    pages?: Route['pages'];
  }
}

type FailureParts = {
  meter: Meter;
  /** Null: nobody is metered, and no response states the remaining credits. */
  terms: Terms | null;
  clock: Clock;
  log: Log;
  baseUrl(): string;
  /** Formats failures as HTML pages. */
  pageErrors: ErrorFormat;
  /** Signs a reference that adds credits to a key without revealing it. */
  signTopUp(keyId: string): string;
  /** Identifies the payer by a request's headers alone. Throws `Failure('invalid_api_key')`. */
  payerByHeaders(request: FastifyRequest): Promise<Payer>;
  /** Returns true if the request comes from the server's own machine. */
  isOnThisMachine(request: FastifyRequest): boolean;
};

type FailureDeps = FailureParts & { remainingLately: Meter['remaining'] };

const RETRY_AFTER_SECONDS = 2;
/** Failures that reject a call before it counts. */
const NEVER_BEGAN: ReadonlySet<FailureCode> = new Set([
  'overloaded',
  'method_not_allowed',
  'forbidden',
  'rate_limited',
  'idempotency_conflict',
]);

/** The part of a route that error handling needs: the methods of its paths, and whether it is priced. */
type ServedRoute = Pick<Route, 'method' | 'paths' | 'noHead'> & { callers?: Route['callers'] };

/** Turns every failure from any layer into a response in the error format of its shape. */
export function answerFailures(
  app: FastifyInstance,
  routes: readonly ServedRoute[],
  given: FailureParts,
): void {
  const deps = { ...given, remainingLately: createRemainingCache(given.meter) };
  app.setErrorHandler<Error>(async (error, request, reply) => {
    if (isHangUp(error, request.watched.hungUp)) {
      deps.log.debug({ requestId: request.id, reason: error.message }, 'the caller hung up');
      reply.hijack();
      reply.raw.destroy();
      return undefined;
    }
    const failure = toFailure(error);
    logFailure(failure, request.id, deps.log);
    if (request.routeOptions.config.priced && !reply.hasHeader(REMAINING_HEADER))
      await setRemaining(failure, { request, reply, deps });
    return sendFailure(failure, { request, reply, deps });
  });
  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?')[0] ?? '/';
    const allowed = routes.filter(({ paths }) => paths.some((pattern) => matchesPattern(path, pattern)));
    if (allowed.length === 0)
      return sendFailure(new Failure('not_found', 'There is no such route.'), { request, reply, deps });
    const methods = allowed.flatMap(({ method, noHead }) =>
      method === 'GET' && !noHead ? ['GET', 'HEAD'] : [method],
    );
    const message = `Only ${methods.join(' and ')} ${methods.length === 1 ? 'is' : 'are'} served here.`;
    const failure = new Failure('method_not_allowed', message);
    reply.header('Allow', [...methods, 'OPTIONS'].join(', '));
    if (allowed.some(({ callers }) => callers === 'payer'))
      await setRemaining(failure, { request, reply, deps });
    return sendFailure(failure, { request, reply, deps });
  });
}

function logFailure(failure: Failure, requestId: string, log: Log): void {
  if (failure.code === 'internal') log.error({ requestId, err: failure.cause ?? failure }, 'request failed');
  if (failure instanceof StoreUnavailable)
    log.warn({ requestId, err: failure.cause ?? failure }, 'the store failed a request');
}

/** Returns true if a path matches a route's pattern, in which `:name` matches one segment. */
function matchesPattern(path: string, pattern: string): boolean {
  const [given, wanted] = [path.split('/'), pattern.split('/')];
  const isPart = (part: string, place: number): boolean => part === given[place] || part.startsWith(':');
  return given.length === wanted.length && wanted.every(isPart);
}

type Exchange = { request: FastifyRequest; reply: FastifyReply; deps: FailureDeps };

/**
 * Sets the remaining-credits header of calls that failed before charging began. An unreadable body counts like any failed keyless request;
 * a call rejected up front does not count. An unknown key always gets 0. Never throws.
 */
async function setRemaining(failure: Failure, { request, reply, deps }: Exchange): Promise<void> {
  if (deps.terms === null) return;
  const { code } = failure;
  // Do not retry a store that has just failed: it would only delay the response.
  if (
    failure instanceof StoreUnavailable ||
    code === 'keyless_limit' ||
    code === 'invalid_api_key' ||
    code === 'expired_api_key'
  ) {
    reply.header(REMAINING_HEADER, '0');
    return;
  }
  try {
    const payer = await deps.payerByHeaders(request);
    if (code === 'overloaded') reply.header(REMAINING_HEADER, String(await deps.remainingLately(payer)));
    else if (NEVER_BEGAN.has(code)) reply.header(REMAINING_HEADER, String(await deps.meter.remaining(payer)));
    else
      await countUnread(payer, {
        meter: deps.meter,
        setRemaining(credits) {
          reply.header(REMAINING_HEADER, String(credits));
        },
        requestId: request.id,
      });
  } catch (error) {
    // The original failure matters more, so this one is only logged.
    logFailure(toFailure(error as Error), request.id, deps.log);
    reply.header(REMAINING_HEADER, '0');
  }
}

function sendFailure(failure: Failure, { request, reply, deps }: Exchange): FastifyReply {
  const { status, statusMessage, headers, body } = formatFailure(failure, request, deps);
  if (request.watched !== undefined) request.watched.code = failure.code;
  const retryAfter = failure.retryAfterSeconds ?? (status === 503 ? RETRY_AFTER_SECONDS : null);
  if (retryAfter !== null) reply.header('Retry-After', String(retryAfter));
  if (statusMessage !== undefined) reply.raw.statusMessage = statusMessage;
  return reply.status(status).headers(headers).send(body);
}

/** Never throws: a failure that cannot be formatted becomes an internal one. */
function formatFailure(failure: Failure, request: FastifyRequest, deps: FailureDeps): FailureResponse {
  const errorFormat = chooseErrorFormat(request, deps);
  const circumstances = {
    requestId: request.id,
    baseUrl: deps.baseUrl(),
    terms: deps.terms,
    isOnThisMachine: deps.isOnThisMachine(request),
  };
  try {
    const topUp = failure.keyId === null ? null : deps.signTopUp(failure.keyId);
    return errorFormat.word(failure, { ...circumstances, topUp });
  } catch (error) {
    const internal = toFailure(error as Error);
    logFailure(internal, request.id, deps.log);
    return errorFormat.word(internal, { ...circumstances, topUp: null });
  }
}

/** Chooses the error format of the path's shape, or HTML on the site and for a browser that requests a missing page. */
function chooseErrorFormat(request: FastifyRequest, { pageErrors }: FailureDeps): ErrorFormat {
  const { pages } = request.routeOptions.config ?? {};
  const shape = findShape(request.url).format;
  if (pages === 'always') return pageErrors;
  const isAsked = pages === 'for browsers' || (request.is404 && shape === firstShapeFormat);
  return isAsked && wantsHtml(request.headers) ? pageErrors : shape;
}

/** Maps a framework 4xx to a `validation_error`; anything else unexpected is internal. */
function toFailure(error: Error): Failure {
  if (error instanceof Failure) return error;
  const { statusCode } = error as Partial<FastifyError>;
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new Failure('validation_error', 'body: could not be read', {
      cause: error,
      fields: [{ field: 'body', message: 'could not be read' }],
    });
  return new Failure('internal', 'Something went wrong here.', { cause: error });
}

const REMAINING_KEPT_MS = 2_000;
const PAYERS_MAX = 1_000;

/** Caches the remaining credits of payers for two seconds, so that calls refused under overload do not each query the ledger. */
function createRemainingCache(meter: Pick<Meter, 'remaining'>): Meter['remaining'] {
  const kept = new LRUCache<string, Promise<number | null>>({ max: PAYERS_MAX, ttl: REMAINING_KEPT_MS });
  return (payer) => {
    const name = buildPayerKey(payer);
    const known = kept.get(name);
    if (known !== undefined) return known;
    const asked = meter.remaining(payer);
    kept.set(name, asked);
    asked.catch(() => kept.delete(name));
    return asked;
  };
}

function buildPayerKey(payer: Payer): string {
  if (payer.kind === 'unmetered') return buildPayerKey(payer.payer);
  return payer.kind === 'key' ? `key ${payer.keyId}` : `address ${payer.address}`;
}
