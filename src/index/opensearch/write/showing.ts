import { setTimeout as sleep } from 'node:timers/promises';

type RefreshOptions = {
  /** Minimum milliseconds between two refreshes. */
  everyMs: number;
  /** Makes earlier writes searchable; `changes`: the number of pages written. */
  run(changes: number): Promise<void>;
  pause?: (ms: number) => Promise<void>;
  now?: () => number;
};

/** Makes writes searchable: one refresh serves all waiting callers, and callers that arrive after it has begun get the next one. */
export function createRefreshRunner({
  everyMs,
  run,
  pause = sleep,
  now = Date.now,
}: RefreshOptions): (changes: number) => Promise<void> {
  let next: { changes: number; shown: Promise<void> } | null = null;
  let begun = Number.NEGATIVE_INFINITY;
  const begin = async (): Promise<void> => {
    const ms = begun + everyMs - now();
    await pause(Math.max(0, ms));
    begun = now();
    const changes = next?.changes ?? 0;
    next = null;
    await run(changes);
  };
  return (changes) => {
    if (next === null) next = { changes, shown: begin() };
    else next.changes += changes;
    return next.shown;
  };
}
