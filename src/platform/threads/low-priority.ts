import { getPriority, setPriority } from 'node:os';

/** A thread with it gets about a tenth of a core that others want, and all of one that nobody wants. */
const NICENESS = 10;

/**
 * Lets other threads of this process go first from now on; to be called by a thread that works for nobody who waits. Only on Linux, where
 * a thread has a priority of its own: elsewhere it would slow the whole process.
 */
export function takeLowPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Math.max(NICENESS, getPriority()));
  } catch {
    // Some containers forbid it; then threads share as before.
  }
}
