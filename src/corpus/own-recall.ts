import type { Recall } from '../retrieval/recall/recall.ts';
import type { OwnIndex } from './own-index-types.ts';

/** Our own index as one more source of recall. */
export function createOwnRecall(index: OwnIndex): Recall {
  return {
    name: 'index',
    async find({ signal: _, ...query }) {
      const found = await index.search(query);
      return found.map((page) => ({ ...page, source: 'index' }));
    },
    version: () => index.version(),
    isEmpty: async () => (await index.size()).pages === 0,
  };
}
