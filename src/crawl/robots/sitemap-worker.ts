import { fetchFailed } from '../../contract/errors.ts';
import { createWorkerPool, TaskCrashed, TaskTimedOut } from '../../platform/threads/task-pool.ts';
import type { Sitemap } from './sitemap.ts';
import type { SitemapTask } from './sitemap-task.ts';

/** As `parseSitemap`, off the event loop; a file that takes too long or too much memory lists nothing. */
export type ReadSitemapFile = (bytes: Uint8Array, base: string, signal: AbortSignal) => Promise<Sitemap>;

const WAITING_MAX = 100;
const TASK_MS = 10_000;
const CPU_MS = 2_000;
const HEAP_MEGABYTES_MAX = 256;

/** One thread, started with the first sitemap. */
export function createSitemapOffThread(): { readSitemapFile: ReadSitemapFile; close(): Promise<void> } {
  const pool = createWorkerPool<SitemapTask, Sitemap>({
    module: new URL('./sitemap-task.ts', import.meta.url),
    name: 'sitemapTask',
    threads: 1,
    waitingMax: WAITING_MAX,
    taskMs: TASK_MS,
    cpuMs: CPU_MS,
    heapMegabytesMax: HEAP_MEGABYTES_MAX,
  });
  return {
    async readSitemapFile(bytes, base, signal) {
      try {
        return await pool.run({ bytes: new Uint8Array(bytes), base }, { signal });
      } catch (error) {
        if (signal.aborted) throw fetchFailed('aborted', 'the sitemap is no longer wanted', { cause: error });
        if (error instanceof TaskTimedOut || error instanceof TaskCrashed) return { pages: [], sitemaps: [] };
        throw error;
      }
    },
    close: () => pool.close(),
  };
}
