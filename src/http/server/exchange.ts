import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyContextConfig } from 'fastify';
import type { CacheState } from '../../pages/article.ts';
import type { MakeOnce } from '../calls/call.ts';
import type { HungUpSignal } from '../calls/deadline.ts';
import type { RequestLoad } from './load/load.ts';

/** What is tracked about a request besides its content. */
export type Watched = {
  /** When the request came, a `performance.now()`. */
  readonly started: number;
  /** Fires when the connection closes before the response has been sent. */
  readonly hungUp: HungUpSignal;
  cache: CacheState | null;
  /** The code of the failure in the response. */
  code: string | null;
  /** Milliseconds of the stages of the answer, where it tells them. */
  stagesMs: Record<string, number> | null;
  /** The connection closed before the response had been sent. */
  hangUp(): void;
};

/** What the server's steps use of a request: the framework's, or one that repeats an earlier one. */
export type Received = {
  readonly id: string;
  readonly method: string;
  /** The normalised target that was routed; `originalUrl` is the one that was sent. */
  readonly url: string;
  readonly originalUrl: string;
  readonly headers: IncomingHttpHeaders;
  readonly params: unknown;
  readonly body?: unknown;
  readonly is404: boolean;
  readonly socket: { readonly remoteAddress?: string | undefined };
  readonly routeOptions: {
    readonly url?: string | undefined;
    readonly config: FastifyContextConfig;
  };
  /** Present if it repeats an earlier one. */
  readonly once?: MakeOnce;
  watched: Watched;
  load: RequestLoad;
};

/** What the server's steps use of a response. */
export type ServerReply = {
  readonly raw: {
    readonly headersSent: boolean;
    readonly socket: object | null;
    statusMessage: string;
    setTimeout(ms: number): unknown;
    destroy(): unknown;
  };
  header(name: string, value: string): ServerReply;
  headers(values: Record<string, string>): ServerReply;
  hasHeader(name: string): boolean;
  getHeader(name: string): unknown;
  status(code: number): ServerReply;
  /** Nothing more is sent: the connection is somebody else's now. */
  hijack(): unknown;
  send(payload?: unknown): ServerReply;
};
