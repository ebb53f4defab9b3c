import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type {
  createServer as CreateServer,
  IncomingMessage,
  RequestListener,
  ServerOptions,
} from 'node:http';
import { type AddressInfo, createServer, Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import {
  ANSWER_BYTES_PER_SECOND_MIN,
  ANSWER_GRACE_MS,
  CONNECTIONS_MAX,
  UNANSWERED_MAX,
} from '../../contract/limits.ts';
import type { Log } from '../../platform/log.ts';

const LAST_CALL_MS = 7_500;
const CUT_OFF_MS = 8_500;
const IDLE_SWEEP_MS = 100;
/** A client that reuses its connection within this time still gets a response, with `Connection: close`. */
const IDLE_GRACE_MS = 1_000;

/** Time limit of a shutdown; then the process exits, whatever is still running. */
const EXIT_MS = 9_500;
/** Under npm, one Ctrl-C reaches the process twice; signals this close together count as one. */
const SAME_SIGNAL_MS = 1_000;

/** https://www.rfc-editor.org/rfc/rfc6455#section-1.3 */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const KEY = /^[A-Za-z0-9+/]{22}==$/;
/** A close frame of a server with status 1000, "normal closure" (section 5.5.1). */
const CLOSE_FRAME = Buffer.from([0x88, 0x02, 0x03, 0xe8]);
/** Paths of the jobs that Firecrawl clients watch. */
const WATCHED = /^\/(?:firecrawl\/)?v[12]\/(?:crawl|batch\/scrape)\/[\w-]{1,64}$/;
/** Time limit for the client to close its side. */
const CLOSE_MS = 2_000;

// An import would load everything that the module exports, even a WebSocket client: 14 MB, and 35 ms of every start.
const { createServer: createHttpServer } = process.getBuiltinModule('node:http');

/** Descriptors reserved for files, worker threads, the database and fetch sockets. */
const DESCRIPTORS_RESERVED = 400;
/** Divisor of the maximum connections that one address may hold; trusted proxies may hold as many as they need. */
const SHARE_OF_ADDRESS = 4;
/** Minimum share for connections when the limit is so low that the reserve would leave almost nothing. */
const CONNECTIONS_SHARE_MIN = 1 / 3;
/** Minimum size of the pieces fed to the parser; each is cut at the end of a request's head. */
const PART_BYTES_MIN = 1_024;
const HEAD_END = '\r\n\r\n';
/** Characters kept of a request's start: enough to tell by its path which shape it is for. */
const START_CHARS_KEPT = 256;
const REQUEST_LINE = /^\s*[A-Z]+ (\S+)/i;

/** The connections of a service's HTTP servers. */
export type Connections = {
  /** Creates a server that handles one request per connection at a time. */
  serve(handle: RequestListener, options: ServerOptions): ReturnType<typeof CreateServer>;
  /** Returns true if no other request is waiting on this one's connection. */
  isLast(request: Pick<IncomingMessage, 'socket'>): boolean;
  /** Accepts no more connections; resolves when the last one has closed. */
  refuseNew(): Promise<void>;
  /** Closes connections that have been idle since `before`, a `performance.now()`. */
  closeIdle(before: number): void;
  closeAll(): void;
  /** Returns the target of the request that is arriving on a connection, as far as it can be told; empty if it cannot. */
  findTarget(socket: Socket): string;
};

type Connection = {
  /** Starts each unanswered request; the first is the one being handled. */
  turns: (() => void)[];
  idleSince: number;
  /** Bytes received when it became idle: if there are more now, a request is arriving. */
  bytesWhenIdle: number;
  /** The request that arrived last; its body may still be arriving. */
  request: IncomingMessage | null;
  /** The start of what has arrived since its head: the start of the next request, once its body is complete. */
  start: string;
};

/**
 * Handles pipelined requests one after another: the next starts once the previous response has been sent.
 * A client that does not read delays only its own requests, and is disconnected if a response stays in the socket too long.
 */
export function createConnections({ trustProxy = 0 } = {}): Connections {
  const connections = new Map<Socket, Connection>();
  const held = new Map<string, number>();
  const servers: Server[] = [];
  return {
    serve(handle, options) {
      const server = createHttpServer(
        { ...options, shouldUpgradeCallback: isJobWatch },
        (request, response) => {
          const connection = connections.get(request.socket);
          if (connection === undefined || request.socket.destroyed) return;
          if (connection.turns.length === UNANSWERED_MAX) {
            request.socket.destroy();
            return;
          }
          response.on('close', () => endTurn(connection, request.socket));
          response.on('prefinish', () => {
            const end = limitReadTime(request.socket);
            if (end !== null) response.once('close', end);
          });
          connection.request = request;
          connection.start = '';
          connection.turns.push(() => handle(request, response));
          if (connection.turns.length === 1) connection.turns[0]?.();
        },
      );
      server.on('connection', (socket: Socket) => {
        const { remoteAddress = '' } = socket;
        const own = (held.get(remoteAddress) ?? 0) + 1;
        if (trustProxy === 0 && own > Math.ceil(server.maxConnections / SHARE_OF_ADDRESS)) {
          socket.destroy();
          return;
        }
        held.set(remoteAddress, own);
        const connection: Connection = {
          turns: [],
          idleSince: performance.now(),
          bytesWhenIdle: 0,
          request: null,
          start: '',
        };
        parseInParts(socket, connection);
        connections.set(socket, connection);
        socket.once('close', () => {
          connections.delete(socket);
          const left = (held.get(remoteAddress) ?? 1) - 1;
          if (left === 0) held.delete(remoteAddress);
          else held.set(remoteAddress, left);
        });
      });
      server.on('upgrade', (request, socket: Socket) =>
        detachParser(request, { socket, isIdle: connections.get(socket)?.turns.length === 0 }),
      );
      servers.push(server);
      return server;
    },
    isLast: ({ socket }) => (connections.get(socket)?.turns.length ?? 0) <= 1,
    async refuseNew() {
      await Promise.all(servers.filter(({ listening }) => listening).map(stopListening));
    },
    closeIdle(before) {
      for (const [socket, { turns, idleSince, bytesWhenIdle }] of connections)
        if (turns.length === 0 && idleSince <= before && socket.bytesRead === bytesWhenIdle)
          socket.destroySoon();
    },
    closeAll() {
      for (const socket of connections.keys()) socket.destroy();
    },
    findTarget(socket) {
      const { request = null, start = '' } = connections.get(socket) ?? {};
      if (request !== null && !request.complete) return request.url ?? '';
      return REQUEST_LINE.exec(start)?.[1] ?? '';
    },
  };
}

/** Node has freed the parser of an upgraded connection, so it must get no more input. */
function detachParser(
  request: IncomingMessage,
  { socket, isIdle }: { socket: Socket; isIdle: boolean },
): void {
  socket.removeAllListeners('data');
  if (isIdle) endWebSocket(request, socket);
  else socket.destroy();
}

/** The HTTP server's own close() would also drop connections that it considers idle while their response is still in the socket. */
function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => Server.prototype.close.call(server, () => resolve()));
}

