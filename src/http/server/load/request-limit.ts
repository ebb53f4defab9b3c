import { IN_FLIGHT_MAX } from '../../../contract/limits.ts';

/** How many requests may be in flight, by how the process is. */
export type RequestLimit = {
  /** Takes a place for a request of `who`; returns the function that gives it back, once however often it is called, or null if there is none for them. */
  enter(who: string): (() => void) | null;
  /** Whether `enter` would find a place now. */
  hasPlace(who: string): boolean;
  /** Whether fewer requests than usual may be in flight. */
  isLowered(): boolean;
  load(): { limit: number; taken: number };
};

/** Whether the process has more to do than it can; asked once in each step. */
export type Pressure = { isHigh(): boolean };

export const STEP_MS = 100;
const STEPS_MAX = 100;
/**
 * However busy the process: enough to keep its threads at work, and that a caller which keeps 32 requests open has a place for each. Such a
 * caller is no overload, and a single late turn of the event loop, such as a collection of garbage, would refuse half of its requests.
 */
export const REQUESTS_LEAST = 64;
/** While fewer are under way than one caller may keep open, the service has no overload of its own: if it is slow, other programs use the machine. */
export const REQUESTS_FEW = REQUESTS_LEAST / 2;
/** While fewer callers than this have requests in flight, one that has none finds a place beyond the limit: a flood does not keep it out. */
const CALLERS_MAX = 64;

/**
 * Without pressure as many requests as there may ever be; under pressure fewer, shared fairly between callers. `who` need not be proven:
 * it is only counted. Steps are made when requests arrive, so that an idle process does nothing.
 */
export function createRequestLimit(
  pressure: Pressure,
  now: () => number = () => performance.now(),
): RequestLimit {
  const limit = createAdaptiveLimit({ least: REQUESTS_LEAST, most: IN_FLIGHT_MAX });
  const held = new Map<string, number>();
  let taken = 0;
  let lastStep = now();

  const adapt = (): void => {
    const steps = Math.floor((now() - lastStep) / STEP_MS);
    if (steps === 0) return;
    lastStep = now();
    // Asked in any case, because it measures the time since it was asked last.
    const isHigh = pressure.isHigh();
    const isCongested = isHigh && taken >= REQUESTS_FEW;
    // One look, which says nothing of each step that nobody made: a limit that may grow does so by all of them.
    for (let step = 0; step < (isCongested ? 1 : Math.min(steps, STEPS_MAX)); step += 1)
      limit.step({ isCongested, running: taken });
  };
  const hasPlace = (own: number): boolean => {
    if (!limit.isLowered()) return true;
    const free = limit.now() - taken;
    // A dynamic threshold, as in fair-shares.ts.
    return own < free || (own === 0 && held.size < CALLERS_MAX);
  };
  const leave = (who: string): void => {
    taken -= 1;
    const own = (held.get(who) ?? 1) - 1;
    if (own === 0) held.delete(who);
    else held.set(who, own);
  };
  return {
    hasPlace(who) {
      adapt();
      return hasPlace(held.get(who) ?? 0);
    },
    enter(who) {
      adapt();
      const own = held.get(who) ?? 0;
      if (!hasPlace(own)) return null;
      taken += 1;
      held.set(who, own + 1);
      let isIn = true;
      return () => {
        if (isIn) leave(who);
        isIn = false;
      };
    },
    isLowered: limit.isLowered,
    load: () => ({ limit: limit.now(), taken }),
  };
}

/** A limit that follows what the machine can carry. */
type AdaptiveLimit = {
  now(): number;
  /** Whether it is below its highest value. */
  isLowered(): boolean;
  /** To be called in steady steps, with what was seen since the last one. */
  step(seen: { isCongested: boolean; running: number }): void;
};

/** With congestion: to this share of what runs, for what runs is too much, whatever the limit was. */
const SHRINK = 0.85;
/** Without: by this factor, from small values faster. */
const GROW = 1.1;
const GROW_MIN = 4;

/** Shrinks by a share of what runs while there is congestion, and grows again afterwards, as the windows of TCP do. */
function createAdaptiveLimit({ least, most }: { least: number; most: number }): AdaptiveLimit {
  let limit = most;
  return {
    now: () => limit,
    isLowered: () => limit < most,
    step({ isCongested, running }) {
      limit = isCongested
        ? Math.max(least, Math.floor(Math.min(limit, running) * SHRINK))
        : Math.min(most, Math.max(limit + GROW_MIN, Math.floor(limit * GROW)));
    },
  };
}
