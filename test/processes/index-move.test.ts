import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createLocalIndex } from '../../src/index/local-index.ts';
import type { LocalIndex } from '../../src/index/local-index-types.ts';
import { createClusterIndex } from '../../src/index/opensearch/cluster-index.ts';
import { openNewVersion } from '../../src/index/opensearch/move/new-version.ts';
import { createLog } from '../../src/platform/log.ts';
import { NO_FILTERS } from '../../src/text/query/filters.ts';
import { readQuery } from '../../src/text/query/read-query.ts';
import { knownPages } from '../cluster/known-pages.ts';
import { clusterForTests } from '../fixtures/cluster-for-tests.ts';
import { runCli } from './run-cli.ts';

const cluster = clusterForTests();
const PAGES = 300;
const log = createLog('silent');

describe('sanderling index move', { skip: cluster === null }, () => {
  const name = `test-move-${randomUUID()}`;
  const folder = mkdtempSync(join(tmpdir(), 'index-move-'));
  const file = join(folder, 'index.db');
  const { pages, known } = knownPages(PAGES);
  const settings = cluster?.settings(name);
  const url = settings?.url ?? '';
  const stateFile = join(folder, 'index-move.json');

  before(async () => {
    const index = await createLocalIndex({ path: file, log });
    await index.put(pages);
    await index.close();
  });
  after(async () => {
    await cluster?.remove(name);
    rmSync(folder, { recursive: true, force: true });
  });

  const move = (...words: string[]) => runCli(folder, ['index', 'move', ...words]);

  async function withCluster<Result>(work: (index: LocalIndex) => Promise<Result>): Promise<Result> {
    assert.ok(settings !== undefined);
    const index = createClusterIndex({ settings, log });
    try {
      return await work(index);
    } finally {
      await index.close();
    }
  }

  const firstFor = async (index: LocalIndex, word: string): Promise<string | undefined> =>
    (await index.search({ ...NO_FILTERS, query: readQuery(word), limit: 3 }))[0]?.url;

  test('goes on where it was stopped, and brings over every page as it was', async () => {
    // Not a process that is killed at a lucky moment: what is on disk after any batch.
    await withCluster((index) => index.size());
    const stopped = { from: file, to: url, after: known.map((page) => page.url).toSorted()[99], copied: 100 };
    const versions = await versionOf();
    writeFileSync(stateFile, JSON.stringify({ ...stopped, version: versions }));
    const { code, out, err } = await move(file, url);
    assert.equal(code, 0, err);
    assert.match(out, new RegExp(`^Moved: ${PAGES} pages on both sides, 100 of them brought over again`));
    assert.equal(existsSync(stateFile), false);
    await withCluster(async (index) => {
      assert.equal((await index.size()).pages, PAGES);
      for (const page of pages.slice(0, 20)) assert.deepEqual(await index.get(page.url), page);
      for (const { word, url: wanted } of known.slice(0, 10))
        assert.equal(await firstFor(index, word), wanted);
      assert.deepEqual(await index.problems(), []);
    });
  });

  test('no search fails while a cluster moves into another version of itself', async () => {
    await withCluster(async (index) => {
      let isMoving = true;
      const moved = move(url, url).finally(() => {
        isMoving = false;
      });
      let searches = 0;
      for (; isMoving || searches < PAGES; searches += 1) {
        const page = known[searches % PAGES];
        assert.equal(await firstFor(index, page?.word ?? ''), page?.url);
      }
      const { code, out, err } = await moved;
      assert.equal(code, 0, err);
      assert.match(out, /The earlier version is left in/);
      assert.deepEqual(await index.problems(), []);
    });
  });

  test('back into a file', async () => {
    const copy = join(folder, 'copy.db');
    const { code, err } = await move(url, copy);
    assert.equal(code, 0, err);
    const index = await createLocalIndex({ path: copy, log });
    assert.equal((await index.size()).pages, PAGES);
    for (const page of pages.slice(0, 20)) assert.deepEqual(await index.get(page.url), page);
    await index.close();
  });

  test('two moves at once are refused', async () => {
    writeFileSync(
      stateFile,
      JSON.stringify({ from: 'elsewhere', to: url, after: null, copied: 0, version: null }),
    );
    const { code, err } = await move(file, url);
    assert.equal(code, 1);
    assert.match(err, /Another move is under way/);
  });

  /** The names of a version that a move has begun, with nothing in it. */
  async function versionOf() {
    assert.ok(settings !== undefined);
    const version = await openNewVersion(settings, { begun: null, log });
    await version.close();
    return version.names;
  }
});
