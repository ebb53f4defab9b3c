/**
 * Runs any route for a call: parses the body, identifies the caller, waits for a turn, charges and enforces the time limit. Every call goes
 * through here, whether it came over HTTP or as a tool call; it never touches sockets or the HTTP framework.
 */

import type { IncomingHttpHeaders } from 'node:http';
import type { Meter } from '../../billing/ledger/meter.ts';
import { Failure } from '../../contract/errors.ts';
import type { Events } from '../../contract/events.ts';
import { CALL_WAIT_MS_MAX, CALLS_AT_ONCE_MAX, CALLS_WAITING_MAX } from '../../contract/limits.ts';
import { recordDeadline } from '../../platform/clock.ts';
import { createFairQueue, type FairQueue, type Tenant } from '../../platform/fairness/fair-queue.ts';
import { createWorkQueue, type Stage, type WorkQueue } from '../../platform/fairness/work-queue.ts';
import type { TracedRequest, Tracing } from '../../platform/tracing/open-tracing.ts';
import {
  type Answer,
  type Call,
  type FreeRoute,
  HungUp,
  type PricedRoute,
  type Route,
  type RunNestedRoute,
} from './call.ts';
import {
  authenticateKeyOwner,
  type CallerRules,
  findPayer,
  identifyCaller,
  mayKeep,
  toTenant,
} from './caller.ts';
import { chargeCall, type SetRemaining } from './charged-call.ts';
import { type IdempotencyDeps, runOnce } from './idempotency.ts';
import { readJsonObject } from './json-body.ts';
import { assertAdmin, assertOperator } from './operator.ts';

/** Below what a lone caller may have at work, so that its excess calls are refused here instead of waiting in the first queue. */
const CALLS_WAITING_FREELY = 48;

/** A call on its way to a route, whether it came in over HTTP or as a tool call. */
export type Arrival = Omit<Call, 'body' | 'caller' | 'tenant' | 'keep' | 'signal'> & {
  headers: IncomingHttpHeaders;
  /** The content type as it was sent; empty: none. */
  contentType?: string;
  /** Fires when the caller hangs up. */
  hungUp: AbortSignal;
  /** True once the response has begun to be sent. */
  hasBegun(): boolean;
  /** Counts the request's memory towards its caller. Throws `Failure('overloaded')` if the caller holds too much. */
  assignLoad(tenant: Tenant): void;
  /** Called by priced routes only. */
  setRemaining: SetRemaining;
};

/** Dependencies of every route. */
export type RunRouteDeps = CallerRules &
  IdempotencyDeps & {
    meter: Meter;
    /** `lastCall` fires when a draining process needs its calls to end. */
    draining: { readonly lastCall: AbortSignal };
    calls: Pick<FairQueue, 'takeNow' | 'take' | 'held'>;
    /** The queue in front of the stages of this process that do the work. */
    work: Pick<WorkQueue, 'take'>;
    metricsToken: string | null;
    adminToken: string | null;
    events: Pick<Events, 'stagesTimed'>;
    /** Null: nothing is traced. */
    tracing: Tracing | null;
  };

/**
 * Runs a route for a call within its time limit: parses the body, identifies the caller and, on a priced route, waits for the
 * caller's turn and charges.
 * Throws what the route throws, `Failure` for an invalid body or key, and HungUp if the caller hangs up.
 */
export async function runRoute(route: Route, arrival: Arrival, deps: RunRouteDeps): Promise<Answer> {
  const run = (): Promise<Answer> =>
    route.callers === 'payer' ? runPricedRoute(route, arrival, deps) : runFreeRoute(route, arrival, deps);
  const { tracing } = deps;
  const answer = await (tracing?.request(buildTracedRequest(route, arrival), run) ?? run());
  if (answer.timingsMs !== undefined) deps.events.stagesTimed(answer.timingsMs);
  return answer;
}

function buildTracedRequest(
  { method, paths: [path] }: Route,
  { headers, requestId }: Arrival,
): TracedRequest {
  const attributes = { 'http.request.method': method, 'http.route': path ?? '', 'request.id': requestId };
  return { name: `${method} ${path}`, headers, attributes };
}

function runFreeRoute(route: FreeRoute, arrival: Arrival, deps: RunRouteDeps): Promise<Answer> {
  const { hungUp, hasBegun, assignLoad, setRemaining, ...request } = arrival;
  const bounds = { ...route.limit, hungUp, lastCall: deps.draining.lastCall };
  return runWithinDeadline(bounds, async (signal) => {
    const caller = await identifyFreeCaller(route, arrival, deps);
    const body = parseRouteBody(route, arrival);
    return route.handle({ ...request, ...caller, body, signal }, (nested, call) =>
      runNestedRoute(nested, call, { arrival, deps }),
    );
  });
}

