import { getPriority, setPriority } from 'node:os';

/** A thread with this niceness gets about a tenth of a contended core, and all of an idle one. */
const NICENESS = 10;

/**
 * Lowers the priority of the calling thread; for threads whose results no caller waits for. Only on Linux, where threads have their own
 * priority: elsewhere it would slow the whole process.
 */
export function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Math.max(NICENESS, getPriority()));
  } catch {
    // Some containers forbid it; the priority then stays unchanged.
  }
}
