import { createServer, type IncomingMessage, type RequestListener, type ServerOptions } from 'node:http';
import { Server, type Socket } from 'node:net';
import {
  ANSWER_BYTES_PER_SECOND_MIN,
  ANSWER_GRACE_MS,
  CONNECTIONS_MAX,
  UNANSWERED_MAX,
} from '../../contract/limits.ts';

/** Descriptors kept for files, worker threads, the database and the sockets of fetches. */
const DESCRIPTORS_RESERVED = 400;
/** Where the limit is so low that the reserve would leave next to nothing, connections get this share. */
const CONNECTIONS_SHARE_MIN = 1 / 3;
/** What is parsed at once is at least this long, and ends where the head of a request does. */
const PART_BYTES_MIN = 1_024;
const HEAD_END = '\r\n\r\n';

/** The connections of a service's HTTP servers. */
export type Connections = {
  /** Makes a server that hands on one request of a connection at a time. */
  serve(handle: RequestListener, options: ServerOptions): ReturnType<typeof createServer>;
  /** Whether no other request waits on the connection of this one. */
  isLast(request: IncomingMessage): boolean;
  /** Takes no more connections; resolves when the last one is closed. */
  refuseNew(): Promise<void>;
  /** Closes connections that have been idle since `before`, a `performance.now()`. */
  closeIdle(before: number): void;
  closeAll(): void;
};

type Turn = { request: IncomingMessage; start: () => void };
type Connection = {
  /** The first is being answered. */
  turns: Turn[];
  idleSince: number;
  /** Bytes that had arrived when it became idle: more mean that a request is on its way. */
  bytesWhenIdle: number;
};

/**
 * Requests that arrive together are answered one after the other: the next one starts when the answer before it has left.
 * A client that does not read keeps its own requests waiting, and one that leaves an answer in the socket for too long is cut off.
 */
export function createConnections(): Connections {
  const connections = new Map<Socket, Connection>();
  const servers: Server[] = [];
  return {
    serve(handle, options) {
      const server = createServer(options, (request, response) => {
        const connection = connections.get(request.socket);
        if (connection === undefined || request.socket.destroyed) return;
        if (connection.turns.length === UNANSWERED_MAX) {
          request.socket.destroy();
          return;
        }
        response.once('close', () => endTurn(connection, request.socket));
        response.once('prefinish', () => limitTaking(request.socket, response));
        connection.turns.push({ request, start: () => handle(request, response) });
        if (connection.turns.length === 1) connection.turns[0]?.start();
      });
      server.on('connection', (socket: Socket) => {
        parseInParts(socket);
        connections.set(socket, { turns: [], idleSince: performance.now(), bytesWhenIdle: 0 });
        socket.once('close', () => connections.delete(socket));
      });
      servers.push(server);
      return server;
    },
    isLast: ({ socket }) => (connections.get(socket)?.turns.length ?? 0) <= 1,
    async refuseNew() {
      // Node's HTTP server would also cut off connections that it takes for idle while their answer is still in the socket.
      const closed = (server: Server): Promise<void> =>
        new Promise((resolve) => Server.prototype.close.call(server, () => resolve()));
      await Promise.all(servers.filter(({ listening }) => listening).map(closed));
    },
    closeIdle(before) {
      for (const [socket, { turns, idleSince, bytesWhenIdle }] of connections)
        if (turns.length === 0 && idleSince <= before && socket.bytesRead === bytesWhenIdle)
          socket.destroySoon();
    },
    closeAll() {
      for (const socket of connections.keys()) socket.destroy();
    },
  };
}

/**
 * Node parses all that a read brought before anything else runs, thousands of requests if they are small, and does so on a
 * closed connection too. Hands its parser a few requests at a time instead, and nothing once the connection is closed.
 */
function parseInParts(socket: Socket): void {
  const [parse, ...others] = socket.listeners('data') as ((bytes: Buffer) => void)[];
  if (parse === undefined || others.length > 0) return;
  socket.off('data', parse).on('data', (bytes: Buffer) => {
    for (let start = 0; start < bytes.length && !socket.destroyed; ) {
      const headEnd = bytes.indexOf(HEAD_END, start + PART_BYTES_MIN);
      const end = headEnd === -1 ? bytes.length : headEnd + HEAD_END.length;
      parse(bytes.subarray(start, end));
      start = end;
    }
  });
}

function endTurn(connection: Connection, socket: Socket): void {
  connection.turns.shift();
  connection.idleSince = performance.now();
  connection.bytesWhenIdle = socket.bytesRead;
  if (!socket.destroyed) connection.turns[0]?.start();
}

/** Cuts a client off that does not take its answer in time. */
function limitTaking(socket: Socket, response: NodeJS.EventEmitter): void {
  const bytes = socket.writableLength;
  if (bytes === 0) return;
  const ms = ANSWER_GRACE_MS + (bytes / ANSWER_BYTES_PER_SECOND_MIN) * 1_000;
  const timer = setTimeout(() => socket.destroy(), ms);
  response.once('close', () => clearTimeout(timer));
}

/** Connections that a process with so many descriptors may take; one more is closed at once. */
export function connectionsMax(descriptors: number | null): number {
  if (descriptors === null) return CONNECTIONS_MAX;
  const spare = Math.max(descriptors - DESCRIPTORS_RESERVED, descriptors * CONNECTIONS_SHARE_MIN);
  return Math.min(CONNECTIONS_MAX, Math.floor(spare));
}

/** The fields of Node's report that its types lack (https://nodejs.org/docs/latest-v24.x/api/report.html). */
type Report = { userLimits?: { open_files?: { soft: number | 'unlimited' } } };
type ReportSettings = typeof process.report & { excludeNetwork: boolean };

/**
 * How many file descriptors, sockets included, this process may open; null where the system does not say or sets no
 * limit.
 */
export function descriptorLimit(): number | null {
  const settings = process.report as ReportSettings;
  // Otherwise the report looks up the names of all peers.
  settings.excludeNetwork = true;
  const { userLimits } = settings.getReport() as Report;
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : null;
}
