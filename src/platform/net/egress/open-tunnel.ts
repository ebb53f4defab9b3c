/**
 * Sockets through a proxy: by CONNECT (RFC 9110, 9.3.6) through an http or https proxy, by SOCKS 5 (RFC 1928, RFC 1929). The destination
 * is an address where names are judged here. What is said with the proxy is bounded in time and size, and no message of it reaches a caller.
 */
import { request as requestOver } from 'node:http';
import { isIP, connect as openTcp, type Socket } from 'node:net';
import { connect as openTls } from 'node:tls';
import ipaddr from 'ipaddr.js';
import { createFetchFailure, Failure } from '../../../contract/errors.ts';
import {
  buildProxyAuthorization,
  describeProxyStatus,
  type Egress,
  PROXY_LOGIN,
  type ProxyServer,
} from './egress.ts';

/** A host as the proxy gets it: a name, or an address without brackets. */
export type Destination = { host: string; port: number };

const ANSWER_BYTES_MAX = 16_384;

/** Opens a socket to the proxy itself, over which requests for `http:` addresses are forwarded. Throws `Failure`. */
export function openProxySocket(proxy: ProxyServer, egress: Egress, connectMs: number): Promise<Socket> {
  return withDeadline(connectMs, (watch) => reachProxy(proxy, egress, watch));
}

/** Opens a socket to a destination through the proxy. Throws `Failure`. */
export function openTunnel(
  { proxy, destination }: { proxy: ProxyServer; destination: Destination },
  egress: Egress,
  connectMs: number,
): Promise<Socket> {
  return withDeadline(connectMs, async (watch) => {
    const socket = await reachProxy(proxy, egress, watch);
    if (proxy.kind === 'socks5') await passSocks(socket, proxy, destination);
    else await passConnect(socket, proxy, destination);
    return socket;
  });
}

/** Destroys the watched sockets where `work` fails or takes longer than `ms`. */
async function withDeadline(
  ms: number,
  work: (watch: (socket: Socket) => void) => Promise<Socket>,
): Promise<Socket> {
  const sockets: Socket[] = [];
  const late = Promise.withResolvers<never>();
  const failure = createFetchFailure('timeout', 'the proxy did not open a connection in time');
  const timer = setTimeout(() => late.reject(failure), ms);
  try {
    return await Promise.race([work((socket) => sockets.push(socket)), late.promise]);
  } catch (error) {
    for (const socket of sockets) socket.on('error', () => {}).destroy();
    throw error instanceof Failure ? error : createUnreachableError(error);
  } finally {
    clearTimeout(timer);
  }
}

function createUnreachableError(cause: unknown): Failure {
  const code = String((cause as { code?: unknown } | null)?.code ?? '');
  const isTls = /^(?:ERR_TLS|ERR_SSL|CERT_|UNABLE_|SELF_SIGNED|DEPTH_ZERO|EPROTO|HOSTNAME_MISMATCH)/.test(
    code,
  );
  const why = isTls ? 'no secure connection to the proxy could be made' : 'the proxy cannot be reached';
  return createFetchFailure('connect', why, { cause });
}

async function reachProxy(
  { kind, host, port }: ProxyServer,
  egress: Egress,
  watch: (socket: Socket) => void,
): Promise<Socket> {
  const isTls = kind === 'https';
  const secureContext = isTls ? await egress.findSecureContext(host, port) : undefined;
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const socket = isTls
    ? openTls({ host, port, ...servername, ...(secureContext === undefined ? {} : { secureContext }) })
    : openTcp({ host, port, autoSelectFamily: true });
  watch(socket);
  socket.setNoDelay(true);
  await waitForEvent(socket, isTls ? 'secureConnect' : 'connect');
  return socket;
}

