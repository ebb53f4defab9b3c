import { resolve } from 'node:path';
import { Failure } from '../contract/errors.ts';
import type { createImportPages, ImportPages } from '../crawl/import/import-pages.ts';
import { createRobotsOfHosts } from '../crawl/robots/host-robots.ts';
import { isAllowed } from '../crawl/robots/robots.ts';
import { toArticle } from '../index/indexed-page.ts';
import type { LocalIndex } from '../index/local-index-types.ts';
import {
  type Alternates,
  createAlternates,
  createReadAlternate,
} from '../pages/alternates/read-alternates.ts';
import { createOpenPage } from '../pages/open-page.ts';
import type { OpenPage } from '../pages/open-page-types.ts';
import { createRenderClient, type RenderClient } from '../pages/rendering/render-client.ts';
import type { Clock } from '../platform/clock.ts';
import { createLazyLoader } from '../platform/lazy.ts';
import type { Log } from '../platform/log.ts';
import type { CheckUrl, GuardedFetch } from '../platform/net/fetch-types.ts';
import type { TaskPool } from '../platform/threads/task-pool.ts';
import { type Tracing, traceCall } from '../platform/tracing/open-tracing.ts';
import type { Research } from '../research/research.ts';
import type { Search } from '../search/search.ts';
import type { Config } from './config.ts';
import type { Teardown } from './teardown.ts';

type PageParts = Pick<
  Parameters<typeof createOpenPage>[0],
  'fetch' | 'checkUrl' | 'store' | 'extract' | 'clock' | 'log' | 'forgettings' | 'shared'
> & { tracing: Tracing | null; index: LocalIndex; pool: TaskPool };

/** Composes the opening of pages: from the page cache, their origin, alternates, the browser, or the index. */
export function composeOpenPage(
  config: Config,
  teardown: Teardown,
  { tracing, index, pool, ...parts }: PageParts,
): OpenPage {
  const openPage = createOpenPage({
    ...parts,
    fallback: createIndexFallback(index),
    alternates: composeAlternates(parts, pool),
    rendering: openRendering(config, teardown),
    cacheBytesMax: config.cacheBytesMax,
  });
  return traceCall(tracing, 'open page', openPage);
}

type AlternateParts = { fetch: GuardedFetch; checkUrl: CheckUrl; clock: Clock; log: Log };

/** Composes the alternates of pages. No caller asked for their addresses, so robots.txt decides about each. */
function composeAlternates(parts: AlternateParts, pool: TaskPool): Alternates {
  const robotsOf = createRobotsOfHosts(parts);
  return createAlternates({
    ...parts,
    readWay: createReadAlternate(pool, parts.clock),
    async mayFetch(url, signal) {
      const robots = await robotsOf(url, signal);
      return robots.reached && isAllowed(robots.rules, url);
    },
  });
}

/** Creates the fallback for when the origin of a page fails: its copy in the index, unless only searches by library may find it. */
function createIndexFallback(index: LocalIndex) {
  return async (url: string): Promise<ReturnType<typeof toArticle> | null> => {
    const page = await index.get(url);
    return page === null || page.library?.isPrivate === true ? null : toArticle(page);
  };
}

/** Creates an `OpenPage` of the pages that a search by library has found in the index. It makes no request. */
export function createHeldOpener(index: Pick<LocalIndex, 'get'>): OpenPage {
  return async (url) => {
    const page = await index.get(url);
    if (page === null) throw new Failure('fetch_failed', 'The page has left the index.');
    const isPrivate = page.library?.isPrivate === true;
    return {
      ...toArticle(page),
      cache: 'hit',
      privacy: isPrivate ? { reason: 'private', addresses: [] } : null,
    };
  };
}

/** Opens the client of the rendering process; null if the operator runs none. */
function openRendering({ rendering, dnsServers }: Config, teardown: Teardown): RenderClient | null {
  if (rendering === null) return null;
  const client = createRenderClient({ ...rendering, dnsServers });
  teardown.add(() => client.close());
  return client;
}

type ImportParts = Omit<Parameters<typeof createImportPages>[0], 'openCollection' | 'folder'> & {
  fetch: GuardedFetch;
};

/** Composes imports, whose state besides the store is in a folder of the data folder. The first import loads the readers of all formats. */
export function composeImport({ fetch, ...parts }: ImportParts, { dataDir }: Config): ImportPages {
  const folder = resolve(dataDir, 'import-state');
  const importPages = createLazyLoader(async () => {
    const { createImportPages } = await import('../crawl/import/import-pages.ts');
    const { createOpenCollection } = await import('../crawl/import/collections/open-collection.ts');
    return createImportPages({ ...parts, folder, openCollection: createOpenCollection({ fetch }) });
  });
  return async (request) => (await importPages())(request);
}

/** Composes research, which is loaded by the first call. */
export function composeResearch(parts: { search: Search; openPage: OpenPage }, pool: TaskPool): Research {
  const research = createLazyLoader(async () => {
    const { createResearch } = await import('../research/research.ts');
    const { createResearchWorker } = await import('../research/research-worker.ts');
    return createResearch({ ...parts, threads: createResearchWorker(pool) });
  });
  return async (request) => (await research())(request);
}
