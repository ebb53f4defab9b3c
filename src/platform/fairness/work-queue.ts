import type { Tenant } from './fair-queue.ts';
import { createFairQueue, type FairQueue, type QueueLoad } from './fair-queue.ts';

/** A stage that work passes through, with its own queue. */
export type Stage = Pick<FairQueue, 'hasRoomFor' | 'onRelease'>;

type WorkTurn = {
  tenant: Tenant;
  signal: AbortSignal;
  /** True if the call has already waited behind its caller's other calls; it is not refused then. */
  hasWaited: boolean;
};

/** A queue in which calls wait until the stages ahead of them have room. */
export type WorkQueue = {
  /** Resolves to the function that ends the turn, to be called once. Rejects with `overloaded()`, or the signal's reason. */
  take(turn: WorkTurn): Promise<() => void>;
  /** Returns whether a call was refused within the last CALM_MS. */
  isShedding(): boolean;
  load(): QueueLoad;
};

type WorkBounds = {
  slots: number;
  waitingMax: number;
  /** While fewer calls wait, none is refused, however long it waits: callers that keep some dozens of calls open are no overload. */
  waitingFreely: number;
  overloaded(): Error;
  stages: readonly Stage[];
  now?(): number;
};

/**
 * Waits above `PATIENCE` that last longer than `BURST` are an overload, not a burst. Both grow with the usual duration of work while
 * nothing waits, so that a slow machine is not taken for a busy one: a call that waits as long as the work takes, takes twice the time.
 */
const PATIENCE = { msMin: 20, times: 1 };
/** As `PATIENCE`, for callers with nothing in progress: they wait for a turn of all callers, however slow a flood makes those. */
const NEWCOMER_PATIENCE = { msMin: 50, times: 3 };
export const BURST = { msMin: 100, times: 5 };
/** Maximum usual duration: work that waits for a slow site says nothing about this machine. */
const USUAL_MS_MAX = 400;
/** Step by which each call moves the estimated usual duration up or down, so that it settles at the median. */
const USUAL_STEP = 0.05;
/** Maximum calls started per release: they take a moment to show up in the stages, which must not look empty to all waiters. */
const STARTS_MAX = 2;
/** An overload ends when fewer than this share of calls were refused for this long. */
const CALM_SHARE = 0.2;
export const CALM_MS = 1_000;

/**
 * Lets work begin only while the stages that it will pass have room (back-pressure), so that work waits here, where lines are fair and
 * refusing a call costs nothing. A burst may wait; during a lasting overload, calls that cannot begin at once are refused, so that accepted
 * calls keep their response times. As in CoDel (Nichols and Jacobson 2012), the waiting time tells one from the other, not the number of
 * calls.
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
  // Overload slows work down; measured by that, the worse the overload, the longer callers would be allowed to wait.
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
      const measureTurn = (end: () => void): (() => void) => {
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
        return measureTurn(atOnce);
      }
      const since = now();
      if (!hasWaited && queue.load().waiting >= waitingFreely && wait.isOverload(ahead)) {
        refusedAt = since;
        throw overloaded();
      }
      const end = await queue.take({ tenant, signal, also: room });
      wait.began(now() - since);
      return measureTurn(end);
    },
    isShedding: () => now() - refusedAt < CALM_MS,
    load: queue.load,
  };
}

/** The waits of one tenant's calls, or of all tenants that had nothing in progress. */
type Waits = {
  began(waitedMs: number): void;
  /** Returns whether to refuse a call that cannot begin at once. `ahead`: when the first in its line began to wait; null: none waits. */
  isOverload(ahead: number | null): boolean;
};

const WAITS_REMEMBERED = 1_000;

/** The larger of `msMin` milliseconds and `times` the usual duration of work. */
type WaitBound = { msMin: number; times: number };

/** Maximum wait; `usualMs` returns the usual duration of work. */
type WaitMeasure = { patience: WaitBound; usualMs(): number };

function createWaits(now: () => number): { of(whose: string, measure: WaitMeasure): Waits } {
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

/** Estimates the median duration of work. */
function createUsualTime(): { note(ms: number): void; ms(): number } {
  let usual = 1;
  return {
    note(ms) {
      usual = Math.min(USUAL_MS_MAX, Math.max(1, usual * (ms > usual ? 1 + USUAL_STEP : 1 - USUAL_STEP)));
    },
    ms: () => usual,
  };
}

function watchWaits(now: () => number, { usualMs, patience }: WaitMeasure): Waits & { lastAt(): number } {
  const computeBoundMs = ({ msMin, times }: WaitBound): number => Math.max(msMin, times * usualMs());
  let lastAt = now();
  /** Time since which every wait was too long; null: the last one was not. */
  let longSince: number | null = null;
  let overload: { since: number; begun: number; refused: number } | null = null;

  const updateOverload = (): void => {
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
      updateOverload();
      if (overload !== null) overload.begun += 1;
      else if (waitedMs <= computeBoundMs(patience)) longSince = null;
      else longSince ??= now();
    },
    isOverload(ahead) {
      updateOverload();
      const longest = Math.min(longSince ?? now(), ahead ?? now());
      if (overload === null && now() - longest > computeBoundMs(BURST))
        overload = { since: now(), begun: 0, refused: 0 };
      if (overload === null) return false;
      overload.refused += 1;
      return true;
    },
  };
}
