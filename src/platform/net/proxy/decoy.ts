import { createSocket } from 'node:dgram';
import { type AddressInfo, createServer } from 'node:net';

/** A port of this machine, for TCP and UDP, that nobody has any business with. */
type Decoy = { port: number; visits(): number; close(): void };

const TRIES_MAX = 10;

/** Listens on one free port of loopback with both protocols, and counts who comes. */
export async function openDecoy(): Promise<Decoy> {
  for (let count = 1; ; count += 1) {
    try {
      return await openOnce();
    } catch (error) {
      // The port was free for TCP alone.
      if (count >= TRIES_MAX) throw error;
    }
  }
}

async function openOnce(): Promise<Decoy> {
  let visits = 0;
  const server = createServer((socket) => {
    visits += 1;
    socket.destroy();
  });
  const udp = createSocket('udp4', () => {
    visits += 1;
  });
  const close = (): void => {
    server.close();
    udp.close();
  };
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    const { port } = server.address() as AddressInfo;
    await new Promise<void>((resolve, reject) => {
      udp.once('error', reject).bind(port, '127.0.0.1', resolve);
    });
    return { port, visits: () => visits, close };
  } catch (error) {
    close();
    throw error;
  }
}
