import { monitorEventLoopDelay } from 'node:perf_hooks';

const EVERY_MS = 1;

export type LoopDelay = {
  /** The longest time from one turn to the next, whatever the cause, including a busy machine. */
  p99Ms: number;
  maxMs: number;
  /** The longest computation of this thread between two turns. */
  busyMaxMs: number;
};

/** Measures how long the event loop waits for its next turn. */
export function watchLoop(): { stop(): LoopDelay } {
  const delay = monitorEventLoopDelay({ resolution: EVERY_MS });
  let busyMaxMs = 0;
  let before = process.threadCpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(before);
    busyMaxMs = Math.max(busyMaxMs, (user + system) / 1_000);
    before = process.threadCpuUsage();
  }, EVERY_MS);
  delay.enable();
  return {
    stop() {
      delay.disable();
      clearInterval(timer);
      // Both count from one tick of a timer to the next: anything beyond its interval is delay.
      const beyond = (ms: number): number => Math.max(0, ms - EVERY_MS);
      return {
        p99Ms: beyond(delay.percentile(99) / 1e6),
        maxMs: beyond(delay.max / 1e6),
        busyMaxMs: beyond(busyMaxMs),
      };
    },
  };
}
