/**
 * The vocabulary of a call: who calls, what a handler receives, what it returns, and what a route declares. run-route.ts executes a route;
 * nothing here knows the HTTP framework.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { FoundKey } from '../../billing/keys/known-keys.ts';
import type { Failure } from '../../contract/errors.ts';
import type { CacheState } from '../../pages/article.ts';
import type { Tenant } from '../../platform/fairness/fair-queue.ts';
import type { LatePart } from '../../search/late-parts.ts';

/** A key, or an address without one (keyless). */
export type KnownCaller = ({ kind: 'key' } & FoundKey) | { kind: 'keyless'; address: string };

/** The sender of a call; marked if its network is not metered. */
export type Caller = KnownCaller | { kind: 'unmetered'; payer: KnownCaller };

/** One request as a handler sees it, independent of the HTTP framework. */
export type Call = {
  requestId: string;
  /** The raw request target, not decoded: path and query string. */
  target: string;
  /** Path parameters, such as `pack` in `/buy/:pack`. */
  params: Record<string, string>;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** The JSON object in the body; empty for GET and for routes open to anybody. */
  body: JsonObject;
  /** The raw body. */
  bytes: Uint8Array;
  caller: Caller;
  /** The caller's network address. */
  address: string;
  /** The tenant whose share of the service the call uses. */
  tenant: Tenant;
  /** True if the key and `X-No-Store` allow keeping pages for other callers; the body may still refuse. */
  keep: boolean;
  /** Fires when the caller hangs up, shortly before the route's time limit, and when a draining process is about to exit. */
  signal: AbortSignal;
  /** Reports progress of long work in a few words; absent unless the caller asked for it. */
  report?: (progress: string) => void;
};

export type JsonObject = Record<string, unknown>;

/**
 * A handler's response: an object is sent as JSON, anything else unchanged under its `content-type`. Byte arrays are shared between
 * responses; a stream must bound and end itself.
 */
export type Answer = {
  /** Defaults to 200, the status of every API success; only pages use others. */
  status?: number;
  body: JsonObject | string | Uint8Array | Readable;
  headers?: Record<string, string>;
  /** Cache state of the page or search; sent as `X-Cache` and logged. */
  cache?: CacheState;
  /** Parts left out for lack of time; sent as `X-Incomplete`. */
  incomplete?: readonly LatePart[];
  /** Milliseconds per stage, for the metrics. */
  timingsMs?: Record<string, number>;
};

/** A validated priced call. `most`: the most credits it can cost. */
export type Task = {
  most: number;
  /** The fewest credits that the call can run on; absent: `most`. */
  least?: number;
  /** `credits`: how many are held; for a free call, how many the caller could spend. */
  work(signal: AbortSignal, credits: number): Promise<WorkResult>;
};

/** The answer of priced work, the credits it used, and the body fields that state them. */
export type WorkResult = Answer & {
  used: number;
  cost?: (credits: number) => JsonObject;
};

/** Another call on behalf of the same caller: its target and the fields of its body. */
type NestedCall = { target: string; body: JsonObject; headers?: IncomingHttpHeaders };

/**
 * Runs a route for the caller of another one, with its own validation, turn, charge and time limit. `remaining`: credits or free requests
 * left; null where nothing is counted. Throws what the route throws.
 */
export type RunNestedRoute = (
  route: PricedRoute,
  call: NestedCall,
) => Promise<{ answer: Answer; remaining: number | null }>;

/** One operation of the API with its aliases. */
export type Route = FreeRoute | PricedRoute;

type RouteBase = {
  method: 'GET' | 'POST' | 'DELETE';
  /** A priced route takes a key as the parameter `:key`. */
  paths: string[];
  /** Failures are sent as HTML pages to everybody or only to browsers. Absent: to nobody. */
  pages?: 'always' | 'for browsers';
  /** HEAD is not served, because the request itself has an effect. */
  noHead?: true;
  /** Its answers hold no secrets and may be compressed, as those of priced routes are. */
  compress?: true;
  /** Parses the body into fields; absent: the body is a JSON object. */
  readBody?: (bytes: Uint8Array, contentType: string) => JsonObject;
  /** Maximum bytes of the body; absent: those of a JSON object. */
  bodyBytesMax?: number;
  /** Its description is that of a service with a model, because it has one. */
  usesModel?: true;
  /** Served under any load: a prober that gets no response would restart the process. */
  probe?: true;
  /** Milliseconds that the call may run once it has its turn, and the failure returned when they run out. */
  limit: { ms: number; late: () => Failure };
};

export type FreeRoute = RouteBase & {
  /** Web pages of any origin may call it and read the response, as with every priced route. */
  forAnyPage?: true;
  /**
   * Allowed callers: anybody (keys are not checked), callers with a key in a header or without one, only callers with a key in a header,
   * only the operator, or only holders of ADMIN_TOKEN.
   */
  callers: 'anybody' | 'caller' | 'key' | 'operator' | 'admin';
  /** Runs a priced route for its caller, whose charge and whose failures are then its own. */
  runsPriced?: true;
  handle(call: Call, runAlso: RunNestedRoute): Promise<Answer>;
};

export type PricedRoute = RouteBase & {
  callers: 'payer';
  /** Validates a call without side effects; throws `Failure` if it is invalid. */
  prepare(call: Omit<Call, 'signal'>): Task;
};

/** Returns true if calls of a route are charged. */
export const isCharged = (route: Route): boolean => route.callers === 'payer' || route.runsPriced === true;

/** The caller hung up, so there is no one to respond to. */
export class HungUp extends Error {
  override name = 'HungUp';
}

/** Returns true if a call ended because its caller hung up: with HungUp, or with the AbortError of work that was aborted for it. */
export function isHangUp(error: unknown, hungUp: Pick<AbortSignal, 'aborted'>): boolean {
  if (error instanceof HungUp) return true;
  return hungUp.aborted && error instanceof Error && error.name === 'AbortError';
}
