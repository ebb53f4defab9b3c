import type { PageCache } from '../page-cache.ts';
import type { SharedPages } from './shared-pages.ts';

/**
 * The process's own copies in front of those that processes share. A copy from there is kept here as well, so it is fetched over the
 * network once, and outlives the shared store.
 */
export function createTieredPages(own: PageCache, shared: SharedPages): PageCache {
  shared.onRemoved((key) => own.remove(key));
  return {
    async get(url, since = Number.NEGATIVE_INFINITY) {
      const copy = await own.get(url);
      if (copy !== null && copy.fetchedAt > since) return copy;
      const found = await shared.get(url);
      if (found === null || (copy !== null && copy.fetchedAt >= found.fetchedAt)) return copy;
      await own.put(url, found);
      return found;
    },
    async put(url, page, token) {
      await Promise.all([own.put(url, page), shared.put(url, page, token)]);
    },
    async confirm(url, fetchedAt, token) {
      await own.confirm(url, fetchedAt);
      const page = await own.get(url);
      if (page !== null) await shared.put(url, page, token);
    },
    async remove(url) {
      await Promise.all([own.remove(url), shared.remove(url)]);
    },
    release: own.release,
  };
}
