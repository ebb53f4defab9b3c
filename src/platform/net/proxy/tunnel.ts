import type { Socket } from 'node:net';
import type { Guard } from '../guard.ts';
import { openPlainSocket, toStatus } from './open-socket.ts';
import type { Traffic } from './traffic.ts';

type ConnectRequest = {
  /** Target of CONNECT as `host:port`. */
  authority: string;
  socket: Socket;
  /** Bytes that followed the request. */
  head: Buffer;
};

/** Serves CONNECT: relays bytes between the browser and a permitted host. */
export async function openTunnel(
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
