import { Failure } from '../contract/errors.ts';
import { runWithTimeout } from '../platform/clock.ts';
import type { Tenant } from '../platform/fairness/fair-queue.ts';
import { TASK_LIMITS } from '../platform/threads/pool-limits.ts';
import {
  type RunOptions,
  TaskFailed,
  type TaskPool,
  type ThreadTask,
} from '../platform/threads/task-pool.ts';
import { resolveThreadModule } from '../platform/threads/thread-modules.ts';
import type { PageText } from '../text/prune/chunked-page.ts';
import {
  type buildPageParts,
  needsScores,
  type PageParts,
  type WantedParts,
} from '../text/prune/page-parts.ts';
import { cutMarkdown } from '../text/prune/prune-markdown.ts';
import { computePartsMs, type LatePagePart } from './late-parts.ts';

/** The parts of a page, and the names of the requested parts that are late; absent if there are none. */
export type TakenParts = PageParts & { late?: LatePagePart[] };

/**
 * Takes the requested parts of pages, in order, off the event loop. A page for which there is no thread or no time has only its text, and
 * its other parts are late. Rejects only when the signal fires.
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
  const runPrune = async (
    task: Parameters<typeof buildPageParts>,
    { inTime, signal, ...options }: RunOptions & { inTime: AbortSignal; signal: AbortSignal },
  ): Promise<TakenParts> => {
    try {
      return await pool.run(PRUNE_TASK, task, { ...options, signal: inTime });
    } catch (error) {
      signal.throwIfAborted();
      const isOverloaded = error instanceof Failure && error.code === 'overloaded';
      if (inTime.aborted || isOverloaded || error instanceof TaskFailed)
        return takeTextOnly(task[0], task[1]);
      throw error;
    }
  };
  return (pages, { wanted, query, tenant }, signal) =>
    runWithTimeout({ signal, ms: computePartsMs(signal) }, (inTime) =>
      Promise.all(
        pages.map(({ markdown, language }) => {
          const page = { markdown, language };
          // Cutting text is cheaper than sending the page to a thread.
          return needsScores(wanted) || wanted.plain
            ? runPrune([page, wanted, query], { signal, inTime, tenant, about: identifyPage(page) })
            : takeTextOnly(page, wanted);
        }),
      ),
    );
}

/** Returns a short label that distinguishes pages well enough: what a thread remembers of them is keyed by the whole text. */
const identifyPage = ({ markdown }: PageText): string =>
  `${markdown.length} ${markdown.slice(0, BEGINNING_CHARS)}`;
const BEGINNING_CHARS = 80;

/** Returns the text as Markdown, which costs next to nothing; the other requested parts are late. */
function takeTextOnly(page: PageText, wanted: WantedParts): TakenParts {
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
