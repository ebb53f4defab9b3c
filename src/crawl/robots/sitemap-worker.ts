import { createFetchFailure } from '../../contract/errors.ts';
import { TASK_LIMITS } from '../../platform/threads/pool-limits.ts';
import { TaskFailed, type TaskPool, type ThreadTask } from '../../platform/threads/task-pool.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';
import type { parseSitemap, Sitemap } from './sitemap.ts';

/** Runs `parseSitemap` in a worker thread. A file that takes too long or too much memory lists nothing. */
export type ReadSitemapFile = (bytes: Uint8Array, base: string, signal: AbortSignal) => Promise<Sitemap>;

const SITEMAP_TASK: ThreadTask<typeof parseSitemap> = {
  module: resolveThreadModule('crawl/robots/sitemap'),
  name: 'parseSitemap',
  limits: TASK_LIMITS.sitemap,
};

export function createSitemapWorker(pool: TaskPool): ReadSitemapFile {
  return async (bytes, base, signal) => {
    try {
      return await pool.run(SITEMAP_TASK, [new Uint8Array(bytes), base], { signal });
    } catch (error) {
      if (signal.aborted)
        throw createFetchFailure('aborted', 'the sitemap is no longer wanted', { cause: error });
      if (error instanceof TaskFailed) return { pages: [], sitemaps: [] };
      throw error;
    }
  };
}
