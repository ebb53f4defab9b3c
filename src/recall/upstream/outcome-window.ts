import type { Clock } from '../../platform/clock.ts';

/**
 * The outcome of a call as it affects the next one. `shut`: the source refuses us or checks for bots; `paused`: it asked for a
 * pause, or was not waited for, which says nothing about its health.
 */
export type CallOutcome = 'ok' | 'failed' | 'shut' | 'paused';

/** Judges a source by its last calls. */
type OutcomeWindow = {
  add(outcome: Exclude<CallOutcome, 'paused'>): 'well' | 'failing' | 'shut';
  forget(): void;
};

const WINDOW_MS = 30_000;
const OUTCOMES_MAX = 1_000;
const CALLS_MIN = 10;
const FAILED_SHARE_MAX = 0.5;
const SHUT_MAX = 3;

/** `failing`: half of at least ten calls within 30 s failed; `shut`: the last three were refused. */
export function createOutcomeWindow(clock: Clock): OutcomeWindow {
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
