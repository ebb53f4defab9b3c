import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** By then a server or a thread that has started is probably idle. */
const AFTER_MS = 1_000;

/**
 * Returns the memory that only the start of this thread needed to the system, once and soon. V8 itself does so after a full
 * collection, and an idle thread has none. It takes some 50 ms.
 */
export function collectGarbageOfStart(): void {
  setTimeout(() => {
    setFlagsFromString('--expose-gc');
    const collect: typeof gc = runInNewContext('gc');
    collect?.({ type: 'major', flavor: 'last-resort' });
  }, AFTER_MS).unref();
}
