import { availableParallelism } from 'node:os';
import { DOCUMENT_CPU_MS, PAGE_CPU_MS } from '../../contract/limits.ts';

/** The bounds of a pool. */
export type PoolLimits = {
  threads: number;
  /** Tasks that may wait for a thread; with more, the tenant that has most of them is refused one. */
  waitingMax: number;
  /** Threads that may read pages at a time. */
  pageThreads: number;
  /** Pages that may wait to be read, as `waitingMax`. Each holds its bytes. */
  pagesWaitingMax: number;
  /** Memory of one thread; one that needs more is ended and replaced. */
  heapMegabytesMax: number;
};

/** The bounds of one task. */
export type TaskLimits = {
  /** Milliseconds that it may run; then its thread is ended and replaced. */
  taskMs: number;
  /** CPU milliseconds that it may use; then its thread is ended and replaced. Absent: as many as `taskMs`. */
  cpuMs?: number;
  /** Whether it reads bytes of another site, and counts as one of `pageThreads`. */
  readsPages?: boolean;
};

/**
 * One less than there are cores, because the event loop has the other; at least two, so that a caller who keeps one busy leaves
 * one to the others.
 */
const PAGE_THREADS = Math.max(2, availableParallelism() - 1);

/** The one pool of the process. */
export const POOL_LIMITS: PoolLimits = {
  // One that pages cannot take.
  threads: PAGE_THREADS + 1,
  waitingMax: 500,
  pageThreads: PAGE_THREADS,
  pagesWaitingMax: 200,
  heapMegabytesMax: 512,
};

/**
 * Every task of the process. Wall-clock limits above the CPU limit are for machines too busy to give a task its CPU time; what a caller
 * waits for ends with the caller's deadline.
 */
export const TASK_LIMITS = {
  extract: { taskMs: 10_000, cpuMs: PAGE_CPU_MS, readsPages: true },
  document: { taskMs: 10_000, cpuMs: DOCUMENT_CPU_MS, readsPages: true },
  sitemap: { taskMs: 10_000, cpuMs: 2_000, readsPages: true },
  prune: { taskMs: 20_000, cpuMs: PAGE_CPU_MS },
  research: { taskMs: 20_000, cpuMs: 5_000 },
  quote: { taskMs: 20_000, cpuMs: 3_000 },
  verify: { taskMs: 20_000, cpuMs: 3_000 },
  markup: { taskMs: 20_000, cpuMs: 1_000 },
  rerank: { taskMs: 20_000, cpuMs: 1_000 },
} as const satisfies Record<string, TaskLimits>;
