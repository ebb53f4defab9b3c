import {
  createServer,
  type IncomingMessage,
  request as requestOver,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { PROXY_LOGIN } from '../egress/egress.ts';
import { createGuard, FETCH_LIMITS, type Guard, type GuardOptions } from '../guard.ts';

/** Header that the proxy sets on its own answers; its value is the reason for the refusal. */
export const REFUSAL_HEADER = 'x-sanderling-proxy';

const HOSTS_MAX = 100;

/** Hop-by-hop headers (RFC 9110, 7.6.1). */
const HOP_BY_HOP = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authorization', 'proxy-authenticate'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
]);
const HEADER_BYTES_MAX = 65_536;
/** Keeps a body of unknown length chunked. */
const buildFraming = ({ headers }: IncomingMessage): string[] =>
  headers['transfer-encoding'] === undefined ? [] : ['transfer-encoding', 'chunked'];

/** An HTTP proxy on loopback for one page. */
export type GuardedProxy = {
  /** Address such as `http://127.0.0.1:41234`. */
  address: string;
  used(): TrafficUse;
  /** Cuts every connection. */
  close(): Promise<void>;
};

export type GuardedProxies = {
  /** Throws `Failure('url_not_allowed')` for an address that no page may be read from. */
  checkUrl: Guard['checkUrl'];
  open(limits: TrafficLimits): Promise<GuardedProxy>;
  close(): void;
};

const HEADERS_MS = 10_000;

/**
 * Proxies whose every connection is opened by the guarded connector: a host is looked up once, all of its addresses are checked, and
 * the socket connects to one of exactly these. Refused addresses get 403, requests over a limit 429.
 */
export function createGuardedProxies(options: GuardOptions): GuardedProxies {
  const guard = createGuard(options, FETCH_LIMITS);
  return {
    checkUrl: guard.checkUrl,
    open: async (limits) => {
      const traffic = createTraffic(limits);
      const server = createProxyServer(guard, traffic);
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(0, '127.0.0.1', resolve);
      });
      const { port } = server.address() as AddressInfo;
      return {
        address: `http://127.0.0.1:${port}`,
        used: traffic.used,
        close: () => {
          traffic.end();
          return new Promise((resolve) => server.close(() => resolve()));
        },
      };
    },
    close: () => guard.close(),
  };
}

function createProxyServer(guard: Guard, traffic: Traffic): Server {
  const server = createServer({ headersTimeout: HEADERS_MS, requestTimeout: 0, keepAlive: true });
  server.on('connection', (socket: Socket) => traffic.watch(socket));
  server.on('request', (request, response) => void forward(request, response, { guard, traffic }));
  server.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    void openTunnel({ authority: request.url ?? '', socket, head }, { guard, traffic });
  });
  // A browser opens WebSockets by CONNECT.
  server.on('upgrade', (_request: IncomingMessage, socket: Socket) => socket.destroy());
  server.on('clientError', (_error: Error, socket: Socket) => socket.destroy());
  return server;
}

type ConnectRequest = {
  /** Target of CONNECT as `host:port`. */
  authority: string;
  socket: Socket;
  /** Bytes that followed the request. */
  head: Buffer;
};

/** Serves CONNECT: relays bytes between the browser and a permitted host. */
async function openTunnel(
  { authority, socket, head }: ConnectRequest,
  { guard, traffic }: { guard: Guard; traffic: Traffic },
): Promise<void> {
  if (!traffic.begins()) return refuse(socket, 429);
  try {
    const far = await openPlainSocket(guard, guard.checkUrl(`https://${authority}/`));
    traffic.watch(far);
    if (socket.destroyed) {
      far.destroy();
      return;
    }
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    traffic.counts(head.length);
    far.write(head);
    join(socket, far, traffic);
    join(far, socket, traffic);
  } catch (error) {
    const { status, isRefused } = toStatus(error);
    if (isRefused) traffic.refuses(authority.replace(/:443$/, ''));
    refuse(socket, status);
  }
}

function join(from: Socket, to: Socket, traffic: Traffic): void {
  from.on('data', (bytes: Buffer) => traffic.counts(bytes.length));
  from.pipe(to);
  from.once('close', () => to.destroy());
}

function refuse(socket: Socket, status: number): void {
  socket.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
}

type Deps = { guard: Guard; traffic: Traffic };

/** Forwards a request for an `http:` address over its own connection to the host. */
async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { guard, traffic }: Deps,
): Promise<void> {
  if (!traffic.begins()) return end(response, 429);
  try {
    const url = guard.checkUrl(request.url ?? '');
    if (url.protocol !== 'http:') return end(response, 400);
    const socket = await openPlainSocket(guard, url);
    traffic.watch(socket);
    const answer = await send(request, { url, socket, forwarding: guard.connector.forwarding(url) });
    if (answer.statusCode === PROXY_LOGIN) {
      // Of the operator's proxy; the page and its browser have nothing to do with it.
      answer.destroy();
      return end(response, 502, 'failed');
    }
    answer.on('data', (bytes: Buffer) => traffic.counts(bytes.length));
    response.writeHead(answer.statusCode ?? 502, selectEndToEndHeaders(answer.rawHeaders));
    await pipeline(answer, response);
  } catch (error) {
    const { status, isRefused } = toStatus(error);
    if (isRefused) traffic.refuses(URL.parse(request.url ?? '')?.host ?? '');
    end(response, status, isRefused ? 'not_allowed' : 'failed');
  }
}

