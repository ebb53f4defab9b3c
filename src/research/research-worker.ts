import { Failure } from '../contract/errors.ts';
import type { Tenant } from '../platform/sharing/fair-shares.ts';
import {
  createWorkerPool,
  type RunOptions,
  TaskCrashed,
  TaskTimedOut,
  threadsByCores,
} from '../platform/threads/task-pool.ts';
import type { EvidencePack } from './evidence-pack.ts';
import type { ResearchResult, ResearchTask } from './evidence/research-task.ts';
import type { Facet, Passage, ResearchPage } from './evidence/research-types.ts';

/** Whose research it is, and when nobody waits for it any more. */
type ForCaller = { signal: AbortSignal; tenant?: Tenant };

/** The heavy steps of research, off the event loop. All throw `Failure('overloaded')` when too many wait. */
export type ResearchWorker = {
  /** Those for the facets from place `from` on; null for a page that cannot be read in time. */
  passages(
    page: ResearchPage,
    asked: { facets: Facet[]; from: number },
    options: ForCaller,
  ): Promise<Passage[] | null>;
  /** None when they cannot be found in time. */
  related(
    reading: { question: string; facets: Facet[]; passages: Passage[]; most: number },
    options: ForCaller,
  ): Promise<Facet[]>;
  pack(
    passages: Passage[],
    bounds: { facets: number; tokens: number },
    options: Pick<ForCaller, 'tenant'>,
  ): Promise<EvidencePack>;
  close(): Promise<void>;
};

const WAITING_MAX = 500;
const TASK_MS = 5_000;
const HEAP_MEGABYTES_MAX = 256;

/** Threads that read passages. */
export function createResearchWorker(): ResearchWorker {
  const pool = createWorkerPool<ResearchTask, ResearchResult>({
    module: new URL('./evidence/research-task.ts', import.meta.url),
    name: 'researchTask',
    threads: threadsByCores(),
    waitingMax: WAITING_MAX,
    taskMs: TASK_MS,
    heapMegabytesMax: HEAP_MEGABYTES_MAX,
  });
  const orNull = async (task: ResearchTask, options: RunOptions): Promise<ResearchResult | null> => {
    try {
      return await pool.run(task, options);
    } catch (error) {
      if (error instanceof TaskTimedOut || error instanceof TaskCrashed || options.signal?.aborted)
        return null;
      throw error;
    }
  };
  return {
    async passages(page, asked, options) {
      const done = await orNull({ step: 'passages', page, ...asked }, options);
      return done !== null && 'passages' in done ? done.passages : null;
    },
    async related(reading, options) {
      const done = await orNull({ step: 'related', ...reading }, options);
      return done !== null && 'related' in done ? done.related : [];
    },
    async pack(passages, bounds, options) {
      const done = await orNull({ step: 'pack', passages, ...bounds }, options);
      if (done !== null && 'evidence' in done) return done;
      throw new Failure('overloaded', 'The passages could not be compared in time; try again in a moment.');
    },
    close: () => pool.close(),
  };
}
