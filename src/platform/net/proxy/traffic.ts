import type { Socket } from 'node:net';

export type TrafficLimits = {
  /** Maximum bytes in both directions; beyond it every connection is cut, and no more are opened. */
  bytesMax: number;
  /** Maximum requests and tunnels; more are refused. */
  requestsMax: number;
};

export type TrafficUse = {
  requests: number;
  /** Number of requests refused because of their address, and the first hosts among them. */
  refused: number;
  refusedHosts: readonly string[];
  bytes: number;
  /** True if something was refused because of a limit. */
  isOver: boolean;
};

/** Counts and bounds the traffic of one proxy, and cuts its connections at the end. */
export type Traffic = {
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

const HOSTS_MAX = 100;

export function createTraffic({ bytesMax, requestsMax }: TrafficLimits): Traffic {
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
