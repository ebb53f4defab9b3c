import type { IncomingHttpHeaders } from 'node:http';
import type { Meter } from '../../billing/ledger/meter.ts';
import type { Events } from '../../contract/events.ts';
import type { FairQueue } from '../../platform/sharing/fair-queue.ts';
import type { Tenant } from '../../platform/sharing/fair-shares.ts';
import type { Answer, Call, Caller, FreeRoute, Route } from './call.ts';
import { callerOf, type FindKey, keyOwner, tenantOf } from './caller.ts';
import { charged } from './charged-call.ts';
import { withinDeadline } from './deadline.ts';
import { inTurn } from './fair-calls.ts';
import { assertOperator } from './operator.ts';
import { readJsonObject } from './wire.ts';

/** A call on its way to a route, whichever face it came in by: HTTP, or a tool. */
export type Arrival = Omit<Call, 'body' | 'caller' | 'tenant' | 'signal'> & {
  headers: IncomingHttpHeaders;
  /** The network address of who calls. */
  address: string;
  /** Fires when nobody waits for the answer any more. */
  hungUp: AbortSignal;
  /** Whether the answer has begun to leave. */
  hasBegun(): boolean;
  /** Counts what the request holds in memory towards its caller. Throws `Failure('overloaded')` where that is too much. */
  assignLoad(tenant: Tenant): void;
  /** Is told the free requests or credits left, by priced routes only. */
  setRemaining(credits: number): void;
};

/** What every call needs, whatever its route. */
export type RunRouteDeps = {
  findKey: FindKey;
  meter: Meter;
  /** `lastCall` fires when a draining process wants calls to end. */
  draining: { readonly lastCall: AbortSignal };
  calls: FairQueue;
  metricsToken: string | null;
  events: Pick<Events, 'stagesTimed'>;
};

/**
 * Runs a route for a call: reads its body, finds out who calls, waits for the caller's turn and charges where the route is priced,
 * and ends it in time.
 * Throws what the route throws, and `Failure` for a body or a key that is not valid; HungUp when nobody waits.
 */
export async function runRoute(route: Route, arrival: Arrival, parts: RunRouteDeps): Promise<Answer> {
  const answer = await answered(route, arrival, parts);
  if (answer.timingsMs !== undefined) parts.events.stagesTimed(answer.timingsMs);
  return answer;
}

type WithinTime = <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>;

async function answered(route: Route, arrival: Arrival, parts: RunRouteDeps): Promise<Answer> {
  const { hungUp, hasBegun, assignLoad, setRemaining, address, ...told } = arrival;
  const { lastCall } = parts.draining;
  const timed = (): WithinTime => {
    const began = performance.now();
    return (work) => {
      const ms = route.limit.ms - (performance.now() - began);
      return withinDeadline({ ...route.limit, ms, hungUp, lastCall }, work);
    };
  };
  if (route.callers !== 'payer')
    return timed()(async (signal) => {
      const caller = await callerOfFree(route, arrival, parts);
      return route.handle({
        ...told,
        body: bodyOf(route, told.bytes),
        caller,
        tenant: tenantOf(caller),
        signal,
      });
    });
  const { body, caller } = await payerOf(arrival, route, parts);
  const tenant = tenantOf(caller);
  assignLoad(tenant);
  return inTurn(parts.calls, { tenant, hungUp, lastCall }, () => {
    // While the call waited, answers of its caller may have gathered that are not taken.
    assignLoad(tenant);
    const surroundings = { meter: parts.meter, setRemaining, hungUp, hasBegun, withinTime: timed() };
    return charged(route, { ...told, body, caller, tenant }, surroundings);
  });
}

/** Whoever sends a key in a header is known by it, and an unknown one is refused before its body is read. */
async function payerOf(
  { headers, bytes, address }: Arrival,
  route: Route,
  { findKey }: RunRouteDeps,
): Promise<Pick<Call, 'body' | 'caller'>> {
  const known = await callerOf({ headers, body: {}, address }, findKey);
  const body = bodyOf(route, bytes);
  if (known.kind === 'key') return { body, caller: known };
  return { body, caller: await callerOf({ headers: {}, body, address }, findKey) };
}

/** Only who has to show a key or to pay sends anything that is read. */
function bodyOf(route: Route, bytes: Uint8Array): Call['body'] {
  if (route.method === 'GET' || route.callers === 'anybody') return {};
  return readJsonObject(bytes);
}

async function callerOfFree(
  route: FreeRoute,
  { headers, address }: Arrival,
  parts: RunRouteDeps,
): Promise<Caller> {
  if (route.callers === 'key') return keyOwner({ headers, address }, parts.findKey);
  if (route.callers === 'operator') assertOperator({ headers, address, token: parts.metricsToken });
  return { kind: 'keyless', address };
}
