import { setTimeout as sleep } from 'node:timers/promises';

type Showing = {
  /** At most so often. */
  everyMs: number;
  /** Lets searches find what was written before; `changes`: of how many pages. */
  run(changes: number): Promise<void>;
  pause?: (ms: number) => Promise<void>;
  now?: () => number;
};

/** Lets searches find what was written: once for all who wait, and again for those who come when that has begun. */
export function createShowing({
  everyMs,
  run,
  pause = sleep,
  now = Date.now,
}: Showing): (changes: number) => Promise<void> {
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
