import { availableParallelism } from 'node:os';
import { PAGE_CPU_MS } from '../../contract/limits.ts';

/** The bounds of one task pool. */
export type PoolLimits = {
  threads: number;
  /** Tasks that may wait for a thread; with more, the tenant that has most of them is refused one. */
  waitingMax: number;
  /** Milliseconds that one task may run; then its thread is ended and replaced. */
  taskMs: number;
  /** CPU milliseconds that one task may use; then its thread is ended and replaced. Absent: as many as `taskMs`. */
  cpuMs?: number;
  /** Memory of one thread; one that needs more is ended and replaced. */
  heapMegabytesMax: number;
};

/** At least two, so that a caller who keeps one thread busy leaves one to the others. */
const THREADS_MIN = 2;

/** One less than there are cores: the event loop has the other. */
const THREADS = Math.max(THREADS_MIN, availableParallelism() - 1);

/** Every pool of the process. Wall-clock limits above the CPU limit are for machines too busy to give a task its CPU time. */
export const POOL_LIMITS = {
  extract: { threads: THREADS, waitingMax: 200, taskMs: 10_000, cpuMs: PAGE_CPU_MS, heapMegabytesMax: 384 },
  prune: { threads: THREADS, waitingMax: 500, taskMs: 5_000, cpuMs: PAGE_CPU_MS, heapMegabytesMax: 256 },
  research: { threads: THREADS, waitingMax: 500, taskMs: 5_000, heapMegabytesMax: 256 },
  // Asked for far less often than the others.
  quote: { threads: THREADS_MIN, waitingMax: 200, taskMs: 3_000, heapMegabytesMax: 256 },
  verify: { threads: THREADS_MIN, waitingMax: 100, taskMs: 3_000, heapMegabytesMax: 512 },
  sitemap: { threads: 1, waitingMax: 100, taskMs: 10_000, cpuMs: 2_000, heapMegabytesMax: 256 },
} as const satisfies Record<string, PoolLimits>;
