import type { Clock } from '../../../platform/clock.ts';

export type BreakerState = 'closed' | 'open' | 'half_open';

/**
 * How a call went, as far as the next call is concerned. `shut`: the source refuses us or checks for bots; `paused`: it asked
 * to be left alone, which says nothing of its health.
 */
export type CallOutcome = 'ok' | 'failed' | 'shut' | 'paused';

/** Keeps calls away from a source that fails, and lets one through now and then to see whether it is back. */
export type Breaker = {
  state(): BreakerState;
  /** What must be told how the call went; null when no call may begin. In `half_open` one alone may: the probe. */
  admit(): ((outcome: CallOutcome) => void) | null;
  /** The source asked to be left alone for so long. */
  pause(ms: number): void;
};

const WINDOW_MS = 30_000;
const OUTCOMES_MAX = 1_000;
const CALLS_TELLING = 10;
const FAILED_SHARE_MAX = 0.5;
const SHUT_MAX = 3;
export const OPEN_MS_FIRST = 30_000;
export const OPEN_MS_MAX = 600_000;
/** However long a source asks for: it is looked at once a day. */
export const PAUSE_MS_MAX = 86_400_000;

/**
 * Opens when half of at least ten calls within 30 s failed, or three in a row found the door shut; then for 30 s, and twice
 * as long after each probe that fails, up to ten minutes.
 */
export function createBreaker(clock: Clock): Breaker {
  let outcomes: { at: number; failed: boolean }[] = [];
  let shutInARow = 0;
  let openUntil = Number.NEGATIVE_INFINITY;
  let openMs = OPEN_MS_FIRST;
  let isTripped = false;
  let isProbing = false;

  const state = (): BreakerState => {
    if (clock.now() < openUntil) return 'open';
    return isTripped ? 'half_open' : 'closed';
  };
  const trip = (): void => {
    openUntil = Math.max(openUntil, clock.now() + openMs);
    openMs = Math.min(OPEN_MS_MAX, openMs * 2);
    isTripped = true;
    outcomes = [];
    shutInARow = 0;
  };
  const heal = (): void => {
    isTripped = false;
    openMs = OPEN_MS_FIRST;
    outcomes = [];
  };
  const mustTrip = (): boolean => {
    if (shutInARow >= SHUT_MAX) return true;
    const failed = outcomes.filter((outcome) => outcome.failed).length;
    return outcomes.length >= CALLS_TELLING && failed >= outcomes.length * FAILED_SHARE_MAX;
  };

  const recordProbe = (outcome: CallOutcome): void => {
    isProbing = false;
    if (outcome === 'ok') heal();
    else if (outcome !== 'paused') trip();
  };
  const record = (outcome: CallOutcome): void => {
    // A call from before the trip proves nothing about now.
    if (isTripped || outcome === 'paused') return;
    const since = clock.now() - WINDOW_MS;
    shutInARow = outcome === 'shut' ? shutInARow + 1 : 0;
    outcomes = outcomes.filter(({ at }) => at > since).slice(1 - OUTCOMES_MAX);
    outcomes.push({ at: clock.now(), failed: outcome !== 'ok' });
    if (mustTrip()) trip();
  };

  return {
    state,
    admit() {
      const now = state();
      if (now === 'closed') return record;
      if (now === 'open' || isProbing) return null;
      isProbing = true;
      return recordProbe;
    },
    pause(ms) {
      openUntil = Math.max(openUntil, clock.now() + Math.min(PAUSE_MS_MAX, Math.max(0, ms)));
    },
  };
}
