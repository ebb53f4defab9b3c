import { performance } from 'node:perf_hooks';

/** Times the stages of one operation in whole milliseconds. */
export type Stopwatch = {
  stage<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Returns the time of every stage so far, and `total`. */
  stop(): Record<string, number>;
};

export function startStopwatch(): Stopwatch {
  const started = performance.now();
  const timings: Record<string, number> = {};
  return {
    async stage(name, work) {
      const begun = performance.now();
      try {
        return await work();
      } finally {
        timings[name] = Math.round(performance.now() - begun);
      }
    },
    stop: () => ({ ...timings, total: Math.round(performance.now() - started) }),
  };
}
