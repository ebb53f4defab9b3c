import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { createExtractWorker } from '../../src/pages/extract-worker.ts';
import { createOpenPage } from '../../src/pages/open-page.ts';
import type { OpenOptions } from '../../src/pages/open-page-types.ts';
import { createSharedPages } from '../../src/pages/shared/shared-pages.ts';
import { createBackground } from '../../src/platform/background.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { openStore } from '../../src/platform/store/open-store.ts';
import { openRedis } from '../../src/platform/store/shared/open-redis.ts';
import { createSealedValues } from '../../src/platform/store/shared/sealed-values.ts';
import { POOL_LIMITS } from '../../src/platform/threads/pool-limits.ts';
import { createTaskPool } from '../../src/platform/threads/task-pool.ts';
import { noRedis, openPatientStore, startTestRedis, type TestRedis } from '../fixtures/redis.ts';

const PAGE = 'https://e.org/page';
const HOUR_MS = 3_600_000;

const pool = createTaskPool({ ...POOL_LIMITS, threads: 1, pageThreads: 1 });
const extract = createExtractWorker(pool, systemClock);
const redis = await startTestRedis();
after(async () => {
  await redis?.close();
  await pool.close();
});

type Answer = { status?: number; text?: string; headers?: Record<string, string>; waitFor?: Promise<void> };
/** What the origin answers to each request, in turn; the last is said again. */
let script: Answer[] = [];
let asked: { headers: Record<string, string> }[] = [];
let now = systemClock.now();