async function runPricedRoute(route: PricedRoute, arrival: Arrival, deps: RunRouteDeps): Promise<Answer> {
  const { hungUp, hasBegun, assignLoad, setRemaining, ...request } = arrival;
  const { lastCall } = deps.draining;
  const { body, caller } = await identifyPayer(arrival, route, deps);
  const tenant = toTenant(caller);
  assignLoad(tenant);
  const waiting = { tenant, hungUp, lastCall };
  return runInTurn(deps.calls, waiting, (hasWaited) => {
    // While the call waited, unread responses to the same caller may have piled up.
    assignLoad(tenant);
    let began = performance.now();
    const keep = mayKeep(caller, request.headers);
    const call = { ...request, body, caller, tenant, keep };
    return runOnce({ route, call, hungUp, hasBegun, setRemaining }, deps, () =>
      chargeCall(route, call, {
        meter: deps.meter,
        setRemaining,
        hungUp,
        hasBegun,
        async workTurn() {
          const end = await waitForTurn(waiting, (signal) => deps.work.take({ tenant, signal, hasWaited }));
          began = performance.now();
          return end;
        },
        withinTime(work) {
          const ms = route.limit.ms - (performance.now() - began);
          return runWithinDeadline({ ...route.limit, ms, hungUp, lastCall }, work);
        },
      }),
    );
  });
}

/** Runs a priced route for the caller of a page. */
async function runNestedRoute(
  route: PricedRoute,
  { target, body, headers = {} }: Parameters<RunNestedRoute>[1],
  { arrival, deps }: { arrival: Arrival; deps: RunRouteDeps },
): ReturnType<RunNestedRoute> {
  let remaining: number | null = null;
  const nested: Arrival = {
    ...arrival,
    target,
    params: {},
    query: new URLSearchParams(target.split('?').slice(1).join('?')),
    headers: { ...arrival.headers, ...headers },
    bytes: new TextEncoder().encode(JSON.stringify(body)),
    setRemaining(credits) {
      remaining = credits;
      arrival.setRemaining(credits);
    },
  };
  const answer = await runRoute(route, nested, deps);
  return { answer, remaining };
}

/** A key in a header or the path identifies the caller; an unknown one is rejected before the body is parsed. */
async function identifyPayer(
  arrival: Arrival,
  route: Route,
  rules: RunRouteDeps,
): Promise<Pick<Call, 'body' | 'caller'>> {
  const { headers, params, address } = arrival;
  const known = await identifyCaller({ headers, pathKey: params.key, body: {}, address }, rules);
  const body = parseRouteBody(route, arrival);
  if (findPayer(known).kind === 'key') return { body, caller: known };
  return { body, caller: await identifyCaller({ headers: {}, body, address }, rules) };
}

/** Bodies are parsed only on POST routes that need a key or payment. */
function parseRouteBody(
  route: Route,
  { bytes, contentType = '' }: Pick<Arrival, 'bytes' | 'contentType'>,
): Call['body'] {
  if (route.method !== 'POST' || route.callers === 'anybody') return {};
  return (route.readBody ?? readJsonObject)(bytes, contentType);
}

type FreeCaller = Pick<Call, 'caller' | 'tenant' | 'keep'>;

async function identifyFreeCaller(
  route: FreeRoute,
  { headers, address }: Arrival,
  deps: RunRouteDeps,
): Promise<FreeCaller> {
  // A probe is answered whoever asks.
  if (route.probe) return { caller: { kind: 'keyless', address }, tenant: undefined, keep: false };
  const caller = await authenticateFreeCaller(route, { headers, address }, deps);
  return { caller, tenant: toTenant(caller), keep: mayKeep(caller, headers) };
}

async function authenticateFreeCaller(
  route: FreeRoute,
  { headers, address }: Pick<Arrival, 'headers' | 'address'>,
  deps: RunRouteDeps,
): Promise<Call['caller']> {
  if (route.callers === 'caller') return identifyCaller({ headers, body: {}, address }, deps);
  if (route.callers === 'key') return authenticateKeyOwner({ headers, address }, deps.findKey);
  if (route.callers === 'operator') assertOperator({ headers, address, token: deps.metricsToken });
  if (route.callers === 'admin') assertAdmin({ headers, token: deps.adminToken });
  return identifyCaller({ headers: {}, body: {}, address }, deps);
}

