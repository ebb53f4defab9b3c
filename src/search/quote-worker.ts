import type { Tenant } from '../platform/sharing/fair-shares.ts';
import { createWorkerPool, TaskCrashed, TaskTimedOut, THREADS_MIN } from '../platform/threads/task-pool.ts';
import type { AnswerTask } from '../text/answer/answer-task.ts';
import type { AnswerPage, Quotation } from '../text/answer/quotation.ts';

/**
 * The passage of opened pages that answers a query, verbatim, computed off the event loop; null when none is likely to.
 * Pages stand in the order of the search. Throws `Failure('overloaded')` when too many wait.
 */
export type QuoteWorker = (
  asked: { query: string; pages: AnswerPage[]; tenant?: Tenant },
  signal: AbortSignal,
) => Promise<Quotation | null>;

const WAITING_MAX = 200;
const TASK_MS = 3_000;
const HEAP_MEGABYTES_MAX = 256;

/** Few threads: an answer is asked for far less often than passages are. */
export function createQuoteWorker(): { quote: QuoteWorker; close(): Promise<void> } {
  const pool = createWorkerPool<AnswerTask, Quotation | null>({
    module: new URL('../text/answer/answer-task.ts', import.meta.url),
    name: 'answerTask',
    threads: THREADS_MIN,
    waitingMax: WAITING_MAX,
    taskMs: TASK_MS,
    heapMegabytesMax: HEAP_MEGABYTES_MAX,
  });
  return {
    async quote({ query, pages, tenant }, signal) {
      if (pages.length === 0) return null;
      try {
        return await pool.run({ query, pages }, { signal, tenant });
      } catch (error) {
        // A search without a quotation is worth more than none.
        if (error instanceof TaskTimedOut || error instanceof TaskCrashed) return null;
        throw error;
      }
    },
    close: () => pool.close(),
  };
}
