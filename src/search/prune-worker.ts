import type { Tenant } from '../platform/sharing/fair-shares.ts';
import { TASK_LIMITS } from '../platform/threads/pool-limits.ts';
import {
  type RunOptions,
  TaskFailed,
  type TaskPool,
  type ThreadTask,
} from '../platform/threads/task-pool.ts';
import type { PageText } from '../text/prune/chunked-page.ts';
import { cutMarkdown } from '../text/prune/cut-markdown.ts';
import {
  type ContentsWanted,
  needsScores,
  type PageParts,
  type pageParts,
} from '../text/prune/page-parts.ts';

/** Takes the requested parts of pages, in order, off the event loop. Throws `Failure('overloaded')` when too many wait. */
export type PruneWorker = (
  pages: PageText[],
  task: { wanted: ContentsWanted; query: string | null; tenant?: Tenant },
  signal: AbortSignal,
) => Promise<PageParts[]>;

export const PRUNE_TASK: ThreadTask<typeof pageParts> = {
  module: new URL('../text/prune/page-parts.ts', import.meta.url),
  name: 'pageParts',
  limits: TASK_LIMITS.prune,
};

export function createPruneWorker(pool: TaskPool): PruneWorker {
  const partsOf = async (task: Parameters<typeof pageParts>, options: RunOptions): Promise<PageParts> => {
    try {
      return await pool.run(PRUNE_TASK, task, options);
    } catch (error) {
      if (error instanceof TaskFailed) return unscoredParts(task[0], task[1]);
      throw error;
    }
  };
  return (pages, { wanted, query, tenant }, signal) =>
    Promise.all(
      pages.map(({ markdown, language }) => {
        const page = { markdown, language };
        // Cutting text is cheaper than sending the page to a thread.
        return needsScores(wanted) || wanted.plain
          ? partsOf([page, wanted, query], { signal, tenant, about: beginningOf(page) })
          : unscoredParts(page, wanted);
      }),
    );
}

/** Tells pages apart well enough: what a thread remembers of them it finds by the whole text. */
const beginningOf = ({ markdown }: PageText): string =>
  `${markdown.length} ${markdown.slice(0, BEGINNING_CHARS)}`;
const BEGINNING_CHARS = 80;

/** The text as asked for; no highlights, no summary, and the whole page as its pruned context. */
export function unscoredParts(page: PageText, wanted: ContentsWanted): PageParts {
  return {
    ...(wanted.text === null ? {} : { text: cutMarkdown(page.markdown, wanted.text.charsMax) }),
    ...(wanted.highlights === null ? {} : { highlights: [], highlightScores: [] }),
    ...(wanted.pruned === null ? {} : wholeOf(page)),
    ...(wanted.summary === undefined ? {} : { summary: '' }),
  };
}

const wholeOf = ({ markdown }: PageText): PageParts => ({
  prunedContext: markdown,
  prunedBy: 'whole',
  prunedPlaces: [{ start: 0, end: markdown.length, headingPath: [] }],
});
