import { setTimeout as timeout } from 'node:timers/promises';

/** A task that runs repeatedly. */
export type RepeatingTask = {
  /** Runs the task again at once instead of after the pause. */
  wake(): void;
  /** Resolves when the signal has fired and the task has ended. */
  done: Promise<void>;
};

/** Repeats work until the signal fires, never concurrently, with a pause after each run: `ms`, or what the function returns then. */
export function repeatWork(
  work: () => Promise<unknown>,
  {
    ms,
    signal,
    onError,
  }: { ms: number | (() => number); signal: AbortSignal; onError(error: unknown): void },
): RepeatingTask {
  let woken = Promise.withResolvers<void>();
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      woken = Promise.withResolvers();
      await work().catch(onError);
      const paused = new AbortController();
      const pauseMs = typeof ms === 'number' ? ms : ms();
      const pause = timeout(pauseMs, undefined, { signal: AbortSignal.any([signal, paused.signal]) });
      // The pause rejects when it is aborted, which means that it is over.
      await Promise.race([pause.catch(() => {}), woken.promise]);
      paused.abort();
    }
  };
  return { wake: () => woken.resolve(), done: run() };
}
