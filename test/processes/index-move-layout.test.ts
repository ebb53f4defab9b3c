import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { LocalIndex } from '../../src/index/local-index-types.ts';
import { createClusterIndex } from '../../src/index/opensearch/cluster-index.ts';
import { type ClusterSettings, openCluster } from '../../src/index/opensearch/connect/cluster.ts';
import { sendBulk } from '../../src/index/opensearch/write/bulk.ts';
import { buildLifeDocument, buildPageDocument } from '../../src/index/opensearch/write/page-document.ts';
import { createLog } from '../../src/platform/log.ts';
import { NO_FILTERS } from '../../src/text/query/filters.ts';
import { readQuery } from '../../src/text/query/read-query.ts';
import { knownPages } from '../cluster/known-pages.ts';
import { clusterForTests } from '../fixtures/cluster-for-tests.ts';
import { runCli } from './run-cli.ts';

const testCluster = clusterForTests();
const log = createLog('silent');
const NUMBER_FIRST = 1_000;

describe('an index that the version before has filled', { skip: testCluster === null }, () => {
  const name = `test-layout-${randomUUID()}`;
  const folder = mkdtempSync(join(tmpdir(), 'index-move-'));
  const { pages, known } = knownPages(40);
  after(async () => {
    await testCluster?.remove(name);
    rmSync(folder, { recursive: true, force: true });
  });

  test('is refused by name, and moved into one of this layout', async () => {
    const settings = testCluster?.settings(name);
    assert.ok(settings !== undefined);
    await fillAsBefore(settings);
    await assert.rejects(
      within(settings, (index) => index.size()),
      ({ cause }: Error) => /has layout 2 .* sanderling index move/.test(String(cause)),
    );
    const { code, out, err } = await runCli(folder, ['index', 'move', settings.url, settings.url]);
    assert.equal(code, 0, err);
    assert.match(out, /^Moved: 40 pages on both sides, 0 of them/);
    await within(settings, async (index) => {
      for (const page of pages) assert.deepEqual(await index.get(page.url), page);
      for (const { word, url } of known.slice(0, 5)) {
        const [first] = await index.search({ ...NO_FILTERS, query: readQuery(word), limit: 3 });
        assert.equal(first?.url, url);
      }
      assert.deepEqual(await index.problems(), []);
    });
  });

  /** As layout 2 kept pages: in their source, beside what they are found by, which a move makes anew. */
  async function fillAsBefore(settings: ClusterSettings): Promise<void> {
    const cluster = openCluster(settings);
    for (const kind of ['pages', 'lives']) {
      const mapping = new URL(`../fixtures/cluster-layout-2/${kind}.json`, import.meta.url);
      const aliases = { [`${name}-${kind}`]: { is_write_index: true } };
      const body = { ...JSON.parse(readFileSync(mapping, 'utf8')), aliases };
      await cluster.request({ method: 'PUT', path: `/${name}-${kind}-1`, body, timeoutMs: 30_000 });
    }
    const operations = pages.flatMap((page, place) => {
      const document = buildPageDocument(page);
      const { id } = document;
      const life = buildLifeDocument(page, document, { earlier: null, at: 1, number: NUMBER_FIRST + place });
      return [
        { index: `${name}-lives`, id, put: life },
        { index: `${name}-pages`, id, put: { page, key: id, url: page.url, words: 'word|3' } },
      ];
    });
    await sendBulk(cluster, operations, { wait: true });
    await cluster.close();
  }

  async function within<Result>(
    settings: ClusterSettings,
    work: (index: LocalIndex) => Promise<Result>,
  ): Promise<Result> {
    const index = createClusterIndex({ settings, log });
    try {
      return await work(index);
    } finally {
      await index.close();
    }
  }
});
