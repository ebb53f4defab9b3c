import { Failure } from '../contract/errors.ts';
import type { Tenant } from '../platform/fairness/fair-queue.ts';
import { TASK_LIMITS } from '../platform/threads/pool-limits.ts';
import { TaskFailed, type TaskPool, type ThreadTask } from '../platform/threads/task-pool.ts';
import { resolveThreadModule } from '../platform/threads/thread-modules.ts';
import type { AnswerPage, Quotation } from '../text/answer/candidates.ts';
import type { quoteAnswer } from '../text/answer/quote-answer.ts';

/**
 * Finds the passage of opened pages that answers a query, verbatim, off the event loop; null when none is likely to.
 * Pages come in the order of the search. Throws `Failure('overloaded')` when too many wait or it takes too long.
 */
export type QuoteWorker = (
  asked: { query: string; pages: AnswerPage[]; tenant?: Tenant },
  signal: AbortSignal,
) => Promise<Quotation | null>;

const QUOTE_TASK: ThreadTask<typeof quoteAnswer> = {
  module: resolveThreadModule('text/answer/quote-answer'),
  name: 'quoteAnswer',
  limits: TASK_LIMITS.quote,
};

/** Answers below the confidence `least` are not given; null: below that of their kind of page. */
export function createQuoteWorker(pool: Pick<TaskPool, 'run'>, least: number | null): QuoteWorker {
  return async ({ query, pages, tenant }, signal) => {
    if (pages.length === 0) return null;
    try {
      return await pool.run(QUOTE_TASK, [query, pages, least], { signal, tenant });
    } catch (error) {
      if (error instanceof TaskFailed || signal.aborted)
        throw new Failure('overloaded', 'The pages could not be searched in time.', { cause: error });
      throw error;
    }
  };
}
