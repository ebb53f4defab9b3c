import { Failure } from '../contract/errors.ts';
import { TASK_LIMITS } from '../platform/threads/pool-limits.ts';
import {
  type RunOptions,
  TaskFailed,
  type TaskPool,
  type ThreadTask,
} from '../platform/threads/task-pool.ts';
import { resolveThreadModule } from '../platform/threads/thread-modules.ts';
import type { FoundQuote, findQuotes } from '../text/citations/find-quote.ts';

/** Finds quotations on a page, off the event loop. Throws `Failure('overloaded')` when too many wait or it takes too long. */
export type VerifyWorker = (
  page: { markdown: string; quotes: string[] },
  options: Required<Pick<RunOptions, 'signal'>> & Pick<RunOptions, 'tenant'>,
) => Promise<FoundQuote[]>;

const VERIFY_TASK: ThreadTask<typeof findQuotes> = {
  module: resolveThreadModule('text/citations/find-quote'),
  name: 'findQuotes',
  limits: TASK_LIMITS.verify,
};

export function createVerifyWorker(pool: TaskPool): VerifyWorker {
  return async ({ markdown, quotes }, options) => {
    try {
      return await pool.run(VERIFY_TASK, [markdown, quotes], options);
    } catch (error) {
      if (error instanceof TaskFailed)
        throw new Failure('overloaded', 'The page could not be searched in time.', { cause: error });
      throw error;
    }
  };
}
