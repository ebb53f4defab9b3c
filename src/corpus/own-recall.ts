import type { Recall } from '../retrieval/recall/recall.ts';
import type { OwnIndex } from './own-index-types.ts';

/** Our own index as one more source of recall. */
export function createOwnRecall(index: OwnIndex): Recall {
  return {
    name: 'index',
    async find({ query, limit, includeDomains, excludeDomains, publishedFrom, publishedTo }) {
      const found = await index.search({
        query,
        limit,
        includeDomains,
        excludeDomains,
        publishedFrom,
        publishedTo,
      });
      return found.map((page) => ({ ...page, source: 'index' }));
    },
    version: () => index.version(),
  };
}
