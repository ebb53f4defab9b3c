import { type AddressInfo, createServer, type Server } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** A listening server. */
export type RunningServer = {
  /** Such as `http://127.0.0.1:8080`. */
  address: string;
  /** Accepts no more connections, lets running requests finish and resolves when the last connection has closed, within 9 s. */
  drain(): Promise<void>;
};

const LAST_CALL_MS = 7_500;
const CUT_OFF_MS = 8_500;
const IDLE_SWEEP_MS = 100;
/** A client that reuses its connection within this time still gets a response, with `Connection: close`. */
const IDLE_GRACE_MS = 1_000;

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
  const sweep = (): void => {
    const now = performance.now();
    if (now - began >= idleGraceMs) connections.closeIdle(now - idleGraceMs);
  };
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
