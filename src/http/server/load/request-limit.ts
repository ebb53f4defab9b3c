import { IN_FLIGHT_MAX } from '../../../contract/limits.ts';

/** Limit of requests in flight; it adapts to the load of the process. */
export type RequestLimit = {
  /**
   * Takes a place for a request of `who`. Returns the function that releases it (further calls have no effect), or null if there is no
   * place.
   */
  enter(who: string): (() => void) | null;
  /** Returns true if `enter` would find a place now. */
  hasPlace(who: string): boolean;
  /** Returns true if fewer requests than usual may be in flight. */
  isLowered(): boolean;
  load(): { limit: number; taken: number };
};

/** Tells whether the process is overloaded; read once in each step. */
export type Pressure = { isHigh(): boolean };

export const STEP_MS = 100;
const STEPS_MAX = 100;
/**
 * Minimum limit, however busy the process is: enough to keep its threads busy and to give a caller with 32 open requests a place for each.
 * Such a caller is no overload, but with a lower limit a single late turn of the event loop, such as a garbage collection, would refuse
 * half of its requests.
 */
export const REQUESTS_LEAST = 64;
/**
 * With fewer requests in flight than one caller may keep open, the service is not overloaded: if it is slow, other programs are using the
 * machine.
 */
export const REQUESTS_FEW = REQUESTS_LEAST / 2;
/**
 * While fewer callers than this have requests in flight, a caller with none gets a place beyond the limit, so that a flood does not keep it
 * out.
 */
const CALLERS_MAX = 64;

/**
 * Creates a limit that is at its maximum without pressure and lower under pressure, shared fairly between callers. `who` need not be
 * authenticated: it is only counted. Steps are made when requests arrive, so that an idle process does nothing.
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
    // Called in any case, because it measures the time since its last call.
    const isHigh = pressure.isHigh();
    const isCongested = isHigh && taken >= REQUESTS_FEW;
    // One measurement covers all steps since the last request: congestion shrinks the limit by one step, growth catches up on all of them.
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
  /** Returns true if the limit is below its maximum. */
  isLowered(): boolean;
  /** To be called at regular intervals with what was measured since the last call. */
  step(seen: { isCongested: boolean; running: number }): void;
};

/** Under congestion the limit becomes this share of the running requests, because those are already too many, whatever the limit was. */
const SHRINK = 0.85;
/** Growth factor without congestion; `GROW_MIN` makes small limits grow faster. */
const GROW = 1.1;
const GROW_MIN = 4;

/** Shrinks to a share of the running requests under congestion and grows again afterwards, as TCP windows do. */
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
