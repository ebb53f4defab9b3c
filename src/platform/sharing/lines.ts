import type { Tenant } from './fair-shares.ts';

/** A waiter in a line; it is admitted, or refused because there is no more room. */
export type Waiter = { tenant?: Tenant; enter(release: () => void): void; refuse(): void };

/** The lines of waiting tenants, in the order in which they are served. */
export type Lines<W extends Waiter> = {
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

export function createLines<W extends Waiter>(): Lines<W> {
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