/**
 * Node parses everything from one read before anything else runs: thousands of small requests, even on a closed connection.
 * This feeds its parser a few requests at a time instead, and nothing once the connection is closed.
 */
function parseInParts(socket: Socket, connection: Connection): void {
  const [parse, ...others] = socket.listeners('data') as ((bytes: Buffer) => void)[];
  if (parse === undefined || others.length > 0) return;
  socket.off('data', parse).on('data', (bytes: Buffer) => {
    for (let start = 0; start < bytes.length && !socket.destroyed && socket.listenerCount('data') > 0; ) {
      const isSmall = bytes.length - start <= PART_BYTES_MIN;
      const headEnd = isSmall ? -1 : bytes.indexOf(HEAD_END, start + PART_BYTES_MIN);
      const end = headEnd === -1 ? bytes.length : headEnd + HEAD_END.length;
      const missing = START_CHARS_KEPT - connection.start.length;
      if (missing > 0) connection.start += bytes.toString('latin1', start, Math.min(end, start + missing));
      parse(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end));
      start = end;
    }
  });
}

function endTurn(connection: Connection, socket: Socket): void {
  connection.turns.shift();
  connection.idleSince = performance.now();
  connection.bytesWhenIdle = socket.bytesRead;
  if (!socket.destroyed) connection.turns[0]?.();
}

/**
 * Disconnects a client that does not read its response in time. Returns the function that stops the timer, or null if everything has been
 * sent already.
 */
function limitReadTime(socket: Socket): (() => void) | null {
  const bytes = socket.writableLength;
  if (bytes === 0) return null;
  const ms = ANSWER_GRACE_MS + (bytes / ANSWER_BYTES_PER_SECOND_MIN) * 1_000;
  const timer = setTimeout(() => socket.destroy(), ms);
  return () => clearTimeout(timer);
}

/** Computes how many connections a process with this many descriptors may accept; further ones are closed at once. */
export function computeConnectionsMax(descriptors: number | null): number {
  if (descriptors === null) return CONNECTIONS_MAX;
  const spare = Math.max(descriptors - DESCRIPTORS_RESERVED, descriptors * CONNECTIONS_SHARE_MIN);
  return Math.min(CONNECTIONS_MAX, Math.floor(spare));
}

/** Reads the maximum number of file descriptors, including sockets, of this process; null if unknown or unlimited. */
export function readDescriptorLimit(): number | null {
  const soft = readLinuxLimit() ?? readReportLimit();
  return typeof soft === 'number' && !Number.isNaN(soft) ? soft : null;
}

/** Returns null on other systems. Reading the file is a hundred times as fast as Node's report, which also collects stacks and heaps. */
function readLinuxLimit(): number | 'unlimited' | null {
  try {
    const soft = /^Max open files +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? null : soft === 'unlimited' ? soft : Number(soft);
  } catch {
    return null;
  }
}

/** Fields of Node's report missing from its types (https://nodejs.org/docs/latest-v24.x/api/report.html). */
type Report = { userLimits?: { open_files?: { soft: number | 'unlimited' } } };
type ReportSettings = typeof process.report & { excludeNetwork: boolean };

