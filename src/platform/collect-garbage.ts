import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Delay after which a started server or thread is probably idle. */
const AFTER_MS = 1_000;

/**
 * Schedules one full collection, which returns memory that only the start of this thread needed to the system. V8 does this only after a
 * full collection, and an idle thread has none. Takes some 50 ms.
 */
export function collectGarbageOfStart(): void {
  setTimeout(() => {
    setFlagsFromString('--expose-gc');
    const collect: typeof gc = runInNewContext('gc');
    collect?.({ type: 'major', flavor: 'last-resort' });
  }, AFTER_MS).unref();
}
