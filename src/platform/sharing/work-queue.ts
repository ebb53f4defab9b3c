import { createFairQueue, type FairQueue, type QueueLoad } from './fair-queue.ts';
import type { Tenant } from './fair-shares.ts';

/** Something that work passes through, with a queue of its own. */
export type Stage = Pick<FairQueue, 'hasRoomFor' | 'onRelease'>;

type WorkTurn = {
  tenant: Tenant;
  signal: AbortSignal;
  /** Whether the call has waited before, behind its caller's other calls: then it is not refused now. */
  hasWaited: boolean;
};

/** Where calls wait until the stages ahead of them have room. */
export type WorkQueue = {
  /** Resolves to the function that ends the turn, to be called once. Rejects with `overloaded()`, or the signal's reason. */
  take(turn: WorkTurn): Promise<() => void>;
  /** Whether a call was refused within the last seconds. */
  isShedding(): boolean;
  load(): QueueLoad;
};

type WorkBounds = {
  slots: number;
  waitingMax: number;
  /** While fewer wait, nobody is refused, however long they wait: callers that keep some dozens of calls open are no overload. */
  waitingFreely: number;
  overloaded(): Error;
  stages: readonly Stage[];
  now?(): number;
};

/**
 * Waits that are longer than `PATIENCE`, for longer than `BURST`, are no burst but an overload. Both grow with how long work
 * usually takes while nobody waits, so that a slow machine is not taken for a busy one: who waits as long as the work takes, waits for twice its time.
 */
const PATIENCE = { msMin: 20, times: 1 };
/** For callers that have nothing at work: their waits are those of a turn of all callers, however slow a flood makes those. */
const NEWCOMER_PATIENCE = { msMin: 50, times: 3 };
export const BURST = { msMin: 100, times: 5 };
/** Work that waits for a slow site says nothing of this machine. */
const USUAL_MS_MAX = 400;
/** The estimate of the usual time moves by this share with each call, up or down: so it settles at the median. */
const USUAL_STEP = 0.05;
/** Calls that begin with each release: it takes them a moment to be seen in the stages, which must not look empty to all that wait. */
const STARTS_MAX = 2;
/** An overload is over when fewer than this share of calls were refused for this long. */
const CALM_SHARE = 0.2;
export const CALM_MS = 1_000;

/**
 * Lets work begin only while the stages that it will pass have room (back-pressure), so that work waits here, where lines are fair
 * and calls can still be refused for nothing, and not inside. What comes at once may wait; an overload that lasts is answered by
 * refusing what cannot begin at once, so that what is accepted keeps its times. As in CoDel (Nichols and Jacobson 2012) the time that
 * calls have waited tells one from the other, not their number.
 */
export function createWorkQueue(bounds: WorkBounds): WorkQueue {
  const { stages, waitingFreely, overloaded, now = () => performance.now() } = bounds;
  const queue = createFairQueue({ ...bounds, startsMax: STARTS_MAX });
  for (const stage of stages) stage.onRelease(queue.wake);
  const room = {
    mayTake: (tenant: Tenant) => stages.every((stage) => stage.hasRoomFor(tenant)),
    take() {},
    release() {},
  };
  const usual = createUsualTime();
  // An overload makes its work slower too: measured by that, callers would wait the more patiently the worse it is.
  const alone = createUsualTime();
  const waits = createWaits(now);
  let refusedAt = Number.NEGATIVE_INFINITY;
  return {
    async take({ tenant, signal, hasWaited }) {
      const ahead = queue.waitsSince(tenant);
      const isNewcomer = ahead === null && queue.held(tenant) === 0;
      const wait = isNewcomer
        ? waits.of('newcomers', { patience: NEWCOMER_PATIENCE, usualMs: usual.ms })
        : waits.of(`tenant ${tenant}`, { patience: PATIENCE, usualMs: alone.ms });
      const timed = (end: () => void): (() => void) => {
        const since = now();
        return () => {
          usual.note(now() - since);
          if (queue.load().waiting === 0) alone.note(now() - since);
          end();
        };
      };
      const atOnce = ahead === null ? queue.takeNow({ tenant, also: room }) : null;
      if (atOnce !== null) {
        wait.began(0);
        return timed(atOnce);
      }
      const since = now();
      if (!hasWaited && queue.load().waiting >= waitingFreely && wait.isOverload(ahead)) {
        refusedAt = since;
        throw overloaded();
      }
      const end = await queue.take({ tenant, signal, also: room });
      wait.began(now() - since);
      return timed(end);
    },
    isShedding: () => now() - refusedAt < CALM_MS,
    load: queue.load,
  };
}

/** The waits of one tenant's calls, or of all tenants that had nothing at work. */
type Waits = {
  began(waitedMs: number): void;
  /** Whether a call that cannot begin at once is refused. `ahead`: since when the first of its line waits; null: nobody does. */
  isOverload(ahead: number | null): boolean;
};

const WAITS_REMEMBERED = 1_000;

/** At least so many milliseconds, and so many times what work usually takes. */
type Bound = { msMin: number; times: number };

/** How long waits may be; `usualMs`: how long work takes. */
type Measure = { patience: Bound; usualMs(): number };

function createWaits(now: () => number): { of(whose: string, measure: Measure): Waits } {
  const known = new Map<string, Waits & { lastAt(): number }>();
  return {
    of(whose, measure) {
      const waits = known.get(whose) ?? watchWaits(now, measure);
      if (known.size >= WAITS_REMEMBERED)
        for (const [name, { lastAt }] of known) if (now() - lastAt() > CALM_MS) known.delete(name);
      known.set(whose, waits);
      return waits;
    },
  };
}

/** About the median of how long work takes. */
function createUsualTime(): { note(ms: number): void; ms(): number } {
  let usual = 1;
  return {
    note(ms) {
      usual = Math.min(USUAL_MS_MAX, Math.max(1, usual * (ms > usual ? 1 + USUAL_STEP : 1 - USUAL_STEP)));
    },
    ms: () => usual,
  };
}

function watchWaits(now: () => number, { usualMs, patience }: Measure): Waits & { lastAt(): number } {
  const msOf = ({ msMin, times }: Bound): number => Math.max(msMin, times * usualMs());
  let lastAt = now();
  /** Since when every wait was too long; null: the last one was not. */
  let longSince: number | null = null;
  let overload: { since: number; begun: number; refused: number } | null = null;

  const calmDown = (): void => {
    if (longSince !== null && now() - lastAt > CALM_MS) longSince = null;
    lastAt = now();
    if (overload === null || now() - overload.since < CALM_MS) return;
    const { begun, refused } = overload;
    if (refused < CALM_SHARE * (begun + refused)) [overload, longSince] = [null, null];
    else overload = { since: now(), begun: 0, refused: 0 };
  };
  return {
    lastAt: () => lastAt,
    began(waitedMs) {
      calmDown();
      if (overload !== null) overload.begun += 1;
      else if (waitedMs <= msOf(patience)) longSince = null;
      else longSince ??= now();
    },
    isOverload(ahead) {
      calmDown();
      const longest = Math.min(longSince ?? now(), ahead ?? now());
      if (overload === null && now() - longest > msOf(BURST))
        overload = { since: now(), begun: 0, refused: 0 };
      if (overload === null) return false;
      overload.refused += 1;
      return true;
    },
  };
}
