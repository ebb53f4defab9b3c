import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { Failure } from '../../../contract/errors.ts';
import type { Answer, PricedRoute, Route } from '../../calls/call.ts';
import type { AnswerFailure } from '../answer-failure.ts';
import type { Connections, WholeTurn } from '../connections.ts';
import type { Received, ServerReply } from '../exchange.ts';
import type { Shedding } from '../load/shedding.ts';
import type { RequestWatch } from '../request-log.ts';
import { createOnce, isPlain, RepeatedReply, RepeatedRequest, type Said } from './repeated-exchange.ts';

/** Requests that were answered from memory, or refused for want of credits, and are likely to come again. */
export type Repeats = {
  /** Notes what became of a request, so that the next one with the same bytes need not be parsed and routed again. */
  note(route: Route, request: FastifyRequest, outcome: unknown): void;
};

type Exchange = { request: Received; reply: ServerReply };

/** The steps that every request takes, in their order; the framework runs the same ones as its hooks. */
type Steps = {
  watch: RequestWatch;
  shedding: Shedding;
  guard(request: Received): void;
  openPath(request: Received, reply: ServerReply): unknown;
  answer(route: Route, exchange: Exchange): Promise<unknown>;
  /** For priced routes: calls `otherwise` where the answer is not in memory. */
  answerAtOnce(
    route: PricedRoute,
    exchange: Exchange,
    outcome: { fail(problem: unknown): void; otherwise(): void },
  ): void;
  answerFailure: AnswerFailure;
};

const REQUEST_BYTES_MAX = 4_096;
const REQUESTS_MAX = 5_000;
const BYTES_MAX = 8 * 1_048_576;
/** As long as a search is kept. */
const KEPT_MS = 300_000;
const SECOND_MS = 1_000;

/**
 * Remembers what requests said by their bytes. A request that repeats one takes every step but reading: it is counted, limited, charged
 * and logged by the same functions, and whatever may have changed since (keys, credits, copies, load) is looked at again.
 */
export function createRepeats(
  deps: Steps & {
    connections: Pick<Connections, 'wholeBytes' | 'onWhole'>;
    isDraining(): boolean;
    keepAliveMs: number;
  },
): Repeats {
  const known = new LRUCache<string, { said: Said; at: number }>({
    max: REQUESTS_MAX,
    maxSize: BYTES_MAX,
    sizeCalculation: (_kept, bytes) => bytes.length,
  });
  const keepAliveSeconds = Math.floor(deps.keepAliveMs / SECOND_MS);
  const steps = { ...deps, keepAliveSeconds };
  deps.connections.onWhole((bytes, turn) => {
    if (bytes.length > REQUEST_BYTES_MAX || deps.isDraining()) return false;
    const found = known.get(bytes.toString('latin1'));
    if (found === undefined || performance.now() - found.at > KEPT_MS) return false;
    serve(found.said, turn, steps);
    return true;
  });
  return {
    note(route, request, outcome) {
      // A HEAD is answered by a route of another method, without a body.
      if (route.callers !== 'payer' || request.method !== route.method || !isFromMemory(outcome)) return;
      const bytes = deps.connections.wholeBytes(request.raw);
      if (bytes === null || bytes.length > REQUEST_BYTES_MAX || !isPlain(request.raw)) return;
      const { method, url, originalUrl, headers, params, body } = request;
      const routeOptions = { url: request.routeOptions.url, config: request.routeOptions.config };
      const said = {
        method,
        url,
        originalUrl,
        headers,
        params,
        body,
        routeOptions,
        route,
        once: createOnce(),
      };
      known.set(bytes.toString('latin1'), { said, at: performance.now() });
    },
  };
}

function isFromMemory(outcome: unknown): boolean {
  if (outcome instanceof Failure) return outcome.code === 'insufficient_credits';
  const { cache, status = 200 } = outcome as Partial<Answer>;
  return cache === 'hit' && status === 200;
}

function serve(said: Said, turn: WholeTurn, deps: Steps & { keepAliveSeconds: number }): void {
  const { watch, shedding } = deps;
  const request = new RepeatedRequest(said, turn.socket);
  const reply = new RepeatedReply({
    turn,
    keepAliveSeconds: deps.keepAliveSeconds,
    beforeSend(sent, payload) {
      watch.beforeSend(turn, sent);
      shedding.sent(request, payload);
    },
    onEnd(status) {
      watch.end(request, status);
      request.load.end();
    },
  });
  const fail = (problem: unknown): void => void deps.answerFailure(problem as Error, request, reply);
  const exchange = { request, reply };
  const { route } = said;
  const otherwise = (): void => void deps.answer(route, exchange).catch(fail);
  watch.begin(request, reply);
  try {
    shedding.begin(request);
    deps.guard(request);
    deps.openPath(request, reply);
    if (said.body instanceof Uint8Array) request.load.addArriving(said.body.length);
    shedding.admit(request);
    if (route.callers === 'payer') deps.answerAtOnce(route, exchange, { fail, otherwise });
    else otherwise();
  } catch (error) {
    fail(error);
  }
}
