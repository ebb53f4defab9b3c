import { availableParallelism } from 'node:os';
import type { Thread } from '../../platform/threads/thread.ts';
import type { IndexedPage } from '../local-index-types.ts';
import type { PreparedPage, PreparerCalls } from './prepare-page.ts';

/** Threads that prepare the pages of an import, so that the writer only writes. */
export type Preparers = {
  /** Prepares pages, in their order; null if they are so few that the writer prepares them itself. */
  prepare(pages: IndexedPage[]): Promise<PreparedPage[] | null>;
  close(): Promise<void>;
};

/** Fewer pages are not worth two messages between threads. */
const PAGES_MIN = 16;

/** Creates as many threads as there are cores, each started by its first pages. `open` creates one. */
export function createPreparers(open: () => Thread<PreparerCalls>): Preparers {
  const threads = Array.from({ length: availableParallelism() }, open);
  return {
    async prepare(pages) {
      if (pages.length < PAGES_MIN) return null;
      const share = Math.ceil(pages.length / threads.length);
      const prepared = await Promise.all(
        threads.map((thread, at) => {
          const own = pages.slice(at * share, (at + 1) * share);
          return own.length === 0 ? [] : thread.call('prepare', own);
        }),
      );
      return prepared.flat();
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}
