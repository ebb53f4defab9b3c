import type { AddressInfo, Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Draining } from './draining.ts';

/** A server that takes requests, and the way to end it. */
export type Listening = {
  /** Such as `http://127.0.0.1:8080`. */
  address: string;
  /** Takes no more connections, lets requests under way finish and resolves when the last connection is closed: within 9 s. */
  drain(): Promise<void>;
};

const LAST_CALL_MS = 7_500;
const CUT_OFF_MS = 8_500;
const IDLE_SWEEP_MS = 100;

/** Starts the app on an address; port 0 picks a free one. Rejects with `EADDRINUSE` and the like. */
export async function listen(
  app: FastifyInstance,
  { host, port, draining }: { host: string; port: number; draining: Draining },
): Promise<Listening> {
  await app.listen({ host, port });
  return { address: addressOf(app.server), drain: () => drain(app, draining) };
}

/** Where a listening server is reached from its own machine. */
export function addressOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  if (address === '0.0.0.0' || address === '::') return `http://localhost:${port}`;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/**
 * A connection whose last request was under way when the server closed is not idle then, and nobody closes it later:
 * it would hold the exit back until its client drops it. So every answer carries `Connection: close` and idle ones are swept.
 */
async function drain(app: FastifyInstance, draining: Draining): Promise<void> {
  draining.begin();
  // Asked of the server itself: the framework would first run its own closing steps and go on accepting meanwhile.
  const lastClosed = new Promise<void>((resolve) => app.server.close(() => resolve()));
  const sweep = setInterval(() => app.server.closeIdleConnections(), IDLE_SWEEP_MS);
  const lastCall = setTimeout(() => draining.callLast(), LAST_CALL_MS);
  const cutOff = setTimeout(() => app.server.closeAllConnections(), CUT_OFF_MS);
  await lastClosed;
  await app.close();
  clearInterval(sweep);
  clearTimeout(lastCall);
  clearTimeout(cutOff);
}
