import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { FETCH_LIMITS } from '../fetch-limits.ts';
import { createGuard, type Guard, type GuardOptions } from '../guard.ts';
import { forward } from './forward.ts';
import { createTraffic, type Traffic, type TrafficLimits, type TrafficUse } from './traffic.ts';
import { openTunnel } from './tunnel.ts';

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
