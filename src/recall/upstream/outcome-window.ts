import type { Clock } from '../../platform/clock.ts';

/**
 * How a call went, as far as the next call is concerned. `shut`: the source refuses us or checks for bots; `paused`: it asked
 * to be left alone, which says nothing of its health.
 */
export type CallOutcome = 'ok' | 'failed' | 'shut' | 'paused';

/** What the last calls of a source say of it. */
type OutcomeWindow = {
  add(outcome: Exclude<CallOutcome, 'paused'>): 'well' | 'failing' | 'shut';
  forget(): void;
};

const WINDOW_MS = 30_000;
const OUTCOMES_MAX = 1_000;
const CALLS_TELLING = 10;
const FAILED_SHARE_MAX = 0.5;
const SHUT_MAX = 3;

/** `failing`: half of at least ten calls within 30 s failed; `shut`: the last three found the door shut. */
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
      return outcomes.length >= CALLS_TELLING && failed >= outcomes.length * FAILED_SHARE_MAX
        ? 'failing'
        : 'well';
    },
    forget() {
      outcomes = [];
      shutInARow = 0;
    },
  };
}