async function startProcess(url: string, openShared = openPatientStore) {
  const folder = mkdtempSync(join(tmpdir(), 'shared-pages-'));
  const store = await openStore(folder);
  const log = createLog('silent');
  const shared = await openShared(url);
  const background = createBackground(log);
  const openPage = createOpenPage({
    store,
    extract,
    log,
    clock: { now: () => now },
    checkUrl: (address) => new URL(address),
    async fetch({ url: address, headers = {} }) {
      asked.push({ headers });
      const {
        waitFor,
        text = '# A page\n\nWith text.',
        status = 200,
        headers: sent = {},
      } = script[Math.min(asked.length, script.length) - 1] ?? {};
      await waitFor;
      const body = new Uint8Array(new TextEncoder().encode(text));
      return {
        url: address,
        status,
        redirects: [],
        body,
        headers: { 'content-type': 'text/markdown', ...sent },
      };
    },
    shared: { pages: createSharedPages(shared, createSealedValues(null)), background },
  });
  return {
    shared,
    drain: background.drain,
    open: (options: Partial<OpenOptions> = {}) =>
      openPage(PAGE, { signal: new AbortController().signal, ...options }),
    async close() {
      await background.drain();
      await shared.close();
      await store.destroy();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

describe('a page that two processes are asked for', { skip: redis === null ? noRedis : false }, () => {
  type Process = Awaited<ReturnType<typeof startProcess>>;
  let here: Process;
  let there: Process;
  const server = (): TestRedis => redis ?? assert.fail('started');
  const keys = async (): Promise<string[]> => (await server().command('KEYS', '*')) as string[];
  const holdsPages = async (): Promise<boolean> => (await keys()).some((key) => /page:\{[^}]*\}$/.test(key));
  before(() => {
    now = systemClock.now();
  });
  beforeEach(async () => {
    await server().command('FLUSHALL');
    [asked, script] = [[], []];
    [here, there] = await Promise.all([startProcess(server().url), startProcess(server().url)]);
  });
  afterEach(() => Promise.all([here.close(), there.close()]));

  test('is fetched once', async () => {
    assert.equal((await here.open()).cache, 'miss');
    assert.equal((await there.open()).cache, 'hit');
    assert.equal((await there.open({ copies: 'only' })).article.title, 'A page');
    assert.equal(asked.length, 1);
  });

  test('is fetched once when both are asked at the same moment', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    script = [{ waitFor: promise }];
    const opening = [here.open({ tenant: 'a' }), there.open({ tenant: 'b' }), there.open({ tenant: 'c' })];
    while (asked.length === 0) await new Promise((done) => setTimeout(done, 5));
    resolve();
    assert.deepEqual((await Promise.all(opening)).map(({ cache }) => cache).toSorted(), [
      'hit',
      'hit',
      'miss',
    ]);
    assert.equal(asked.length, 1);
  });

  test('is asked for again by a caller who wants it fresh', async () => {
    await here.open();
    assert.equal((await there.open({ freshMs: 0 })).cache, 'miss');
    assert.equal(asked.length, 2);
  });

  for (const [why, answer] of [
    ['no-store', { headers: { 'cache-control': 'no-store' } }],
    ['noindex', { headers: { 'x-robots-tag': 'noindex' } }],
  ] as const)
    test(`is never shared when it is private (${why})`, async () => {
      script = [answer];
      await here.open();
      assert.equal(await holdsPages(), false);
      await there.open();
      assert.equal(asked.length, 2);
    });

  test('is not shared by a caller of whom nothing is kept, nor with headers of a caller', async () => {
    await here.open({ keep: false });
    await here.open({ headers: { authorization: 'Basic secret' } });
    assert.equal(await holdsPages(), false);
  });

  test('leaves all copies when it turns private', async () => {
    script = [{}, { headers: { 'cache-control': 'private' } }];
    await here.open();
    await there.open();
    await here.open({ freshMs: 0 });
    assert.equal(await holdsPages(), false);
    for (let tries = 0; asked.length < 3 && tries < 100; tries += 1) {
      await there.open({ copies: 'only' }).catch(() => there.open());
      await new Promise((done) => setTimeout(done, 10));
    }
    assert.equal(asked.length, 3, 'the other process asks its origin again');
  });

  test('that is gone is not asked for again within half a minute, unless somebody wants news', async () => {
    script = [{ status: 404 }];
    await assert.rejects(here.open(), { code: 'fetch_failed' });
    await assert.rejects(there.open(), /404/);
    assert.equal(asked.length, 1);
    await assert.rejects(there.open({ freshMs: 0 }));
    assert.equal(asked.length, 2);
  });

  test('that is a little too old is served once more while one process revalidates it', async () => {
    script = [{ headers: { etag: '"1"' } }, { status: 304 }];
    await here.open();
    now += HOUR_MS + 1_000;
    const [first, second] = await Promise.all([here.open(), there.open()]);
    assert.deepEqual([first.cache, second.cache], ['stale', 'stale']);
    await Promise.all([here.drain(), there.drain()]);
    assert.deepEqual([asked.length, asked[1]?.headers['if-none-match']], [2, '"1"']);
    assert.equal((await there.open()).cache, 'hit');
    now += HOUR_MS + 301_000;
    await here.open();
    assert.equal(asked.length, 3, 'beyond five minutes the origin is waited for');
  });

  test('is not served late to a caller who says how fresh it must be', async () => {
    await here.open();
    now += HOUR_MS + 1_000;
    assert.equal((await here.open({ freshMs: HOUR_MS / 2 })).cache, 'miss');
  });

  test('is read although Redis stalls, dies or comes back, and nothing waits long', async (t) => {
    const callMs = 200;
    const log = createLog('silent');
    const hasty = await startProcess(server().url, (url) =>
      openRedis(url, { clock: systemClock, log, callMs }),
    );
    t.after(hasty.close);
    const ask = async (times: number): Promise<number> => {
      const began = performance.now();
      for (let nth = 0; nth < times; nth += 1)
        assert.equal((await hasty.open({ freshMs: 0 })).article.title, 'A page');
      return performance.now() - began;
    };
    await ask(1);
    server().stall();
    const stalledMs = await ask(20);
    // Five unanswered calls for each page would take 20 s.
    assert.ok(stalledMs < 20 * 5 * callMs, `20 pages took ${Math.round(stalledMs)} ms`);
    assert.equal(hasty.shared.isUp(), false);
    server().resume();
    await server().kill();
    await ask(20);
    await server().start();
    for (let tries = 0; !hasty.shared.isUp() && tries < 6_000; tries += 1) {
      await ask(1);
      await new Promise((done) => setTimeout(done, 10));
    }
    assert.equal(hasty.shared.isUp(), true, 'it is used again');
    await ask(1);
    assert.equal(await holdsPages(), true);
  });
});