function readReportLimit(): number | 'unlimited' | undefined {
  const settings = process.report as ReportSettings;
  // Without this the report resolves the host name of every peer.
  settings.excludeNetwork = true;
  return (settings.getReport() as Report).userLimits?.open_files?.soft;
}

/**
 * Returns true if a request opens a WebSocket to watch a job. This service sends nothing over WebSockets, but a client whose socket is
 * closed normally polls the status instead, whereas any other answer is an error to it.
 */
function isJobWatch({ method, url, headers }: IncomingMessage): boolean {
  const isBare = headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;
  return (
    method === 'GET' &&
    isBare &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    KEY.test(headers['sec-websocket-key'] ?? '') &&
    WATCHED.test(url ?? '')
  );
}

/** Completes the WebSocket handshake, then closes the socket normally. */
function endWebSocket({ headers }: IncomingMessage, socket: Duplex): void {
  const accept = createHash('sha1')
    .update(headers['sec-websocket-key'] + GUID)
    .digest('base64');
  // Clients expect the protocol that they named in the answer; Node rejects line breaks in headers.
  const protocol = headers['sec-websocket-protocol']?.split(',')[0]?.trim();
  const head = [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${accept}`,
    ...(protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
  ];
  const timer = setTimeout(() => socket.destroy(), CLOSE_MS);
  socket.on('error', () => {});
  socket.once('close', () => clearTimeout(timer));
  socket.resume();
  socket.end(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), CLOSE_FRAME]));
}

/** Shuts down gracefully on SIGTERM and SIGINT; a second signal exits at once. */
export function endOnSignals(deps: { listening: RunningServer; log: Log; close(): Promise<void> }): void {
  let since: number | null = null;
  const end = async (why: string, exitCode: number): Promise<void> => {
    if (since !== null) {
      if (performance.now() - since > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    since = performance.now();
    setTimeout(() => process.exit(1), EXIT_MS);
    deps.log.info({ why }, 'draining');
    await deps.listening.drain();
    await deps.close();
    deps.log.info('ended');
    process.exit(exitCode);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => void end(signal, 0).catch((err: unknown) => fail(deps.log, err)));
  process.on('uncaughtException', (err) => {
    deps.log.fatal({ err }, 'uncaught exception');
    void end('uncaught exception', 1).catch((failure: unknown) => fail(deps.log, failure));
  });
}

function fail(log: Log, err: unknown): never {
  log.fatal({ err }, 'graceful shutdown failed');
  process.exit(1);
}

/** A listening server. */
export type RunningServer = {
  /** Such as `http://127.0.0.1:8080`. */
  address: string;
  /** Accepts no more connections, lets running requests finish and resolves when the last connection has closed, within 9 s. */
  drain(): Promise<void>;
};

type ListenOptions = { host: string; port: number; draining: Draining; idleGraceMs?: number };

/** Starts the app on an address; port 0 picks a free one. Rejects with `EADDRINUSE` and the like. */
export async function listen(app: FastifyInstance, place: ListenOptions): Promise<RunningServer> {
  const { host, port } = place;
  await app.listen({ host, port });
  return { address: buildServerUrl(app.server), drain: () => drain(app, place) };
}

/** Returns the URL of a listening server as seen from its own machine. */
export function buildServerUrl(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  if (address === '0.0.0.0' || address === '::') return `http://localhost:${port}`;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** Returns true if a server could listen on this port now. */
export function isFreePort(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}

/**
 * Drains the server. Closing a connection just as its client sends a request would lose the request, so a connection stays open for its
 * next request, whose response carries `Connection: close`, and is closed only after being idle for `idleGraceMs`.
 */
async function drain(
  app: FastifyInstance,
  { draining, idleGraceMs = IDLE_GRACE_MS }: ListenOptions,
): Promise<void> {
  const { connections } = app;
  const began = performance.now();
  draining.begin();
  const lastClosed = connections.refuseNew();
  const closeIdle = (): void => {
    const now = performance.now();
    if (now - began >= idleGraceMs) connections.closeIdle(now - idleGraceMs);
  };
  // After a stall the timer comes first, and only then are the requests read that arrived meanwhile.
  const sweep = (): void => void setImmediate(closeIdle);
  sweep();
  const timers = [
    setInterval(sweep, IDLE_SWEEP_MS),
    setTimeout(() => draining.callLast(), LAST_CALL_MS),
    setTimeout(() => connections.closeAll(), CUT_OFF_MS),
  ];
  await lastClosed;
  for (const timer of timers) clearTimeout(timer);
  await app.close();
}

/** State of a graceful shutdown, and the signal for running calls to finish. */
export type Draining = {
  isOn(): boolean;
  begin(): void;
  /** Fires when running calls must finish within half a second. */
  readonly lastCall: AbortSignal;
  callLast(): void;
};

export function createDraining(): Draining {
  let on = false;
  const last = new AbortController();
  return {
    isOn: () => on,
    begin() {
      on = true;
    },
    lastCall: last.signal,
    callLast: () => last.abort(),
  };
}
