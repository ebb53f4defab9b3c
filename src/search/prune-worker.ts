import { PAGE_CPU_MS } from '../contract/limits.ts';
import type { Tenant } from '../platform/sharing/fair-shares.ts';
import {
  createWorkerPool,
  type RunOptions,
  TaskCrashed,
  TaskTimedOut,
  threadsByCores,
} from '../platform/threads/task-pool.ts';
import { cutMarkdown } from '../text/prune/cut-markdown.ts';
import type { ContentsWanted, PageParts, PageText, PruneTask } from '../text/prune/page-parts.ts';

/** The wanted parts of pages, in their order, computed off the event loop. Throws `Failure('overloaded')` when too many wait. */
export type PruneWorker = (
  pages: PageText[],
  task: { wanted: ContentsWanted; query: string | null; tenant?: Tenant },
  signal: AbortSignal,
) => Promise<PageParts[]>;

const WAITING_MAX = 500;
const TASK_MS = 5_000;
const HEAP_MEGABYTES_MAX = 256;

/** Threads that cut pages into chunks and score them. */
export function createPruneWorker(): {
  prune: PruneWorker;
  start(): Promise<void>;
  close(): Promise<void>;
} {
  const pool = createWorkerPool<PruneTask, PageParts>({
    module: new URL('../text/prune/page-parts.ts', import.meta.url),
    name: 'pruneTask',
    threads: threadsByCores(),
    waitingMax: WAITING_MAX,
    taskMs: TASK_MS,
    cpuMs: PAGE_CPU_MS,
    heapMegabytesMax: HEAP_MEGABYTES_MAX,
  });
  const partsOf = async (task: PruneTask, options: RunOptions): Promise<PageParts> => {
    try {
      return await pool.run(task, options);
    } catch (error) {
      if (error instanceof TaskTimedOut || error instanceof TaskCrashed) return plainParts(task);
      throw error;
    }
  };
  return {
    prune: (pages, { wanted, query, tenant }, signal) =>
      Promise.all(
        pages.map(({ markdown, language }) => {
          const task = { page: { markdown, language }, wanted, query };
          // Text alone is a cut: it is not worth the way to a thread.
          return wanted.highlights === null && wanted.pruned === null && !wanted.plain
            ? plainParts(task)
            : partsOf(task, { signal, tenant });
        }),
      ),
    start: () => pool.start(),
    close: () => pool.close(),
  };
}

/** The text as asked for; what needs scoring is empty, or for pruned context the whole page. */
export function plainParts({ page, wanted }: PruneTask): PageParts {
  return {
    ...(wanted.text === null ? {} : { text: cutMarkdown(page.markdown, wanted.text.charsMax) }),
    ...(wanted.highlights === null ? {} : { highlights: [], highlightScores: [] }),
    ...(wanted.pruned === null ? {} : wholeOf(page)),
  };
}

const wholeOf = ({ markdown }: PageText): PageParts => ({
  prunedContext: markdown,
  prunedBy: 'whole',
  prunedPlaces: [{ start: 0, end: markdown.length, headingPath: [] }],
});
