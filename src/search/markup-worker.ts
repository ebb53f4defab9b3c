import { TASK_LIMITS } from '../platform/threads/pool-limits.ts';
import {
  type RunOptions,
  TaskFailed,
  type TaskPool,
  type ThreadTask,
} from '../platform/threads/task-pool.ts';
import { resolveThreadModule } from '../platform/threads/thread-modules.ts';
import type { MarkupOptions, renderMarkdown } from '../text/markup/markdown-html.ts';

/**
 * Converts the Markdown of a page to safe markup, off the event loop; null if it took too long. Throws `Failure('overloaded')` when too
 * many wait.
 */
export type MarkupWorker = (
  markdown: string,
  options: MarkupOptions,
  turn: Required<Pick<RunOptions, 'signal'>> & Pick<RunOptions, 'tenant'>,
) => Promise<string | null>;

const MARKUP_TASK: ThreadTask<typeof renderMarkdown> = {
  module: resolveThreadModule('text/markup/markdown-html'),
  name: 'renderMarkdown',
  limits: TASK_LIMITS.markup,
};

export function createMarkupWorker(pool: TaskPool): MarkupWorker {
  return async (markdown, options, turn) => {
    try {
      return await pool.run(MARKUP_TASK, [markdown, options], turn);
    } catch (error) {
      if (error instanceof TaskFailed) return null;
      throw error;
    }
  };
}
