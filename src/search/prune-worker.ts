import { Failure } from '../contract/errors.ts';
import type { Tenant } from '../platform/sharing/fair-queue.ts';
import { TASK_LIMITS } from '../platform/threads/pool-limits.ts';
import {
  type RunOptions,
  TaskFailed,
  type TaskPool,
  type ThreadTask,
} from '../platform/threads/task-pool.ts';
import { resolveThreadModule } from '../platform/threads/thread-modules.ts';
import { runWithTimeout } from '../platform/within-time.ts';
import type { PageText } from '../text/prune/chunked-page.ts';
import {
  type buildPageParts,
  needsScores,
  type PageParts,
  type WantedParts,
} from '../text/prune/page-parts.ts';
import { cutMarkdown } from '../text/prune/prune-markdown.ts';
import { type LatePagePart, msForParts } from './late-parts.ts';

/** The parts of a page, and the names of those that were requested and could not be taken in time; absent if there are none. */
export type TakenParts = PageParts & { late?: LatePagePart[] };

/**
 * Takes the requested parts of pages, in order, off the event loop. A page for which there is no thread or no time has only its text,
 * and names the other parts as late. Rejects only when the signal fires.
 */
export type PruneWorker = (
  pages: PageText[],
  task: { wanted: WantedParts; query: string | null; tenant?: Tenant },
  signal: AbortSignal,
) => Promise<TakenParts[]>;

export const PRUNE_TASK: ThreadTask<typeof buildPageParts> = {
  module: resolveThreadModule('text/prune/page-parts'),
  name: 'buildPageParts',
  limits: TASK_LIMITS.prune,
};

export function createPruneWorker(pool: Pick<TaskPool, 'run'>): PruneWorker {
  const partsOf = async (
    task: Parameters<typeof buildPageParts>,
    { inTime, signal, ...options }: RunOptions & { inTime: AbortSignal; signal: AbortSignal },
  ): Promise<TakenParts> => {
    try {
      return await pool.run(PRUNE_TASK, task, { ...options, signal: inTime });
    } catch (error) {
      signal.throwIfAborted();
      const isOverloaded = error instanceof Failure && error.code === 'overloaded';
      if (inTime.aborted || isOverloaded || error instanceof TaskFailed)
        return partsWithoutThread(task[0], task[1]);
      throw error;
    }
  };
  return (pages, { wanted, query, tenant }, signal) =>
    runWithTimeout({ signal, ms: msForParts(signal) }, (inTime) =>
      Promise.all(
        pages.map(({ markdown, language }) => {
          const page = { markdown, language };
          // Cutting text is cheaper than sending the page to a thread.
          return needsScores(wanted) || wanted.plain
            ? partsOf([page, wanted, query], { signal, inTime, tenant, about: beginningOf(page) })
            : partsWithoutThread(page, wanted);
        }),
      ),
    );
}

/** Tells pages apart well enough: what a thread remembers of them it finds by the whole text. */
const beginningOf = ({ markdown }: PageText): string =>
  `${markdown.length} ${markdown.slice(0, BEGINNING_CHARS)}`;
const BEGINNING_CHARS = 80;

/** The text, which costs next to nothing, as Markdown; the other requested parts are late. */
function partsWithoutThread(page: PageText, wanted: WantedParts): TakenParts {
  const { text, highlights, pruned, summary, plain } = wanted;
  const late: LatePagePart[] = [];
  if (text !== null && plain) late.push('text');
  if (highlights !== null) late.push('highlights');
  if (pruned !== null) late.push('prunedContext');
  if (summary !== undefined) late.push('summary');
  return {
    ...(text === null ? {} : { text: cutMarkdown(page.markdown, text.charsMax) }),
    ...(highlights === null ? {} : { highlights: [], highlightScores: [] }),
    ...(late.length === 0 ? {} : { late }),
  };
}
