/**
 * A queue for slots that tenants share fairly: calls, pages and threads each have one. It bounds the waiters and keeps
 * one tenant's flood from delaying the others. See `createShares` for how slots are divided.
 */

type FairQueueBounds = ShareBounds & {
  /** Maximum waiters, over all tenants. */
  waitingMax: number;
  /** Creates the error with which a wait rejects when the queue is full. */
  overloaded(): Error;
  /** Maximum waiters that one release may start; default: no limit. */
  startsMax?: number;
  /** Clock in milliseconds; default `performance.now()`. */
  now?(): number;
};

type Turn = {
  tenant?: Tenant;
  /** Ends the wait, which then rejects with its reason. */
  signal?: AbortSignal | undefined;
  /** A second resource from which the turn takes a slot at the same time. */
  also?: Pick<Shares, 'mayTake' | 'take' | 'release'>;
};

/** Slots that tenants share fairly, with a queue for those that wait. */
export type FairQueue = {
  /** Takes a slot if the tenant may have one at once; returns its release function, or null if it would have to wait. */
  takeNow(turn: Pick<Turn, 'tenant' | 'also'>): (() => void) | null;
  /** Resolves to the function that releases the slot, to be called once. Rejects with `overloaded()`, or the signal's reason. */
  take(turn: Turn): Promise<() => void>;
  /** Runs work while holding a slot. */
  run<T>(turn: Turn, work: () => Promise<T>): Promise<T>;
  /** Number of slots that a tenant holds. */
  held(tenant: Tenant): number;
  /** Slots taken and turns waiting, over all tenants. */
  load(): QueueLoad;
  /**
   * Returns whether a further turn of the tenant would begin soon: fewer turns wait than half the slots, and none or all of them are the
   * tenant's; or the tenant holds no slot, so that only a few other tenants come before it.
   */
  hasRoomFor(tenant: Tenant): boolean;
  /** Returns when the tenant's first waiter began to wait, by `now`; null if none waits. */
  waitsSince(tenant: Tenant): number | null;
  /** Calls the listener after each release. */
  onRelease(listener: () => void): void;
  /** Starts waiters that became startable without a release here, such as through a free slot of `also`. */
  wake(): void;
};

/** Slots, taken slots and waiters of a queue. */
export type QueueLoad = { slots: number; taken: number; waiting: number };

/**
 * Creates a semaphore with a line for each tenant. Free slots go to the lines in turn (round robin), within each tenant's share, so
 * that a flood waits behind itself. When the queue is full, the longest line drops its last waiter.
 */
