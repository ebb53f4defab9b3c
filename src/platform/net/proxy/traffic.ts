import type { Socket } from 'node:net';

export type TrafficLimits = {
  /** Bytes in both directions; beyond it every connection is cut, and no more are opened. */
  bytesMax: number;
  /** Requests and tunnels; more are refused. */
  requestsMax: number;
};

export type TrafficUse = {
  requests: number;
  /** Of these, how many were refused because of their address; and the first of these hosts. */
  refused: number;
  refusedHosts: readonly string[];
  bytes: number;
  /** Whether something was refused because of a limit. */
  isOver: boolean;
};

/** What goes through one proxy: counted, bounded, and cut at its end. */
export type Traffic = {
  /** Whether one more request may begin. */
  begins(): boolean;
  /** Notes that a host was refused. */
  refuses(host: string): void;
  counts(bytes: number): void;
  /** Cuts the socket with the others. */
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