/** Resolves with an event of a socket, and rejects where it fails or ends before. */
function waitForEvent(socket: Socket, name: 'connect' | 'secureConnect' | 'readable'): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      socket.off(name, succeed).off('error', fail).off('end', end).off('close', end);
    };
    const succeed = (): void => {
      settle();
      resolve();
    };
    const fail = (error: Error): void => {
      settle();
      reject(error);
    };
    const end = (): void => fail(createRefusal('the proxy closed the connection'));
    socket.on(name, succeed).on('error', fail).on('end', end).on('close', end);
  });
}

function createRefusal(why: string): Failure {
  return createFetchFailure('connect', why);
}

function passConnect(socket: Socket, proxy: ProxyServer, { host, port }: Destination): Promise<void> {
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const authorization = buildProxyAuthorization(proxy);
  return new Promise((resolve, reject) => {
    const asked = requestOver({
      method: 'CONNECT',
      path: authority,
      headers: {
        host: authority,
        ...(authorization === null ? {} : { 'proxy-authorization': authorization }),
      },
      createConnection: () => socket,
      maxHeaderSize: ANSWER_BYTES_MAX,
    });
    asked.once('error', reject);
    asked.once('connect', ({ statusCode = 0 }, _socket, head) => {
      if (statusCode < 200 || statusCode > 299) return reject(createRefusal(describeProxyStatus(statusCode)));
      if (head.length > 0) socket.unshift(head);
      resolve();
    });
    asked.end();
  });
}

const SOCKS = { version: 5, connect: 1, byAddress4: 1, byName: 3, byAddress6: 4 } as const;
const METHODS = { open: 0, login: 2 } as const;
const LOGIN_VERSION = 1;

async function passSocks(socket: Socket, { login }: ProxyServer, destination: Destination): Promise<void> {
  const methods = login === null ? [METHODS.open] : [METHODS.open, METHODS.login];
  socket.write(Buffer.from([SOCKS.version, methods.length, ...methods]));
  const [, method] = await readBytes(socket, 2);
  if (method === METHODS.login && login !== null) {
    const [user, password] = [Buffer.from(login.user), Buffer.from(login.password)];
    socket.write(
      Buffer.concat([
        Buffer.from([LOGIN_VERSION, user.length]),
        user,
        Buffer.from([password.length]),
        password,
      ]),
    );
    const [, status] = await readBytes(socket, 2);
    if (status !== 0) throw createRefusal(describeProxyStatus(PROXY_LOGIN));
  } else if (method !== METHODS.open) throw createRefusal(describeProxyStatus(PROXY_LOGIN));
  socket.write(
    Buffer.concat([Buffer.from([SOCKS.version, SOCKS.connect, 0]), encodeDestination(destination)]),
  );
  const [, status = 1, , kind] = await readBytes(socket, 4);
  if (status !== 0) throw createRefusal(`the proxy refused the connection (SOCKS ${status})`);
  await readBytes(socket, (await readBoundLength(socket, kind)) + 2);
}

function encodeDestination({ host, port }: Destination): Buffer {
  const name = Buffer.from(host);
  const kind = isIP(host);
  const [type, ...bytes] =
    kind === 0
      ? [SOCKS.byName, name.length, ...name]
      : [kind === 4 ? SOCKS.byAddress4 : SOCKS.byAddress6, ...ipaddr.parse(host).toByteArray()];
  return Buffer.from([type, ...bytes, port >> 8, port & 0xff]);
}

/** Returns the length of the address that the proxy has bound, which nobody needs. */
async function readBoundLength(socket: Socket, kind: number | undefined): Promise<number> {
  if (kind === SOCKS.byAddress4) return 4;
  if (kind === SOCKS.byAddress6) return 16;
  const [length = 0] = await readBytes(socket, 1);
  return length;
}

async function readBytes(socket: Socket, count: number): Promise<Buffer> {
  for (;;) {
    const bytes: Buffer | null = socket.read(count);
    if (bytes !== null && bytes.length === count) return bytes;
    if (bytes !== null) throw createRefusal('the proxy closed the connection');
    await waitForEvent(socket, 'readable');
  }
}
