import type { PageCache } from '../page-cache.ts';
import type { SharedPages } from './shared-pages.ts';

/**
 * The cache of this process in front of the one that processes share. A copy from the shared cache is also stored locally, so it is
 * fetched over the network once and outlives the shared store.
 */
export function createTieredPages(own: PageCache, shared: SharedPages): PageCache {
  /** Counts removals: a copy read from the shared store while a page was removed may be a copy of that page. */
  let removals = 0;
  const removeOwn = (url: string): Promise<void> => {
    removals += 1;
    return own.remove(url);
  };
  shared.onRemoved(removeOwn);
  return {
    async get(url, since = Number.NEGATIVE_INFINITY) {
      const copy = await own.get(url);
      if (copy !== null && copy.fetchedAt > since) return copy;
      const before = removals;
      const found = await shared.get(url);
      if (found === null || (copy !== null && copy.fetchedAt >= found.fetchedAt)) return copy;
      if (removals !== before) return shared.get(url);
      await own.put(url, found);
      return found;
    },
    async put(url, page, token) {
      if (token === undefined) await Promise.all([own.put(url, page), shared.put(url, page)]);
      // A loader that has lost its lease may hold a page that has become private meanwhile.
      else if (await shared.put(url, page, token)) await own.put(url, page);
    },
    async confirm(url, fetchedAt, token) {
      await own.confirm(url, fetchedAt);
      const page = await own.get(url);
      if (page !== null) await shared.put(url, page, token);
    },
    async remove(url) {
      await Promise.all([removeOwn(url), shared.remove(url)]);
    },
    release: own.release,
  };
}