export function createFairQueue(bounds: FairQueueBounds): FairQueue {
  const shares = createShares(bounds);
  const lines = createLines<QueuedTurn>();
  const { startsMax = Number.POSITIVE_INFINITY, now = () => performance.now(), overloaded } = bounds;
  const listeners: (() => void)[] = [];

  const canStart = ({ tenant, also }: Pick<Turn, 'tenant' | 'also'>): boolean =>
    shares.mayTake(tenant) && (also?.mayTake(tenant) ?? true);

  const wake = (left = startsMax): void => {
    const next = left > 0 ? lines.shift(canStart) : null;
    if (next === null) return;
    next.enter(start(next));
    wake(left - 1);
  };
  const start = ({ tenant, also }: Pick<Turn, 'tenant' | 'also'>): (() => void) => {
    shares.take(tenant);
    also?.take(tenant);
    return () => {
      shares.release(tenant);
      also?.release(tenant);
      wake();
      for (const tell of listeners) tell();
    };
  };

  const makeRoom = (tenant: Tenant): void => {
    if (lines.size() < bounds.waitingMax) return;
    const last = lines.lastOfLongest();
    if (last === null || lines.sizeOf(last.tenant) <= lines.sizeOf(tenant) + 1) throw overloaded();
    lines.remove(last);
    last.refuse();
  };

  const take = async (turn: Turn): Promise<() => void> => {
    turn.signal?.throwIfAborted();
    if (canStart(turn)) return start(turn);
    makeRoom(turn.tenant);
    return waitInLine({ ...turn, since: now() }, { lines, overloaded });
  };

  return {
    take,
    takeNow: (turn) => (canStart(turn) ? start(turn) : null),
    held: shares.held,
    load: () => ({ slots: bounds.slots, taken: bounds.slots - shares.free(), waiting: lines.size() }),
    hasRoomFor(tenant) {
      const isShort = lines.size() < bounds.slots / 2;
      if (lines.sizeOf(tenant) > 0) return lines.count() === 1 && isShort;
      return isShort || (lines.count() < bounds.slots && shares.held(tenant) === 0);
    },
    waitsSince: (tenant) => lines.firstOf(tenant)?.since ?? null,
    onRelease: (listener) => void listeners.push(listener),
    wake: () => wake(),
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

type QueuedTurn = Turn & Waiter & { since: number };

function waitInLine(
  turn: Turn & { since: number },
  { lines, overloaded }: { lines: Lines<QueuedTurn>; overloaded(): Error },
): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      lines.remove(waiter);
      reject(turn.signal?.reason);
    };
    const waiter: QueuedTurn = {
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

/** A waiter in a line; it is admitted, or refused because there is no more room. */
type Waiter = { tenant?: Tenant; enter(release: () => void): void; refuse(): void };

/** The lines of waiting tenants, in the order in which they are served. */
type Lines<W extends Waiter> = {
  size(): number;
  /** Number of tenants that wait. */
  count(): number;
  sizeOf(tenant: Tenant): number;
  firstOf(tenant: Tenant): W | null;
  add(waiter: W): void;
  remove(waiter: W): void;
  /** Removes and returns the first waiter that may start; its line moves to the end. */
  shift(mayStart: (waiter: W) => boolean): W | null;
  lastOfLongest(): W | null;
};

function createLines<W extends Waiter>(): Lines<W> {
  const lines = new Map<Tenant, Set<W>>();
  let size = 0;
  const remove = (waiter: W): void => {
    const line = lines.get(waiter.tenant);
    if (!line?.delete(waiter)) return;
    size -= 1;
    if (line.size === 0) lines.delete(waiter.tenant);
  };
  return {
    size: () => size,
    count: () => lines.size,
    sizeOf: (tenant) => lines.get(tenant)?.size ?? 0,
    firstOf(tenant) {
      for (const first of lines.get(tenant) ?? []) return first;
      return null;
    },
    add(waiter) {
      const line = lines.get(waiter.tenant) ?? new Set();
      lines.set(waiter.tenant, line.add(waiter));
      size += 1;
    },
    remove,
    shift(mayStart) {
      for (const [tenant, line] of lines) {
        const next = findFirst(line, mayStart);
        if (next === null) continue;
        lines.delete(tenant);
        lines.set(tenant, line);
        remove(next);
        return next;
      }
      return null;
    },
    lastOfLongest() {
      let longest: Set<W> = new Set();
      for (const line of lines.values()) if (line.size > longest.size) longest = line;
      return [...longest].at(-1) ?? null;
    },
  };
}

function findFirst<W>(line: Iterable<W>, mayStart: (waiter: W) => boolean): W | null {
  for (const waiter of line) if (mayStart(waiter)) return waiter;
  return null;
}

/** The party on whose behalf work runs; each has one fair share. Undefined: the service itself, limited only by free slots. */
export type Tenant = string | undefined;

type ShareBounds = {
  slots: number;
  /** Maximum slots of a tenant per free slot; default 1. */
  perFreeSlot?: number;
};

/** Counts the slots of one resource by tenant. */
export type Shares = {
  mayTake(tenant: Tenant): boolean;
  take(tenant: Tenant): void;
  release(tenant: Tenant): void;
  /** Number of slots that a tenant holds. */
  held(tenant: Tenant): number;
  /** Number of free slots. */
  free(): number;
};

/**
 * Slots with a dynamic threshold (Choudhury and Hahne, 1998): a tenant takes one more only while it holds fewer than
 * `perFreeSlot` times the slots that are free. A single tenant thus leaves slots for the next, two leave some for a third, and
 * a tenant that holds none may take any free slot.
 */
export function createShares({ slots, perFreeSlot = 1 }: ShareBounds): Shares {
  const held = new Map<Tenant, number>();
  let free = slots;
  return {
    mayTake: (tenant) => free > 0 && (tenant === undefined || (held.get(tenant) ?? 0) < perFreeSlot * free),
    take(tenant) {
      free -= 1;
      held.set(tenant, (held.get(tenant) ?? 0) + 1);
    },
    release(tenant) {
      free += 1;
      const left = (held.get(tenant) ?? 1) - 1;
      if (left === 0) held.delete(tenant);
      else held.set(tenant, left);
    },
    held: (tenant) => held.get(tenant) ?? 0,
    free: () => free,
  };
}
