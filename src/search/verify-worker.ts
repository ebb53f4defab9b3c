import { Failure } from '../contract/errors.ts';
import { POOL_LIMITS } from '../platform/threads/pool-limits.ts';
import { createTaskPool, type RunOptions, TaskFailed } from '../platform/threads/task-pool.ts';
import type { FoundQuote, findQuotes } from '../text/citations/find-quote.ts';

/** Finds quotations on a page, off the event loop. Throws `Failure('overloaded')` when too many wait or it takes too long. */
export type VerifyWorker = (
  page: { markdown: string; quotes: string[] },
  options: Required<Pick<RunOptions, 'signal'>> & Pick<RunOptions, 'tenant'>,
) => Promise<FoundQuote[]>;

export function createVerifyWorker(): { find: VerifyWorker; close(): Promise<void> } {
  const pool = createTaskPool<{ findQuotes: typeof findQuotes }>({
    modules: { findQuotes: new URL('../text/citations/find-quote.ts', import.meta.url) },
    limits: POOL_LIMITS.verify,
  });
  return {
    async find({ markdown, quotes }, options) {
      try {
        return await pool.run('findQuotes', [markdown, quotes], options);
      } catch (error) {
        if (error instanceof TaskFailed)
          throw new Failure('overloaded', 'The page could not be searched in time.', { cause: error });
        throw error;
      }
    },
    close: () => pool.close(),
  };
}
