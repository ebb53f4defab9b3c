import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, test } from 'node:test';
import { Failure } from '../../contract/errors.ts';
import { createLog } from '../../platform/log.ts';
import { openStore, type Store } from '../../platform/store/open-store.ts';
import { createPerformRun } from './perform-run.ts';
import { NO_COUNTS, type PerformRun, type RunOrder } from './run-types.ts';
import { createRuns } from './runs.ts';

const CRAWL: RunOrder = {
  kind: 'crawl',
  starts: ['https://example.org/'],
  pagesMax: 10,
  depthMax: null,
  withinPath: false,
  fresh: true,
  delayMs: null,
};
const folder = mkdtempSync(join(tmpdir(), 'runs-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Work that goes on until it is told to end, or the test lets it end. */
function heldWork() {
  const begun: { isResumed: boolean; end: PromiseWithResolvers<void> }[] = [];
  const perform: PerformRun = async (_, { signal, isResumed, onProgress }) => {
    const end = Promise.withResolvers<void>();
    begun.push({ isResumed, end });
    const counts = { ...NO_COUNTS, pages: begun.length };
    onProgress(counts);
    signal.addEventListener('abort', () => end.resolve());
    await end.promise;
    return { counts, note: 'all read' };
  };
  return { begun, perform };
}

describe('runs of the operator', () => {
  let store: Store;
  let place = 0;
  const clock = { at: 1_000, now: () => clock.at };
  const runsWith = (perform: PerformRun) => createRuns({ store, perform, clock, log: createLog('silent') });
  beforeEach(async () => {
    place += 1;
    store = await openStore(join(folder, String(place)));
  });

  test('one is at work, the others wait for it in the order in which they came', async () => {
    const { begun, perform } = heldWork();
    const runs = runsWith(perform);
    const first = await runs.start(CRAWL);
    clock.at += 1;
    const second = await runs.start(CRAWL);
    assert.deepEqual([first.state, second.state], ['running', 'waiting']);
    begun[0]?.end.resolve();
    await until(async () => (await runs.find(second.id))?.state === 'running');
    const ended = await runs.find(first.id);
    assert.deepEqual([ended?.state, ended?.note, ended?.counts.pages], ['done', 'all read', 1]);
    await runs.end();
    await store.destroy();
  });

  test('another process pauses, resumes and stops it; nobody takes it before its process has let go', async () => {
    const [one, two] = [heldWork(), heldWork()];
    const here = runsWith(one.perform);
    const there = runsWith(two.perform);
    const { id } = await here.start(CRAWL);
    assert.equal(await there.pause(id), true);
    assert.equal((await there.find(id))?.state, 'paused');
    assert.equal(await there.resume(id), true);
    assert.equal(two.begun.length, 0, 'it is still at work here');
    clock.at += 3_000;
    await here.tick();
    await until(async () => {
      await there.tick();
      return two.begun.length === 1;
    });
    assert.deepEqual(two.begun[0]?.isResumed, true);
    assert.equal(await here.stop(id), true);
    clock.at += 3_000;
    await there.tick();
    await until(
      async () => (await there.find(id))?.counts.pages === 1 && (await here.find(id))?.state === 'stopped',
    );
    await Promise.all([here.end(), there.end()]);
    await store.destroy();
  });

  test('a paused run lets the next one go on, and is resumed where it was', async () => {
    const { begun, perform } = heldWork();
    const runs = runsWith(perform);
    const { id } = await runs.start(CRAWL);
    assert.equal(await runs.pause(id), true);
    assert.equal((await runs.find(id))?.state, 'paused');
    assert.equal(await runs.pause(id), false);
    assert.equal(await runs.resume(id), true);
    assert.deepEqual(
      begun.map(({ isResumed }) => isResumed),
      [false, true],
    );
    assert.equal(await runs.stop(id), true);
    assert.equal((await runs.find(id))?.state, 'stopped');
    assert.equal(await runs.resume(id), false);
    await store.destroy();
  });

  test('a server that ends leaves its run to the next one; so does one that is killed, after a while', async () => {
    const { perform } = heldWork();
    const runs = runsWith(perform);
    const { id } = await runs.start(CRAWL);
    await runs.end();
    assert.equal((await runs.find(id))?.state, 'waiting');

    const killed = runsWith(heldWork().perform);
    await killed.tick();
    assert.equal((await killed.find(id))?.state, 'running');
    const next = heldWork();
    const heir = runsWith(next.perform);
    await heir.tick();
    assert.equal(next.begun.length, 0);
    clock.at += 60_000;
    await heir.tick();
    assert.deepEqual([next.begun.length, next.begun[0]?.isResumed], [1, true]);
    await heir.end();
    await killed.end();
    await store.destroy();
  });

  test('work that fails says why, and too many that wait are refused', async () => {
    const failing = runsWith(async () => {
      throw new Failure('url_not_allowed', 'this address may not be read');
    });
    const { id } = await failing.start(CRAWL);
    await until(async () => (await failing.find(id))?.state === 'failed');
    assert.equal((await failing.find(id))?.note, 'this address may not be read');

    const runs = runsWith(heldWork().perform);
    for (let started = 0; started < 21; started++) await runs.start(CRAWL);
    await assert.rejects(runs.start(CRAWL), /20 crawls and imports wait already/);
    await runs.end();
    await store.destroy();
  });
});

test('imports come from their folder only, through links too', async () => {
  const importFolder = join(folder, 'import');
  mkdirSync(importFolder);
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  writeFileSync(join(importFolder, 'page.txt'), 'text');
  symlinkSync(join(folder, 'secret.txt'), join(importFolder, 'link.txt'));
  const imported: string[] = [];
  const perform = createPerformRun({
    importFolder,
    crawl: () => assert.fail('not a crawl'),
    refresh: () => assert.fail('not a refresh'),
    async importPages({ path }) {
      imported.push(path);
      return { pages: 1, failed: 0, copies: 0, filtered: 0, problems: [], ended: 'complete' };
    },
  });
  const how = { signal: new AbortController().signal, isResumed: false, onProgress() {} };
  const run = (name: string) => perform({ kind: 'import', name, baseUrl: null }, how);
  assert.equal((await run('page.txt')).counts.pages, 1);
  for (const name of ['../secret.txt', 'link.txt', '/etc/passwd', '..', '.', 'none.txt', ''])
    await assert.rejects(run(name), Failure, name);
  assert.equal(imported.length, 1);
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 1_000; turn++) {
    if (await holds()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.fail('it never came to hold');
}
