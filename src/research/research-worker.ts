import { Failure } from '../contract/errors.ts';
import type { Tenant } from '../platform/fairness/fair-queue.ts';
import { TASK_LIMITS } from '../platform/threads/pool-limits.ts';
import {
  type RunOptions,
  TaskFailed,
  type TaskPool,
  type ThreadTask,
} from '../platform/threads/task-pool.ts';
import { resolveThreadModule } from '../platform/threads/thread-modules.ts';
import type { extractPassages } from './evidence/page-passages.ts';
import type { findRelatedFacets } from './evidence/related-facets.ts';
import type { Facet, Passage, ResearchPage } from './evidence/relevance.ts';
import type { buildEvidencePack, EvidencePack } from './evidence-pack.ts';

type ForCaller = { signal: AbortSignal; tenant?: Tenant };

/** The heavy steps of research, off the event loop. Each throws `Failure('overloaded')` when too many wait. */
export type ResearchWorker = {
  /** The passages for the facets from place `from` on; null for a page that cannot be read in time. */
  passages(
    page: ResearchPage,
    asked: { facets: Facet[]; from: number },
    options: ForCaller,
  ): Promise<Passage[] | null>;
  /** The facets for names that the passages bring up; empty if none can be found in time. */
  related(
    reading: { question: string; facets: Facet[]; passages: Passage[]; most: number },
    options: ForCaller,
  ): Promise<Facet[]>;
  pack(
    passages: Passage[],
    bounds: { facets: Facet[]; tokens: number },
    options: Pick<ForCaller, 'tenant'>,
  ): Promise<EvidencePack>;
};

const PASSAGES_TASK: ThreadTask<typeof extractPassages> = {
  module: resolveThreadModule('research/evidence/page-passages'),
  name: 'extractPassages',
  limits: TASK_LIMITS.research,
};
const RELATED_TASK: ThreadTask<typeof findRelatedFacets> = {
  module: resolveThreadModule('research/evidence/related-facets'),
  name: 'findRelatedFacets',
  limits: TASK_LIMITS.research,
};
const PACK_TASK: ThreadTask<typeof buildEvidencePack> = {
  module: resolveThreadModule('research/evidence-pack'),
  name: 'buildEvidencePack',
  limits: TASK_LIMITS.research,
};

export function createResearchWorker(pool: TaskPool): ResearchWorker {
  return {
    passages: (page, { facets, from }, options) =>
      resolveOrNull(pool.run(PASSAGES_TASK, [page, facets, from], options), options),
    async related(reading, options) {
      return (await resolveOrNull(pool.run(RELATED_TASK, [reading], options), options)) ?? [];
    },
    async pack(passages, bounds, options) {
      const pack = await resolveOrNull(pool.run(PACK_TASK, [passages, bounds], options), options);
      if (pack !== null) return pack;
      throw new Failure('overloaded', 'The passages could not be compared in time; try again in a moment.');
    },
  };
}

/** Resolves to null for a task that fails or is aborted. */
async function resolveOrNull<Result>(task: Promise<Result>, { signal }: RunOptions): Promise<Result | null> {
  try {
    return await task;
  } catch (error) {
    if (error instanceof TaskFailed || signal?.aborted) return null;
    throw error;
  }
}
