import { fetchFailed } from '../contract/errors.ts';
import { PAGE_CPU_MS } from '../contract/limits.ts';
import type { Tenant } from '../platform/sharing/fair-shares.ts';
import {
  createWorkerPool,
  TaskCrashed,
  TaskTimedOut,
  threadsByCores,
} from '../platform/threads/task-pool.ts';
import type { Extracted, ExtractTask } from './extract-task.ts';

const WAITING_MAX = 200;
/** On a machine that is too busy to give a page its CPU time. */
const TASK_MS = 10_000;
const HEAP_MEGABYTES_MAX = 384;

export type ExtractPool = {
  /**
   * Bytes of a page -> its article, in a worker thread; the bytes are handed over, not copied. Throws
   * `Failure('overloaded')` when too many pages wait, `fetch_failed` 'undecodable' for a page that takes over 10 s or PAGE_CPU_MS of CPU time or
   * brings its thread down, `fetch_failed` 'aborted' when `signal` ends it.
   */
  extract(task: ExtractTask, signal: AbortSignal, tenant?: Tenant): Promise<Extracted>;
  start(): Promise<void>;
  close(): Promise<void>;
};

/** Threads that read pages. */
export function createExtractPool(
  options: { threads?: number; taskMs?: number; cpuMs?: number; module?: URL } = {},
): ExtractPool {
  const pool = createWorkerPool<ExtractTask, Extracted>({
    module: options.module ?? new URL('./extract-task.ts', import.meta.url),
    name: 'extractTask',
    threads: options.threads ?? threadsByCores(),
    waitingMax: WAITING_MAX,
    taskMs: options.taskMs ?? TASK_MS,
    cpuMs: options.cpuMs ?? PAGE_CPU_MS,
    heapMegabytesMax: HEAP_MEGABYTES_MAX,
  });
  return {
    async extract(task, signal, tenant) {
      try {
        return await pool.run(task, { transfer: [task.bytes.buffer], signal, tenant });
      } catch (error) {
        if (signal.aborted)
          throw fetchFailed('aborted', 'nobody waits for the page any more', { cause: error });
        if (error instanceof TaskTimedOut)
          throw fetchFailed('undecodable', 'the page takes more CPU time to read than a page may', {
            cause: error,
          });
        if (error instanceof TaskCrashed)
          throw fetchFailed('undecodable', 'the page could not be read', { cause: error });
        throw error;
      }
    },
    start: () => pool.start(),
    close: () => pool.close(),
  };
}
