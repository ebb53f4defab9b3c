import { AsyncLocalStorage } from 'node:async_hooks';
import type { Article } from '../pages/article.ts';
import type { OpenPage } from '../pages/open-page-types.ts';

/** A page as work has read it; `url` as it was asked for, `at` when it was fetched. */
export type PageRead = { url: string; article: Article; at: number };

/**
 * Tells which pages a piece of work reads, however deep in it they are opened. The work is followed by its asynchronous context, so that no
 * operation on the way needs to know of it.
 */
export type CollectReads = {
  collect<Result>(work: () => Promise<Result>): Promise<{ result: Result; reads: PageRead[] }>;
  /** Whether the current work is followed: an answer from a cache would hide what was read for it. */
  isCollecting(): boolean;
  /** Wraps an `OpenPage` so that what it opens is collected. */
  noting(openPage: OpenPage): OpenPage;
};

export function createCollectReads(): CollectReads {
  const current = new AsyncLocalStorage<PageRead[]>();
  return {
    async collect(work) {
      const reads: PageRead[] = [];
      return { result: await current.run(reads, work), reads };
    },
    isCollecting: () => current.getStore() !== undefined,
    noting: (openPage) => async (url, options) => {
      const page = await openPage(url, options);
      current.getStore()?.push({ url, article: page.article, at: page.fetchedAt });
      return page;
    },
  };
}