/** Creates the queue of priced calls, shared fairly between callers. */
export function createFairCalls(): FairQueue {
  return createFairQueue({
    slots: CALLS_AT_ONCE_MAX,
    waitingMax: CALLS_WAITING_MAX,
    overloaded: () => new Failure('overloaded', 'Too many calls are under way; try again in a moment.'),
  });
}

/** Creates the queue in front of the stages of this process that do the work of calls. */
export function createCallWork(stages: readonly Stage[], now?: () => number): WorkQueue {
  return createWorkQueue({
    slots: CALLS_AT_ONCE_MAX,
    waitingMax: CALLS_AT_ONCE_MAX,
    waitingFreely: CALLS_WAITING_FREELY,
    overloaded: () => new Failure('overloaded', 'The service is busy; try again in a moment.'),
    stages,
    ...(now === undefined ? {} : { now }),
  });
}

type WaitingCall = { tenant: Tenant; hungUp: AbortSignal; lastCall: AbortSignal };

/**
 * Runs a call when its caller gets a turn; `work` is told whether the call had to wait. Throws HungUp if the caller hangs up first,
 * `Failure('overloaded')` if the queue is full, the wait exceeds `CALL_WAIT_MS_MAX` or the service shuts down.
 */
async function runInTurn<T>(
  calls: Pick<FairQueue, 'takeNow' | 'take'>,
  waiting: WaitingCall,
  work: (hasWaited: boolean) => Promise<T>,
): Promise<T> {
  const { tenant, hungUp } = waiting;
  if (hungUp.aborted) throw new HungUp();
  const atOnce = calls.takeNow(waiting);
  const release = atOnce ?? (await waitForTurn(waiting, (signal) => calls.take({ tenant, signal })));
  try {
    return await work(atOnce === null);
  } finally {
    release();
  }
}

/** Waits for a turn, at most `CALL_WAIT_MS_MAX`. Throws as `runInTurn` does. */
async function waitForTurn(
  { hungUp, lastCall }: Omit<WaitingCall, 'tenant'>,
  take: (signal: AbortSignal) => Promise<() => void>,
): Promise<() => void> {
  const end = new AbortController();
  const leave = (): void => end.abort(new HungUp());
  const shutDown = (): void => end.abort(new Failure('overloaded', 'The service is shutting down.'));
  const timer = setTimeout(
    () =>
      end.abort(new Failure('overloaded', 'Your earlier calls still use up your share; try again later.')),
    CALL_WAIT_MS_MAX,
  );
  hungUp.addEventListener('abort', leave);
  lastCall.addEventListener('abort', shutDown);
  try {
    return await take(end.signal);
  } finally {
    clearTimeout(timer);
    hungUp.removeEventListener('abort', leave);
    lastCall.removeEventListener('abort', shutDown);
  }
}

/** Time before the limit at which work is signalled to stop, so that partial results can still be returned. */
const NOTICE_MS = 500;

type Bounds = { ms: number; late: () => Failure; hungUp: AbortSignal; lastCall: AbortSignal };

/**
 * Runs work under its route's time limit. The signal fires when the caller hangs up (rejects with HungUp), and shortly before the limit or
 * on a draining process's last call (rejects with `late()` unless the work returns in time). Work reads the remaining time with `computeMsLeft`.
 */
export async function runWithinDeadline<T>(
  bounds: Bounds,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { ms, late, hungUp, lastCall } = bounds;
  const notice = new AbortController();
  const ended = Promise.withResolvers<never>();
  const timers: NodeJS.Timeout[] = [];
  const giveNotice = (): void => {
    notice.abort(late());
    timers.push(setTimeout(() => ended.reject(late()), NOTICE_MS));
  };
  const hangUp = (): void => {
    notice.abort(new HungUp());
    ended.reject(new HungUp());
  };
  recordDeadline(notice.signal, ms - NOTICE_MS);
  timers.push(setTimeout(giveNotice, Math.max(0, ms - NOTICE_MS)));
  lastCall.addEventListener('abort', giveNotice);
  hungUp.addEventListener('abort', hangUp);
  if (hungUp.aborted) hangUp();
  if (lastCall.aborted) giveNotice();
  try {
    return await Promise.race([ended.promise, work(notice.signal)]);
  } catch (error) {
    throw notice.signal.aborted ? notice.signal.reason : error;
  } finally {
    for (const timer of timers) clearTimeout(timer);
    lastCall.removeEventListener('abort', giveNotice);
    hungUp.removeEventListener('abort', hangUp);
  }
}
