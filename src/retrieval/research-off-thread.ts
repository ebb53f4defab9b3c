import { availableParallelism } from 'node:os';
import { Failure } from '../errors.ts';
import { createWorkerPool, TaskCrashed, TaskTimedOut } from '../platform/worker-pool.ts';
import type { EvidencePack } from './research/evidence-pack.ts';
import type { ResearchResult, ResearchTask } from './research/research-task.ts';
import type { Facet, Passage, ResearchPage } from './research/research-types.ts';

/** The heavy steps of research, off the event loop. All throw `Failure('overloaded')` when too many wait. */
export type ResearchOffThread = {
  /** Those for the facets from place `from` on; null for a page that cannot be read in time. */
  passages(
    page: ResearchPage,
    asked: { facets: Facet[]; from: number },
    signal: AbortSignal,
  ): Promise<Passage[] | null>;
  /** None when they cannot be found in time. */
  related(
    reading: { question: string; facets: Facet[]; passages: Passage[]; most: number },
    signal: AbortSignal,
  ): Promise<Facet[]>;
  pack(passages: Passage[], bounds: { facets: number; tokens: number }): Promise<EvidencePack>;
  close(): Promise<void>;
};

const WAITING_MAX = 500;
const TASK_MS = 5_000;
const HEAP_MEGABYTES_MAX = 256;

/** Threads that read passages, one less than there are cores. */
export function createResearchOffThread(): ResearchOffThread {
  const pool = createWorkerPool<ResearchTask, ResearchResult>({
    module: new URL('./research/research-task.ts', import.meta.url),
    name: 'researchTask',
    threads: Math.max(1, availableParallelism() - 1),
    waitingMax: WAITING_MAX,
    taskMs: TASK_MS,
    heapMegabytesMax: HEAP_MEGABYTES_MAX,
  });
  const orNull = async (task: ResearchTask, signal?: AbortSignal): Promise<ResearchResult | null> => {
    try {
      return await pool.run(task, signal === undefined ? {} : { signal });
    } catch (error) {
      if (error instanceof TaskTimedOut || error instanceof TaskCrashed || signal?.aborted) return null;
      throw error;
    }
  };
  return {
    async passages(page, asked, signal) {
      const done = await orNull({ step: 'passages', page, ...asked }, signal);
      return done !== null && 'passages' in done ? done.passages : null;
    },
    async related(reading, signal) {
      const done = await orNull({ step: 'related', ...reading }, signal);
      return done !== null && 'related' in done ? done.related : [];
    },
    async pack(passages, bounds) {
      const done = await orNull({ step: 'pack', passages, ...bounds });
      if (done !== null && 'evidence' in done) return done;
      throw new Failure('overloaded', 'The passages could not be compared in time; try again in a moment.');
    },
    close: () => pool.close(),
  };
}
