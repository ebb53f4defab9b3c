import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { createClusterIndex } from '../../src/index/opensearch/cluster-index.ts';
import { createLog } from '../../src/platform/log.ts';
import { NO_FILTERS } from '../../src/text/query/filters.ts';
import { readQuery } from '../../src/text/query/read-query.ts';
import { clusterForTests } from '../fixtures/cluster-for-tests.ts';
import { hostContract } from './host-contract.ts';
import { indexContract } from './index-contract.ts';

const cluster = clusterForTests();
if (cluster !== null) {
  after(cluster.removeAll);
  indexContract('the index behind OpenSearch', () => cluster.open());
  hostContract('hosts of the index behind OpenSearch', () => cluster.open());

  test('many pages at once are found when they are written, however rarely the cluster looks', async (t) => {
    const name = `many-${randomUUID()}`;
    const settings = { ...cluster.settings(name), refreshMs: 3_600_000 };
    const index = createClusterIndex({ settings, log: createLog('silent') });
    t.after(async () => {
      await index.close();
      await cluster.remove(name);
    });
    const before = await index.version();
    await index.put(
      Array.from({ length: 300 }, (_, number) => ({
        url: `https://docs.example/${number}`,
        title: `Page ${number}`,
        headings: [],
        site: null,
        markdown: `Turnstones turn stone${number}.`,
        publishedDay: null,
        language: 'en',
        author: null,
        rawChars: 30,
        fetchedAt: 1,
      })),
    );
    for (const number of [0, 150, 299]) {
      const query = readQuery(`stone${number}`);
      const [found] = await index.search({ ...NO_FILTERS, query, limit: 1 });
      assert.equal(found?.url, `https://docs.example/${number}`);
    }
    assert.notEqual(await index.version(), before, 'kept answers are known to be old');
  });
}
