import type { Socket } from 'node:net';
import type { Guard } from '../guard.ts';

/** Opens a plain connection to the host of a checked address. Throws `Failure`. */
export function openPlainSocket({ connector }: Guard, url: URL): Promise<Socket> {
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  const target = { hostname: url.hostname, host: url.host, protocol: 'http:', port };
  return new Promise((resolve, reject) => {
    connector.connect(target, (error, socket) => (socket === null ? reject(error) : resolve(socket)));
  });
}

/** Returns the status that a browser gets instead of the page; it does not reveal why an address is refused. */
export function toStatus(error: unknown): { status: 403 | 502; isRefused: boolean } {
  const isRefused = (error as { code?: unknown } | null)?.code === 'url_not_allowed';
  return { status: isRefused ? 403 : 502, isRefused };
}