function send(
  request: IncomingMessage,
  {
    url,
    socket,
    forwarding,
  }: { url: URL; socket: Socket; forwarding: ReturnType<Guard['connector']['forwarding']> },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = requestOver({
      method: request.method ?? 'GET',
      path: forwarding?.path ?? url.pathname + url.search,
      headers: [
        ...selectEndToEndHeaders(request.rawHeaders),
        ...buildFraming(request),
        ...Object.entries(forwarding?.headers ?? {}).flat(),
        'connection',
        'close',
      ],
      createConnection: () => socket,
      maxHeaderSize: HEADER_BYTES_MAX,
      setHost: false,
    });
    sent.once('error', reject);
    sent.once('response', resolve);
    request.once('close', () => {
      if (!request.complete) sent.destroy();
    });
    request.pipe(sent);
  });
}

/** Returns header names and values in turn, without hop-by-hop headers. */
function selectEndToEndHeaders(raw: readonly string[]): string[] {
  const named = new Set(
    raw.flatMap((name, at) =>
      at % 2 === 0 && name.toLowerCase() === 'connection'
        ? (raw[at + 1] ?? '').split(',').map((one) => one.trim().toLowerCase())
        : [],
    ),
  );
  return raw.flatMap((name, at) => {
    if (at % 2 === 1) return [];
    const lower = name.toLowerCase();
    return HOP_BY_HOP.has(lower) || named.has(lower) ? [] : [name, raw[at + 1] ?? ''];
  });
}

function end(response: ServerResponse, status: number, why = 'limit'): void {
  if (response.headersSent) response.destroy();
  else
    response.writeHead(status, { 'content-length': '0', connection: 'close', [REFUSAL_HEADER]: why }).end();
}

/** Opens a plain connection to the host of a checked address; for https a tunnel, in which the browser speaks TLS. Throws `Failure`. */
function openPlainSocket({ connector }: Guard, { hostname, host, port, protocol }: URL): Promise<Socket> {
  const isTunnel = protocol === 'https:';
  return connector.open({
    hostname,
    host,
    protocol: 'http:',
    port: port === '' ? (isTunnel ? '443' : '80') : port,
    isTunnel,
  });
}

/** Returns the status that a browser gets instead of the page; it does not reveal why an address is refused. */
function toStatus(error: unknown): { status: 403 | 502; isRefused: boolean } {
  const isRefused = (error as { code?: unknown } | null)?.code === 'url_not_allowed';
  return { status: isRefused ? 403 : 502, isRefused };
}

type TrafficLimits = {
  /** Maximum bytes in both directions; beyond it every connection is cut, and no more are opened. */
  bytesMax: number;
  /** Maximum requests and tunnels; more are refused. */
  requestsMax: number;
};

type TrafficUse = {
  requests: number;
  /** Number of requests refused because of their address, and the first hosts among them. */
  refused: number;
  refusedHosts: readonly string[];
  bytes: number;
  /** True if something was refused because of a limit. */
  isOver: boolean;
};

/** Counts and bounds the traffic of one proxy, and cuts its connections at the end. */
type Traffic = {
  /** Counts a request and returns whether it may begin. */
  begins(): boolean;
  /** Records that a host was refused. */
  refuses(host: string): void;
  counts(bytes: number): void;
  /** Adds a socket that is cut with the others. */
  watch(socket: Socket): void;
  used(): TrafficUse;
  end(): void;
};

function createTraffic({ bytesMax, requestsMax }: TrafficLimits): Traffic {
  const sockets = new Set<Socket>();
  const use: TrafficUse = { requests: 0, refused: 0, refusedHosts: [], bytes: 0, isOver: false };
  let isEnded = false;
  const end = (): void => {
    isEnded = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    begins() {
      use.requests += 1;
      if (!isEnded && use.requests <= requestsMax) return true;
      use.isOver = true;
      return false;
    },
    refuses(host) {
      use.refused += 1;
      if (use.refusedHosts.length < HOSTS_MAX) use.refusedHosts = [...use.refusedHosts, host];
    },
    counts(bytes) {
      use.bytes += bytes;
      if (use.bytes <= bytesMax || isEnded) return;
      use.isOver = true;
      end();
    },
    watch(socket) {
      socket.on('error', () => socket.destroy());
      if (isEnded) {
        socket.destroy();
        return;
      }
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    },
    used: () => ({ ...use }),
    end,
  };
}
