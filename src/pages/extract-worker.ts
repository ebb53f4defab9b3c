import { fetchFailed } from '../contract/errors.ts';
import type { Tenant } from '../platform/sharing/fair-shares.ts';
import { POOL_LIMITS, type PoolLimits } from '../platform/threads/pool-limits.ts';
import { createTaskPool, TaskFailed, TaskTimedOut } from '../platform/threads/task-pool.ts';
import type { Extracted, ExtractTask, extractTask } from './extract-task.ts';

export type ExtractWorker = {
  /**
   * Extracts the article in a worker thread; the bytes are transferred, not copied. Throws `Failure('overloaded')` when too many
   * pages wait, `fetch_failed` 'undecodable' for a page that takes over 10 s or PAGE_CPU_MS of CPU time or crashes its thread,
   * and `fetch_failed` 'aborted' when `signal` aborts.
   */
  extract(task: ExtractTask, signal: AbortSignal, tenant?: Tenant): Promise<Extracted>;
  start(): Promise<void>;
  close(): Promise<void>;
};

/** Threads that read pages; `limits` replaces bounds of the pool. */
export function createExtractWorker(limits: Partial<PoolLimits> = {}): ExtractWorker {
  const pool = createTaskPool<{ extractTask: typeof extractTask }>({
    modules: { extractTask: new URL('./extract-task.ts', import.meta.url) },
    limits: { ...POOL_LIMITS.extract, ...limits },
  });
  return {
    async extract(task, signal, tenant) {
      try {
        return await pool.run('extractTask', [task], { transfer: [task.bytes.buffer], signal, tenant });
      } catch (error) {
        if (signal.aborted) throw fetchFailed('aborted', 'the page is no longer wanted', { cause: error });
        if (error instanceof TaskTimedOut)
          throw fetchFailed('undecodable', 'reading the page takes too much CPU time', {
            cause: error,
          });
        if (error instanceof TaskFailed)
          throw fetchFailed('undecodable', 'the page could not be read', { cause: error });
        throw error;
      }
    },
    start: () => pool.start(),
    close: () => pool.close(),
  };
}
