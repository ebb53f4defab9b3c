import { Failure } from '../contract/errors.ts';
import type { Tenant } from '../platform/sharing/fair-shares.ts';
import { createWorkerPool, TaskCrashed, TaskTimedOut, THREADS_MIN } from '../platform/threads/task-pool.ts';
import type { FoundQuote } from '../text/citations/find-quote.ts';
import type { VerifyTask } from '../text/citations/verify-task.ts';

/** Where quotations stand on a page, found off the event loop. Throws `Failure('overloaded')` when too many wait or it takes too long. */
export type VerifyWorker = (
  task: VerifyTask,
  options: { signal: AbortSignal; tenant?: Tenant },
) => Promise<FoundQuote[]>;

const WAITING_MAX = 100;
const TASK_MS = 3_000;
const HEAP_MEGABYTES_MAX = 512;

/** Threads start with the first quotation that is verified. */
export function createVerifyWorker(): { find: VerifyWorker; close(): Promise<void> } {
  const pool = createWorkerPool<VerifyTask, FoundQuote[]>({
    module: new URL('../text/citations/verify-task.ts', import.meta.url),
    name: 'verifyTask',
    threads: THREADS_MIN,
    waitingMax: WAITING_MAX,
    taskMs: TASK_MS,
    heapMegabytesMax: HEAP_MEGABYTES_MAX,
  });
  return {
    async find(task, options) {
      try {
        return await pool.run(task, options);
      } catch (error) {
        if (error instanceof TaskTimedOut || error instanceof TaskCrashed)
          throw new Failure('overloaded', 'The page could not be searched in time.', { cause: error });
        throw error;
      }
    },
    close: () => pool.close(),
  };
}
