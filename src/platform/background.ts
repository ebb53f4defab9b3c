import type { Log } from './log.ts';

/** Named work that nobody waits for, bounded in number, and waited for when the process ends. */
export type Background = {
  /** Starts the work unless too much is under way already (then it is dropped and logged); a failure is logged with the name. */
  run(name: string, work: () => Promise<unknown>): void;
  /** Resolves when all work under way has ended. */
  drain(): Promise<void>;
};

/** Runs pieces of work now and then every so many milliseconds, each by itself; the returned function ends it. */
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
