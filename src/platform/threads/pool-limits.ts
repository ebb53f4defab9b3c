import { availableParallelism } from 'node:os';
import { DOCUMENT_CPU_MS, PAGE_CPU_MS } from '../../contract/limits.ts';

/** Limits of a pool. */
export type PoolLimits = {
  threads: number;
  /** Maximum tasks that wait for a thread; beyond it, one of the tenant with the most is refused. */
  waitingMax: number;
  /** Maximum threads that read pages at a time. */
  pageThreads: number;
  /** As `waitingMax`, for pages that wait to be read; each holds its bytes. */
  pagesWaitingMax: number;
  /** Maximum heap of one thread, which is ended and replaced if it needs more. */
  heapMegabytesMax: number;
};

/** Limits of one task. */
export type TaskLimits = {
  /** Maximum milliseconds of a run; then its thread is ended and replaced. */
  taskMs: number;
  /** Maximum CPU milliseconds; then its thread is ended and replaced. Absent: `taskMs`. */
  cpuMs?: number;
  /** True if the task reads bytes of another site, and counts towards `pageThreads`. */
  readsPages?: boolean;
};

/**
 * One less than the number of cores, because the event loop uses one; at least two, so that a caller who keeps one busy leaves one to the
 * others.
 */
const PAGE_THREADS = Math.max(2, availableParallelism() - 1);

/** Limits of the pool of the process. */
export const POOL_LIMITS: PoolLimits = {
  // One more than pages can take.
  threads: PAGE_THREADS + 1,
  waitingMax: 500,
  pageThreads: PAGE_THREADS,
  pagesWaitingMax: 200,
  heapMegabytesMax: 512,
};

/**
 * Limits of every task of the process. Wall-clock limits above the CPU limit are for machines too busy to give a task its CPU time; work
 * that a caller waits for ends with the caller's deadline.
 */
export const TASK_LIMITS = {
  extract: { taskMs: 10_000, cpuMs: PAGE_CPU_MS, readsPages: true },
  document: { taskMs: 10_000, cpuMs: DOCUMENT_CPU_MS, readsPages: true },
  sitemap: { taskMs: 10_000, cpuMs: 2_000, readsPages: true },
  prune: { taskMs: 20_000, cpuMs: PAGE_CPU_MS },
  research: { taskMs: 20_000, cpuMs: 5_000 },
  quote: { taskMs: 20_000, cpuMs: 3_000 },
  verify: { taskMs: 20_000, cpuMs: 3_000 },
  compare: { taskMs: 20_000, cpuMs: 5_000 },
  prove: { taskMs: 20_000, cpuMs: 3_000 },
  markup: { taskMs: 20_000, cpuMs: 1_000 },
  rerank: { taskMs: 20_000, cpuMs: 1_000 },
} as const satisfies Record<string, TaskLimits>;
