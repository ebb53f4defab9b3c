import type { IncomingHttpHeaders } from 'node:http';
import type { Payer } from '../../billing/ledger/meter.ts';
import type { Failure } from '../../contract/errors.ts';
import type { CacheState } from '../../pages/article.ts';
import type { Tenant } from '../../platform/sharing/fair-shares.ts';

/** A known key, or nobody known at a network address. */
export type Caller = Payer;

/** One request as a route sees it: nothing of the framework. */
export type Call = {
  requestId: string;
  /** The request target as it came, before any decoding: path and query string. */
  target: string;
  /** Named parts of the path, such as `pack` of `/buy/:pack`. */
  params: Record<string, string>;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** The JSON object of the body; empty for GET and for routes that anybody may call. */
  body: JsonObject;
  /** The body as it came. */
  bytes: Uint8Array;
  caller: Caller;
  /** Whose share of the service the call takes. */
  tenant: Tenant;
  /** Fires when the caller hangs up, a little before the route's limit, and when a draining process wants to end. */
  signal: AbortSignal;
  /** Reports the progress of long work in a few words; absent where the caller does not ask for it. */
  report?: (progress: string) => void;
};

export type JsonObject = Record<string, unknown>;

/** What a route answers: an object is sent as JSON, all else as it is under its `content-type`. Bytes are shared by all answers. */
export type Answer = {
  /** Default 200, which is what the interface gives for every success; pages know others. */
  status?: number;
  body: JsonObject | string | Uint8Array;
  headers?: Record<string, string>;
  /** How the page cache or the search cache served it; sent as `X-Cache` and logged. */
  cache?: CacheState;
  /** Milliseconds of each stage; for the metrics. */
  timingsMs?: Record<string, number>;
};

/** A call that is paid for, read and found valid: the most it can cost, and the work, which tells what was used. */
export type Task = {
  most: number;
  /** The call can do with fewer credits than `most`, with one at the least. */
  takesFewer?: true;
  /** `credits`: how many are held; for a free call, how many its caller could spend. */
  work(signal: AbortSignal, credits: number): Promise<Answer & { used: number }>;
};

/** One line of the interface: an operation with its aliases. */
export type Route = FreeRoute | PricedRoute;

type Line = {
  method: 'GET' | 'POST';
  paths: string[];
  /** Whose failures are pages: everybody's, or only those of browsers. Absent: nobody's. */
  pages?: 'always' | 'for browsers';
  /** GET alone, because even a look has an effect. */
  noHead?: true;
  /** Answered under any load, because whoever asks would otherwise restart the process. */
  probe?: true;
  /** Milliseconds that the call may take once it has its turn, and what is answered when they are over. */
  limit: { ms: number; late: () => Failure };
};

export type FreeRoute = Line & {
  /** Pages of any origin may call it and read its answer, as they may with every priced route. */
  forAnyPage?: true;
  /** Who may call: anybody without a look at keys, only who has a key (in a header), or only the operator. */
  callers: 'anybody' | 'key' | 'operator';
  handle(call: Call): Promise<Answer>;
};

export type PricedRoute = Line & {
  callers: 'payer';
  /** Reads a call without doing anything yet; throws `Failure` for one that is not valid. */
  prepare(call: Omit<Call, 'signal'>): Task;
};
