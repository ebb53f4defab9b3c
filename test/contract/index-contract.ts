import assert from 'node:assert/strict';
import { after, afterEach, before, describe } from 'node:test';
import type { IndexQuery, LocalIndex } from '../../src/index/local-index-types.ts';
import { readQuery } from '../../src/text/query/read-query.ts';
import { filteredResults } from './index-contract/filtered-results.ts';
import { foundWords } from './index-contract/found-words.ts';
import type { GivenIndex } from './index-contract/given-index.ts';
import { rankedResults } from './index-contract/ranked-results.ts';
import { storedPages } from './index-contract/stored-pages.ts';

/** What every engine of the local index promises. `open` opens an empty index. */
export function indexContract(name: string, open: () => Promise<LocalIndex>): void {
  describe(name, () => {
    let index: LocalIndex;
    before(async () => {
      index = await open();
    });
    after(() => index.close());
    // Starting the threads of an index takes longer than most tests: each leaves it as it was before.
    afterEach(async () => {
      assert.deepEqual(await index.problems(), []);
      await index.forget({ prefix: 'http' });
      assert.deepEqual(await index.size(), { pages: 0, hosts: 0 });
    });

    async function find(query: string, parts: Partial<IndexQuery> = {}): Promise<string[]> {
      const none = { includeDomains: [], excludeDomains: [], publishedFrom: null, publishedTo: null };
      return (await index.search({ ...none, limit: 10, query: readQuery(query), ...parts })).map(
        ({ url }) => url,
      );
    }
    const given: GivenIndex = {
      get index() {
        return index;
      },
      find,
    };
    storedPages(given);
    foundWords(given);
    rankedResults(given);
    filteredResults(given);
  });
}
