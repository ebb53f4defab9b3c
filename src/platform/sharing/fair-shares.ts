/** The party on whose behalf work runs; each has one fair share. Undefined: the service itself, limited only by free slots. */
export type Tenant = string | undefined;

export type ShareBounds = {
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
