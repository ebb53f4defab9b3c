import type { FrontierRow } from './frontier-types.ts';

/** The next rows of each host, read ahead; taken rows are left out. */
export type HostQueues = {
  peek(host: string): Promise<FrontierRow | null>;
  take(row: FrontierRow): void;
  putBack(row: FrontierRow): void;
  settled(row: FrontierRow): void;
  /** Called when rows were added: a queue with only retries left is read again, so that new addresses come first. */
  outdate(host: string): void;
  /** Called when another process may have settled rows of the host: all are read again. */
  forget(host: string): void;
};

/** Counts the waiting rows of hosts. */
export type PendingCounts = {
  /** Number of waiting rows of a host that are neither taken nor unwritten. */
  pendingOf(host: string): number;
  /** Takes rows of a host and moves it to the end of the line; negative: gives them back. */
  takePending(host: string, rows: number): void;
};

const READ_AHEAD_ROWS = 64;

/** `read` returns the first waiting rows of a host in the store, taken ones included. */
export function createHostQueues(
  known: PendingCounts,
  read: (host: string, limit: number) => Promise<FrontierRow[]>,
): HostQueues {
  const queues = new Map<string, FrontierRow[]>();
  const taken = new Set<number>();
  const invalidateQueue = (host: string): void => {
    const [next] = queues.get(host) ?? [];
    if (next === undefined || next.attempts > 0) queues.delete(host);
  };
  return {
    async peek(host) {
      const [next] = queues.get(host) ?? [];
      if (next !== undefined) return next;
      if (known.pendingOf(host) === 0) return null;
      const rows = await read(host, READ_AHEAD_ROWS + taken.size);
      const free = rows.filter(({ id }) => !taken.has(id));
      queues.set(host, free);
      return free[0] ?? null;
    },
    take(row) {
      taken.add(row.id);
      known.takePending(row.host, 1);
      const queue = queues.get(row.host) ?? [];
      queues.set(
        row.host,
        queue.filter(({ id }) => id !== row.id),
      );
    },
    putBack(row) {
      taken.delete(row.id);
      known.takePending(row.host, -1);
      queues.delete(row.host);
    },
    settled(row) {
      taken.delete(row.id);
      invalidateQueue(row.host);
    },
    outdate: invalidateQueue,
    forget: (host) => void queues.delete(host),
  };
}
