import { type Clock, DAY_MS } from './clock.ts';

const WINDOW_MS = 30_000;
const OUTCOMES_MAX = 1_000;
const CALLS_MIN = 10;
const FAILED_SHARE_MAX = 0.5;
const SHUT_MAX = 3;

export type BreakerState = 'closed' | 'open' | 'half_open';

/** A circuit breaker: keeps calls away from a failing source, and lets a probe through now and then to see if it has recovered. */
export type Breaker = {
  state(): BreakerState;
  /** Returns true if `admit` would let a call through now. */
  admits(isLastResort?: boolean): boolean;
  /**
   * Returns a function that records the call's outcome; null if no call may start. In `half_open`, only one call may: the probe. If no
   * other source is left (`isLastResort`), a probe may also start in `open` after failures, because our own network may have failed.
   */
  admit(isLastResort?: boolean): ((outcome: CallOutcome) => void) | null;
  /** Opens the breaker for a pause that the source asked for. */
  pause(ms: number): void;
};

export const OPEN_MS_FIRST = 30_000;
export const OPEN_MS_MAX = 600_000;
/** Minimum time between probes as a last resort. */
export const LAST_RESORT_MS = 2_000;
/** Maximum pause, however long the source asks for. */
export const PAUSE_MS_MAX = DAY_MS;

/** The reason why the breaker opened; null if it is closed. */
type TripReason = 'failing' | 'shut' | null;

/**
 * Opens when half of at least ten calls within 30 s failed, or three in a row were refused. Stays open for 30 s, and twice as long
 * after each failed probe, up to ten minutes.
 */
export function createBreaker(clock: Clock): Breaker {
  const outcomes = createOutcomeWindow(clock);
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let openUntil = Number.NEGATIVE_INFINITY;
  let openMs = OPEN_MS_FIRST;
  let tripped: TripReason = null;
  let failedAt = Number.NEGATIVE_INFINITY;
  let isProbing = false;

  const readState = (): BreakerState => {
    if (clock.now() < Math.max(openUntil, pausedUntil)) return 'open';
    return tripped === null ? 'closed' : 'half_open';
  };
  const openBreaker = (why: TripReason): void => {
    tripped = why;
    failedAt = clock.now();
    openUntil = failedAt + openMs;
    openMs = Math.min(OPEN_MS_MAX, openMs * 2);
    outcomes.forget();
  };
  const close = (): void => {
    tripped = null;
    openUntil = Number.NEGATIVE_INFINITY;
    openMs = OPEN_MS_FIRST;
  };

  const record = (outcome: CallOutcome): void => {
    // A call from before the trip proves nothing about now.
    if (tripped !== null || outcome === 'paused') return;
    const verdict = outcomes.add(outcome);
    if (verdict !== 'well') openBreaker(verdict);
  };
  const recordProbe = (outcome: CallOutcome, wasEarly: boolean): void => {
    isProbing = false;
    if (outcome === 'ok') close();
    else if (outcome === 'shut') openBreaker('shut');
    // An early probe was likely to fail, so it does not delay the next regular one.
    else if (outcome === 'failed' && wasEarly) failedAt = clock.now();
    else if (outcome === 'failed') openBreaker('failing');
  };
  const mayProbeEarly = (): boolean =>
    tripped === 'failing' && clock.now() >= pausedUntil && clock.now() - failedAt >= LAST_RESORT_MS;
  const canAdmit = (isLastResort = false): boolean =>
    readState() === 'closed' ||
    (!isProbing && (readState() === 'half_open' || (isLastResort && mayProbeEarly())));

  return {
    state: readState,
    admits: canAdmit,
    admit(isLastResort = false) {
      if (!canAdmit(isLastResort)) return null;
      const now = readState();
      if (now === 'closed') return record;
      isProbing = true;
      return (outcome) => recordProbe(outcome, now === 'open');
    },
    pause(ms) {
      pausedUntil = Math.max(pausedUntil, clock.now() + Math.min(PAUSE_MS_MAX, Math.max(0, ms)));
    },
  };
}

/**
 * The outcome of a call as it affects the next one. `shut`: the source refuses us or checks for bots; `paused`: it asked for a
 * pause, or the call was abandoned, which says nothing about its health.
 */
export type CallOutcome = 'ok' | 'failed' | 'shut' | 'paused';

/** Judges a source by its last calls. */
type OutcomeWindow = {
  add(outcome: Exclude<CallOutcome, 'paused'>): 'well' | 'failing' | 'shut';
  forget(): void;
};

/** `failing`: half of at least ten calls within 30 s failed; `shut`: the last three were refused. */
function createOutcomeWindow(clock: Clock): OutcomeWindow {
  let outcomes: { at: number; failed: boolean }[] = [];
  let shutInARow = 0;
  return {
    add(outcome) {
      const since = clock.now() - WINDOW_MS;
      shutInARow = outcome === 'shut' ? shutInARow + 1 : 0;
      outcomes = outcomes.filter(({ at }) => at > since).slice(1 - OUTCOMES_MAX);
      outcomes.push({ at: clock.now(), failed: outcome !== 'ok' });
      if (shutInARow >= SHUT_MAX) return 'shut';
      const failed = outcomes.filter((one) => one.failed).length;
      return outcomes.length >= CALLS_MIN && failed >= outcomes.length * FAILED_SHARE_MAX
        ? 'failing'
        : 'well';
    },
    forget() {
      outcomes = [];
      shutInARow = 0;
    },
  };
}
