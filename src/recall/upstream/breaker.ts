import type { Clock } from '../../platform/clock.ts';
import { type CallOutcome, createOutcomeWindow } from './outcome-window.ts';

export type BreakerState = 'closed' | 'open' | 'half_open';

/** Keeps calls away from a source that fails, and lets one through now and then to see whether it is back. */
export type Breaker = {
  state(): BreakerState;
  /** Whether `admit` would let a call through now. */
  admits(isLastResort?: boolean): boolean;
  /**
   * What must be told how the call went; null when no call may begin. In `half_open` one alone may: the probe. So it may in `open` after mere
   * failures when nobody else is left to ask (`isLastResort`): what failed may have been our own network.
   */
  admit(isLastResort?: boolean): ((outcome: CallOutcome) => void) | null;
  /** The source asked to be left alone for so long. */
  pause(ms: number): void;
};

export const OPEN_MS_FIRST = 30_000;
export const OPEN_MS_MAX = 600_000;
/** As a last resort a source is probed no more often than this. */
export const LAST_RESORT_MS = 2_000;
/** However long a source asks for: it is looked at once a day. */
const PAUSE_MS_MAX = 86_400_000;

/** Why it opened; null: it is closed. */
type Trip = 'failing' | 'shut' | null;

/**
 * Opens when half of at least ten calls within 30 s failed, or three in a row found the door shut; then for 30 s, and twice
 * as long after each probe that fails, up to ten minutes.
 */
export function createBreaker(clock: Clock): Breaker {
  const seen = createOutcomeWindow(clock);
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let openUntil = Number.NEGATIVE_INFINITY;
  let openMs = OPEN_MS_FIRST;
  let tripped: Trip = null;
  let failedAt = Number.NEGATIVE_INFINITY;
  let isProbing = false;

  const state = (): BreakerState => {
    if (clock.now() < Math.max(openUntil, pausedUntil)) return 'open';
    return tripped === null ? 'closed' : 'half_open';
  };
  const trip = (why: Trip): void => {
    tripped = why;
    failedAt = clock.now();
    openUntil = failedAt + openMs;
    openMs = Math.min(OPEN_MS_MAX, openMs * 2);
    seen.forget();
  };
  const heal = (): void => {
    tripped = null;
    openUntil = Number.NEGATIVE_INFINITY;
    openMs = OPEN_MS_FIRST;
  };

  const record = (outcome: CallOutcome): void => {
    // A call from before the trip proves nothing about now.
    if (tripped !== null || outcome === 'paused') return;
    const verdict = seen.add(outcome);
    if (verdict !== 'well') trip(verdict);
  };
  const recordProbe = (outcome: CallOutcome, wasEarly: boolean): void => {
    isProbing = false;
    if (outcome === 'ok') heal();
    else if (outcome === 'shut') trip('shut');
    // Before its time a failure was to be expected, and the time stays as it is.
    else if (outcome === 'failed' && wasEarly) failedAt = clock.now();
    else if (outcome === 'failed') trip('failing');
  };
  const mayProbeEarly = (): boolean =>
    tripped === 'failing' && clock.now() >= pausedUntil && clock.now() - failedAt >= LAST_RESORT_MS;
  const admits = (isLastResort = false): boolean =>
    state() === 'closed' || (!isProbing && (state() === 'half_open' || (isLastResort && mayProbeEarly())));

  return {
    state,
    admits,
    admit(isLastResort = false) {
      if (!admits(isLastResort)) return null;
      const now = state();
      if (now === 'closed') return record;
      isProbing = true;
      return (outcome) => recordProbe(outcome, now === 'open');
    },
    pause(ms) {
      pausedUntil = Math.max(pausedUntil, clock.now() + Math.min(PAUSE_MS_MAX, Math.max(0, ms)));
    },
  };
}
