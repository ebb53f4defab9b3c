import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { FoundKey } from '../../billing/keys/known-keys.ts';
import type { Failure } from '../../contract/errors.ts';
import type { CacheState } from '../../pages/article.ts';
import type { Tenant } from '../../platform/sharing/fair-shares.ts';
import type { LatePart } from '../../search/late-parts.ts';

/** A key, or an address without one (keyless). */
export type KnownCaller = ({ kind: 'key' } & FoundKey) | { kind: 'keyless'; address: string };

/** Who calls; marked if its network is not metered. */
export type Caller = KnownCaller | { kind: 'unmetered'; payer: KnownCaller };

/** One request as a handler sees it, with nothing of the framework. */
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
  /** Whose share of the service the call uses. */
  tenant: Tenant;
  /** Whether what it reads may be kept for other callers, as far as its key and `X-No-Store` say; its body may still refuse. */
  keep: boolean;
  /** Fires when the caller hangs up, shortly before the route's time limit, and when a draining process is about to exit. */
  signal: AbortSignal;
  /** Reports progress on long work in a few words; absent unless the caller asked for it. */
  report?: (progress: string) => void;
};

export type JsonObject = Record<string, unknown>;

/** A handler's response: an object is sent as JSON, anything else as is under its `content-type`. Bytes are shared between responses; a stream bounds and ends itself. */
export type Answer = {
  /** Defaults to 200, which every API success uses; only pages use others. */
  status?: number;
  body: JsonObject | string | Uint8Array | Readable;
  headers?: Record<string, string>;
  /** Cache state of the page or search; sent as `X-Cache` and logged. */
  cache?: CacheState;
  /** What was left out for lack of time; sent as `X-Incomplete`. */
  incomplete?: readonly LatePart[];
  /** Milliseconds per stage, for the metrics. */
  timingsMs?: Record<string, number>;
};

/** A validated priced call: the most it can cost, and the work, which returns the credits it used. */
export type Task = {
  most: number;
  /** The call can run on fewer credits than `most`, but needs at least one. */
  takesFewer?: true;
  /** `credits`: how many are held; for a free call, how many the caller could spend. */
  work(signal: AbortSignal, credits: number): Promise<Worked>;
};

/** What priced work returns: the answer, the credits it used, and the fields of the body that state them. */
export type Worked = Answer & {
  used: number;
  cost?: (credits: number) => JsonObject;
};

/** Another call on behalf of the same caller: its target and the fields of its body. */
type AlsoCalled = { target: string; body: JsonObject; headers?: IncomingHttpHeaders };

/**
 * Runs a route for the caller of another one, with its own validation, turn, charge and time limit. `remaining`: what the caller has
 * left; null where nothing is counted. Throws what the route throws.
 */
export type RunAlso = (
  route: PricedRoute,
  call: AlsoCalled,
) => Promise<{ answer: Answer; remaining: number | null }>;

/** One operation of the API with its aliases. */
export type Route = FreeRoute | PricedRoute;

type Line = {
  method: 'GET' | 'POST' | 'DELETE';
  /** A priced route takes a key as the parameter `:key`. */
  paths: string[];
  /** Who gets failures as HTML pages: everybody or only browsers. Absent: nobody. */
  pages?: 'always' | 'for browsers';
  /** No HEAD, because even looking has an effect. */
  noHead?: true;
  /** Its answers hold no secret and may be compressed, as those of priced routes. */
  compress?: true;
  /** How its body becomes fields; absent: it is a JSON object. */
  readBody?: (bytes: Uint8Array) => JsonObject;
  /** Served under any load: a prober that gets no response would restart the process. */
  probe?: true;
  /** Milliseconds that the call may run once it has its turn, and the failure returned when they run out. */
  limit: { ms: number; late: () => Failure };
};

export type FreeRoute = Line & {
  /** Pages from any origin may call it and read the response, as with every priced route. */
  forAnyPage?: true;
  /**
   * Who may call: anybody (keys are not checked), callers with a key in a header or without one, only callers with a key in a
   * header, only the operator, or only who has ADMIN_TOKEN.
   */
  callers: 'anybody' | 'caller' | 'key' | 'operator' | 'admin';
  handle(call: Call, runAlso: RunAlso): Promise<Answer>;
};

export type PricedRoute = Line & {
  callers: 'payer';
  /** Validates a call without side effects; throws `Failure` if it is invalid. */
  prepare(call: Omit<Call, 'signal'>): Task;
};
