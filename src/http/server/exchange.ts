import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyContextConfig } from 'fastify';
import type { Once } from '../calls/call.ts';
import type { RequestLoad } from './load/load.ts';
import type { Watched } from './request-log.ts';

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
  readonly once?: Once;
  watched: Watched;
  load: RequestLoad;
};

/** What the server's steps use of a response. */
export type Reply = {
  readonly raw: {
    readonly headersSent: boolean;
    readonly socket: object | null;
    statusMessage: string;
    setTimeout(ms: number): unknown;
    destroy(): unknown;
  };
  header(name: string, value: string): Reply;
  headers(values: Record<string, string>): Reply;
  hasHeader(name: string): boolean;
  getHeader(name: string): unknown;
  status(code: number): Reply;
  /** Nothing more is sent: the connection is somebody else's now. */
  hijack(): unknown;
  send(payload?: unknown): Reply;
};
