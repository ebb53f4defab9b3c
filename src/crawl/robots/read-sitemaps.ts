import { createFetchFailure, Failure } from '../../contract/errors.ts';
import type { GuardedFetch } from '../../platform/net/fetch-types.ts';
import { TASK_LIMITS } from '../../platform/threads/pool-limits.ts';
import { TaskFailed, type TaskPool, type ThreadTask } from '../../platform/threads/task-pool.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';
import type { parseSitemap, Sitemap } from './sitemap.ts';

const SITEMAP_TASK: ThreadTask<typeof parseSitemap> = {
  module: resolveThreadModule('crawl/robots/sitemap'),
  name: 'parseSitemap',
  limits: TASK_LIMITS.sitemap,
};

/** Maximum sitemaps read for one site, and levels of index files; pages beyond them are found through links. */
const SITEMAPS_MAX = 50;
const SITEMAP_LEVELS_MAX = 3;
const SITEMAP_PACKED_BYTES_MAX = 20_971_520;
const SITEMAP_TIMEOUT_MS = 30_000;

type SitemapDeps = { fetch: GuardedFetch; readSitemapFile: ReadSitemapFile };

type SitemapRequest = {
  /** Addresses of sitemaps, feeds or lists. */
  sitemaps: string[];
  /** Stop once this many pages are listed. */
  pagesMax: number;
  signal: AbortSignal;
};

/** Pages in the order of the sitemaps, and their last modification times where stated. */
type ListedPages = { pages: string[]; modified: Map<string, number> };

/** Reads the pages that sitemaps and their index files list. A sitemap that cannot be read lists nothing. */
export async function readSitemaps(deps: SitemapDeps, request: SitemapRequest): Promise<ListedPages> {
  const pages = new Set<string>();
  const modified = new Map<string, number>();
  for await (const listed of streamSitemaps(deps, request)) {
    for (const page of listed.pages) pages.add(page);
    for (const [page, at] of listed.modified ?? []) modified.set(page, at);
    if (pages.size >= request.pagesMax) break;
  }
  return { pages: [...pages].slice(0, request.pagesMax), modified };
}

/** Yields the pages file by file, so that a caller that runs out of time can use those read so far; a page may occur more than once. */
export async function* streamSitemapPages(
  deps: SitemapDeps,
  request: Pick<SitemapRequest, 'sitemaps' | 'signal'>,
): AsyncGenerator<string[]> {
  for await (const { pages } of streamSitemaps(deps, request)) yield pages;
}

async function* streamSitemaps(
  deps: SitemapDeps,
  { sitemaps, signal }: Pick<SitemapRequest, 'sitemaps' | 'signal'>,
): AsyncGenerator<Sitemap> {
  const seen = new Set<string>();
  let level = sitemaps;
  for (let depth = 0; depth < SITEMAP_LEVELS_MAX && level.length > 0; depth += 1) {
    const deeper: string[] = [];
    for (const url of level) {
      if (seen.has(url) || seen.size >= SITEMAPS_MAX) continue;
      seen.add(url);
      const listed = await readSitemap(deps, url, signal);
      yield listed;
      deeper.push(...listed.sitemaps);
    }
    level = deeper;
  }
}

async function readSitemap(
  { fetch: guardedFetch, readSitemapFile }: SitemapDeps,
  url: string,
  signal: AbortSignal,
): Promise<Sitemap> {
  try {
    const bounds = { bytesMax: SITEMAP_PACKED_BYTES_MAX, timeoutMs: SITEMAP_TIMEOUT_MS };
    const response = await guardedFetch({ url, signal, ...bounds });
    if (response.status !== 200) return { pages: [], sitemaps: [] };
    return await readSitemapFile(response.body, response.url, signal);
  } catch (error) {
    if (error instanceof Failure && error.fetch?.reason !== 'aborted') return { pages: [], sitemaps: [] };
    throw error;
  }
}

/** Runs `parseSitemap` in a worker thread. A file that takes too long or too much memory lists nothing. */
export type ReadSitemapFile = (bytes: Uint8Array, base: string, signal: AbortSignal) => Promise<Sitemap>;

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
