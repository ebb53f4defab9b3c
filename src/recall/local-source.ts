import type { LocalIndex } from '../index/local-index-types.ts';
import type { Recall } from './recall.ts';

/** The local index as one more source of recall. */
export function createLocalSource(index: LocalIndex): Recall {
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
