import type { Log } from './log.ts';

/** Named background work, bounded in number and drained before the process ends. */
export type Background = {
  /** Starts work; drops and logs it if too much is running already. Logs a failure with the name. */
  run(name: string, work: () => Promise<unknown>): void;
  /** Resolves when all running work has ended. */
  drain(): Promise<void>;
};

/** Runs each piece of work now and then every `ms` milliseconds; the returned function stops that. */
export function runPeriodically(
  background: Background,
  pieces: { name: string; ms: number; work: () => Promise<unknown> }[],
): () => void {
  const timers = pieces.map(({ name, ms, work }) => {
    background.run(name, work);
    return setInterval(() => background.run(name, work), ms).unref();
  });
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
}

const UNDER_WAY_MAX = 1_000;

export function createBackground(log: Log): Background {
  const underWay = new Set<Promise<unknown>>();
  return {
    run(name, work) {
      if (underWay.size >= UNDER_WAY_MAX) {
        log.warn({ work: name }, 'background work dropped: too much under way');
        return;
      }
      const running = work().catch((error: unknown) =>
        log.error({ work: name, err: error }, 'background work failed'),
      );
      underWay.add(running);
      void running.finally(() => underWay.delete(running));
    },
    async drain() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
