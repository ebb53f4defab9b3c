import { Failure } from '../contract/errors.ts';
import type { Tenant } from '../platform/sharing/fair-shares.ts';
import { POOL_LIMITS } from '../platform/threads/pool-limits.ts';
import { createTaskPool, type RunOptions, TaskFailed } from '../platform/threads/task-pool.ts';
import type { pagePassages } from './evidence/page-passages.ts';
import type { relatedFacets } from './evidence/related-facets.ts';
import type { Facet, Passage, ResearchPage } from './evidence/research-types.ts';
import type { EvidencePack, evidencePack } from './evidence-pack.ts';

type ForCaller = { signal: AbortSignal; tenant?: Tenant };

/** The heavy steps of research, off the event loop. Each throws `Failure('overloaded')` when too many wait. */
export type ResearchWorker = {
  /** The passages for the facets from place `from` on; null for a page that cannot be read in time. */
  passages(
    page: ResearchPage,
    asked: { facets: Facet[]; from: number },
    options: ForCaller,
  ): Promise<Passage[] | null>;
  /** Empty if none can be found in time. */
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

type ResearchTasks = {
  pagePassages: typeof pagePassages;
  relatedFacets: typeof relatedFacets;
  evidencePack: typeof evidencePack;
};

export function createResearchWorker(): ResearchWorker {
  const pool = createTaskPool<ResearchTasks>({
    modules: {
      pagePassages: new URL('./evidence/page-passages.ts', import.meta.url),
      relatedFacets: new URL('./evidence/related-facets.ts', import.meta.url),
      evidencePack: new URL('./evidence-pack.ts', import.meta.url),
    },
    limits: POOL_LIMITS.research,
  });
  return {
    passages: (page, { facets, from }, options) =>
      orNull(pool.run('pagePassages', [page, facets, from], options), options),
    async related(reading, options) {
      return (await orNull(pool.run('relatedFacets', [reading], options), options)) ?? [];
    },
    async pack(passages, bounds, options) {
      const pack = await orNull(pool.run('evidencePack', [passages, bounds], options), options);
      if (pack !== null) return pack;
      throw new Failure('overloaded', 'The passages could not be compared in time; try again in a moment.');
    },
    close: () => pool.close(),
  };
}

/** Null for a task that fails or is aborted. */
async function orNull<Result>(task: Promise<Result>, { signal }: RunOptions): Promise<Result | null> {
  try {
    return await task;
  } catch (error) {
    if (error instanceof TaskFailed || signal?.aborted) return null;
    throw error;
  }
}
