import { fetchFailed } from '../../contract/errors.ts';
import { POOL_LIMITS } from '../../platform/threads/pool-limits.ts';
import { createTaskPool, TaskFailed } from '../../platform/threads/task-pool.ts';
import type { parseSitemap, Sitemap } from './sitemap.ts';

/** `parseSitemap` in a worker thread; a file that takes too long or too much memory lists nothing. */
export type ReadSitemapFile = (bytes: Uint8Array, base: string, signal: AbortSignal) => Promise<Sitemap>;

export function createSitemapWorker(): { readSitemapFile: ReadSitemapFile; close(): Promise<void> } {
  const pool = createTaskPool<{ parseSitemap: typeof parseSitemap }>({
    modules: { parseSitemap: new URL('./sitemap.ts', import.meta.url) },
    limits: POOL_LIMITS.sitemap,
  });
  return {
    async readSitemapFile(bytes, base, signal) {
      try {
        return await pool.run('parseSitemap', [new Uint8Array(bytes), base], { signal });
      } catch (error) {
        if (signal.aborted) throw fetchFailed('aborted', 'the sitemap is no longer wanted', { cause: error });
        if (error instanceof TaskFailed) return { pages: [], sitemaps: [] };
        throw error;
      }
    },
    close: () => pool.close(),
  };
}
