import { createSocket } from 'node:dgram';
import { type AddressInfo, createServer } from 'node:net';

/** A TCP and UDP port of this machine that nothing should connect to. */
type Decoy = { port: number; visits(): number; close(): void };

const TRIES_MAX = 10;

/** Listens on one free loopback port with both protocols, and counts connections and packets. */
export async function openDecoy(): Promise<Decoy> {
  for (let count = 1; ; count += 1) {
    try {
      return await openOnce();
    } catch (error) {
      // The port was free for TCP but not for UDP.
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
