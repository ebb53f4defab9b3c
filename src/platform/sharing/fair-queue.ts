import { createShares, type ShareBounds, type Shares, type Tenant } from './fair-shares.ts';

type FairQueueBounds = ShareBounds & {
  /** How many may wait for a slot, all tenants together. */
  waitingMax: number;
  /** The error of a wait when the queue is full. */
  overloaded(): Error;
};

type Turn = {
  tenant?: Tenant;
  /** Ends the wait, which then rejects with its reason. */
  signal?: AbortSignal | undefined;
  /** A second resource, of which the turn takes a slot at the same time. */
  also?: Shares;
};

/** Slots that tenants share fairly. */
export type FairQueue = {
  /** Takes a slot that the tenant may have at once; null: it would have to wait. */
  takeNow(turn: Pick<Turn, 'tenant' | 'also'>): (() => void) | null;
  /** Resolves to the function that releases the slot, to be called once. Rejects with `overloaded()`, or the signal's reason. */
  take(turn: Turn): Promise<() => void>;
  /** Runs work while holding a slot. */
  run<T>(turn: Turn, work: () => Promise<T>): Promise<T>;
  /** How many slots a tenant holds. */
  held(tenant: Tenant): number;
  /** Slots taken and turns waiting, over all tenants. */
  load(): QueueLoad;
};

/** How busy a queue is. */
export type QueueLoad = { slots: number; taken: number; waiting: number };

type Waiter = Turn & { enter(release: () => void): void; refuse(): void };

/**
 * A semaphore with a line for each tenant. Free slots go to the lines in turn (round robin), within each tenant's share, so
 * that a flood waits behind itself. When the queue is full, the longest line drops its last waiter.
 */
export function createFairQueue(bounds: FairQueueBounds): FairQueue {
  const shares = createShares(bounds);
  const lines = createLines();

  const mayStart = ({ tenant, also }: Pick<Turn, 'tenant' | 'also'>): boolean =>
    shares.mayTake(tenant) && (also?.mayTake(tenant) ?? true);

  const start = ({ tenant, also }: Pick<Turn, 'tenant' | 'also'>): (() => void) => {
    shares.take(tenant);
    also?.take(tenant);
    return () => {
      shares.release(tenant);
      also?.release(tenant);
      for (let next = lines.shift(mayStart); next !== null; next = lines.shift(mayStart))
        next.enter(start(next));
    };
  };

  const makeRoom = (tenant: Tenant): void => {
    if (lines.size() < bounds.waitingMax) return;
    const last = lines.lastOfLongest();
    if (last === null || lines.sizeOf(last.tenant) <= lines.sizeOf(tenant) + 1) throw bounds.overloaded();
    lines.remove(last);
    last.refuse();
  };

  const take = async (turn: Turn): Promise<() => void> => {
    turn.signal?.throwIfAborted();
    if (mayStart(turn)) return start(turn);
    makeRoom(turn.tenant);
    return waitInLine(turn, { lines, overloaded: bounds.overloaded });
  };

  return {
    take,
    takeNow: (turn) => (mayStart(turn) ? start(turn) : null),
    held: shares.held,
    load: () => ({ slots: bounds.slots, taken: bounds.slots - shares.free(), waiting: lines.size() }),
    async run(turn, work) {
      const release = await take(turn);
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}

type Lines = {
  size(): number;
  sizeOf(tenant: Tenant): number;
  add(waiter: Waiter): void;
  remove(waiter: Waiter): void;
  /** Removes and returns the first waiter that may start; its line moves to the end. */
  shift(mayStart: (turn: Turn) => boolean): Waiter | null;
  lastOfLongest(): Waiter | null;
};

/** The lines of waiting tenants, in the order in which they are served. */
function createLines(): Lines {
  const lines = new Map<Tenant, Set<Waiter>>();
  let size = 0;
  const remove = (waiter: Waiter): void => {
    const line = lines.get(waiter.tenant);
    if (!line?.delete(waiter)) return;
    size -= 1;
    if (line.size === 0) lines.delete(waiter.tenant);
  };
  return {
    size: () => size,
    sizeOf: (tenant) => lines.get(tenant)?.size ?? 0,
    add(waiter) {
      const line = lines.get(waiter.tenant) ?? new Set();
      lines.set(waiter.tenant, line.add(waiter));
      size += 1;
    },
    remove,
    shift(mayStart) {
      for (const [tenant, line] of lines) {
        const next = [...line].find(mayStart);
        if (next === undefined) continue;
        lines.delete(tenant);
        lines.set(tenant, line);
        remove(next);
        return next;
      }
      return null;
    },
    lastOfLongest() {
      let longest: Set<Waiter> = new Set();
      for (const line of lines.values()) if (line.size > longest.size) longest = line;
      return [...longest].at(-1) ?? null;
    },
  };
}

function waitInLine(
  turn: Turn,
  { lines, overloaded }: { lines: Lines; overloaded(): Error },
): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      lines.remove(waiter);
      reject(turn.signal?.reason);
    };
    const waiter: Waiter = {
      ...turn,
      enter(release) {
        turn.signal?.removeEventListener('abort', leave);
        resolve(release);
      },
      refuse() {
        turn.signal?.removeEventListener('abort', leave);
        reject(overloaded());
      },
    };
    turn.signal?.addEventListener('abort', leave, { once: true });
    lines.add(waiter);
  });
}
