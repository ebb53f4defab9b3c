import type { Failure } from '../errors.ts';
import type { CacheState } from '../retrieval/page.ts';
import type { Caller } from './caller.ts';

/** One request as a route sees it: nothing of the framework. */
export type Call = {
  requestId: string;
  /** The request target as it came, before any decoding: path and query string. */
  target: string;
  /** The JSON object of the body; empty for GET. */
  body: JsonObject;
  caller: Caller;
  /** Fires when the caller hangs up, a little before the route's limit, and when a draining process wants to end. */
  signal: AbortSignal;
};

export type JsonObject = Record<string, unknown>;

/** What a route answers: an object is sent as JSON, a string as it is under its `content-type`. Always status 200. */
export type Answer = {
  body: JsonObject | string;
  headers?: Record<string, string>;
  /** How the page cache or the search cache served it; for the log. */
  cache?: CacheState;
};

/** One line of the interface: an operation with its aliases. */
export type Route = {
  method: 'GET' | 'POST';
  paths: string[];
  /** Who may call: a caller with or without a key, or anybody without a look at keys (then the route is never shed either). */
  callers: 'known' | 'anybody';
  /** Milliseconds that the whole call may take, and what is answered when they are over. */
  limit: { ms: number; late: () => Failure };
  handle(call: Call): Promise<Answer>;
};
