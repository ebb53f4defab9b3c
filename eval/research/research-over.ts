import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFetchFailure } from '../../src/contract/errors.ts';
import { createLocalIndex } from '../../src/index/local-index.ts';
import type { IndexedPage, LocalIndex } from '../../src/index/local-index-types.ts';
import type { OpenPage } from '../../src/pages/open-page-types.ts';
import { createBackground } from '../../src/platform/background.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { createTaskPool } from '../../src/platform/threads/task-pool.ts';
import { createLocalSource } from '../../src/recall/local-source.ts';
import { createRecallAll } from '../../src/recall/recall-all.ts';
import { createResearch, type Research } from '../../src/research/research.ts';
import { createResearchWorker } from '../../src/research/research-worker.ts';
import { createSearch, type Search } from '../../src/search/search.ts';
import { createSearchCache } from '../../src/search/search-cache.ts';

const BATCH = 100;

type ResearchOver = { research: Research; search: Search; close(): Promise<void> };

/** Research over a local index of the given pages, which are opened without a network. */
export async function researchOver(pages: readonly IndexedPage[]): Promise<ResearchOver> {
  const folder = mkdtempSync(join(tmpdir(), 'eval-research-'));
  const index = await createLocalIndex({ path: join(folder, 'index.db'), log: createLog('warn') });
  const pool = createTaskPool();
  for (let at = 0; at < pages.length; at += BATCH) await index.put(pages.slice(at, at + BATCH));
  const openPage = opener(pages);
  const search = searchOver(index, openPage);
  return {
    research: createResearch({ search, openPage, threads: createResearchWorker(pool) }),
    search,
    async close() {
      await pool.close();
      await index.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function opener(known: readonly IndexedPage[]): OpenPage {
  const byUrl = new Map(known.map((page) => [page.url, page]));
  return async (url) => {
    const page = byUrl.get(url);
    if (page === undefined) throw createFetchFailure('http_status', 'no such page', { httpStatus: 404 });
    const { title, markdown, language } = page;
    const article = {
      url,
      canonicalUrl: url,
      kind: 'html' as const,
      title,
      author: null,
      site: null,
      language,
      published: null,
      description: null,
      headings: [],
      markdown,
      links: [],
      robots: { index: true, follow: true },
      rawChars: markdown.length,
    };
    return { article, fetchedAt: 0, cache: 'miss', privacy: null };
  };
}

function searchOver(index: LocalIndex, openPage: OpenPage): Search {
  const recall = createRecallAll({
    local: createLocalSource(index),
    upstreams: [],
    background: createBackground(createLog('warn')),
  });
  const cache = createSearchCache({ sources: [], clock: systemClock });
  const prune = () => Promise.reject(new Error('nothing is pruned here'));
  return createSearch({
    recall,
    openPage,
    openHeld: openPage,
    openAsOf: openPage,
    prune,
    quote: prune,
    cache,
    clock: systemClock,
    reranker: null,
  });
}
