import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createFetchFailure } from '../../src/contract/errors.ts';
import { buildPlainArticle } from '../../src/pages/formats/plain-article.ts';
import { type CachedPage, createPageCache, type PageCache } from '../../src/pages/page-cache.ts';
import {
  createSharedPages,
  createTieredPages,
  type SharedPages,
} from '../../src/pages/shared/shared-pages.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openStore, type Store } from '../../src/platform/store/open-store.ts';
import { openRedis } from '../../src/platform/store/shared/open-redis.ts';
import { createSealedValues } from '../../src/platform/store/shared/sealed-values.ts';
import type { SharedStore } from '../../src/platform/store/shared/shared-values.ts';
import { noRedis, openPatientStore, startTestRedis, type TestRedis } from '../fixtures/redis.ts';

const SECRET = 'the secret of an operator, long enough';
const QUIET = { info() {}, warn() {} };
const URL_A = 'https://a.example.org/page';
const URL_B = 'https://b.example.org/page';

const pageAt = (fetchedAt: number, markdown = 'text'): CachedPage => ({
  article: buildPlainArticle(URL_A, { kind: 'text', title: 'A page', markdown, rawChars: 100 }),
  etag: '"1"',
  lastModified: null,
  fetchedAt,
});

const redis = await startTestRedis();
after(() => redis?.close());

/** One process: its own copies, and those that it shares. */
type Process = { cache: PageCache; shared: SharedPages; store: SharedStore; close(): Promise<void> };

async function startProcess(url: string | null, secret: string | null = SECRET): Promise<Process> {
  const folder = mkdtempSync(join(tmpdir(), 'page-tiers-'));
  const own: Store = await openStore(folder);
  const cache = createPageCache({ store: own, clock: systemClock });
  const store = await (url === null
    ? openRedis('redis://127.0.0.1:1', { clock: systemClock, log: QUIET })
    : openPatientStore(url));
  const shared = createSharedPages(store, createSealedValues(secret));
  return {
    shared,
    store,
    cache: createTieredPages(cache, shared),
    async close() {
      await store.close();
      await own.destroy();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 6_000; tries += 1) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail('it never became so');
}

/** What every arrangement of tiers promises. */
function describeCopies(title: string, url: string | null, skip: string | false): void {
  describe(`copies of pages, ${title}`, { skip }, () => {
    let one: Process;
    before(async () => {
      one = await startProcess(url);
    });
    after(() => one.close());
    beforeEach(() => one.cache.remove(URL_A));

    test('are kept, replaced, confirmed and removed', async () => {
      assert.equal(await one.cache.get(URL_A), null);
      await one.cache.put(URL_A, pageAt(1_000));
      assert.deepEqual(await one.cache.get(URL_A), pageAt(1_000));
      await one.cache.put(URL_A, pageAt(2_000, 'other text'));
      assert.equal((await one.cache.get(URL_A))?.article.markdown, 'other text');
      await one.cache.confirm(URL_A, 3_000);
      assert.equal((await one.cache.get(URL_A))?.fetchedAt, 3_000);
      await one.cache.remove(URL_A);
      assert.equal(await one.cache.get(URL_A), null);
    });

    test('that are older than wanted are given if there is no younger one', async () => {
      await one.cache.put(URL_A, pageAt(1_000));
      assert.equal((await one.cache.get(URL_A, 5_000))?.fetchedAt, 1_000);
    });
  });
}

describeCopies('memory and SQLite, with no Redis to be reached', null, false);
describeCopies('memory, SQLite and Redis', redis?.url ?? null, redis === null ? noRedis : false);

describe('copies of two processes', { skip: redis === null ? noRedis : false }, () => {
  let here: Process;
  let there: Process;
  const server = (): TestRedis => redis ?? assert.fail('started');
  before(async () => {
    [here, there] = await Promise.all([startProcess(server().url), startProcess(server().url)]);
  });
  after(() => Promise.all([here.close(), there.close()]));
  beforeEach(() => server().command('FLUSHALL'));

  test('one finds what the other has read, and keeps it', async () => {
    await here.cache.put(URL_A, pageAt(Date.now()));
    assert.equal((await there.cache.get(URL_A))?.article.title, 'A page');
    await server().command('FLUSHALL');
    assert.equal((await there.cache.get(URL_A))?.article.title, 'A page', 'from its own store');
  });

  test('a copy that is too old here is replaced by a younger one from there', async () => {
    await there.cache.put(URL_A, pageAt(1_000));
    await here.cache.put(URL_A, pageAt(9_000, 'younger'));
    assert.equal((await there.cache.get(URL_A, 500))?.article.markdown, 'text', 'what it has will do');
    assert.equal((await there.cache.get(URL_A, 5_000))?.article.markdown, 'younger');
  });

  test('a page that one removes is removed everywhere', async () => {
    await here.cache.put(URL_A, pageAt(1_000));
    assert.notEqual(await there.cache.get(URL_A), null);
    await here.cache.remove(URL_A);
    await eventually(async () => (await there.cache.get(URL_A)) === null);
  });

  test('forgetting drops every shared copy that was written before, and none after', async () => {
    await here.shared.put(URL_A, pageAt(1_000));
    await here.shared.removeAll();
    assert.equal(await there.shared.get(URL_A), null);
    await new Promise((resolve) => setTimeout(resolve, 2));
    await here.shared.put(URL_A, pageAt(1_000));
    assert.notEqual(await there.shared.get(URL_A), null);
  });

  test('a page is fetched once, and the others get it', async () => {
    let fetched = 0;
    const load = ({ cache, shared }: Process): Promise<CachedPage> =>
      shared.once(URL_A, {
        signal: new AbortController().signal,
        timeoutMs: 5_000,
        look: () => cache.get(URL_A),
        async work(token) {
          fetched += 1;
          await new Promise((resolve) => setTimeout(resolve, 50));
          await cache.put(URL_A, pageAt(fetched), token);
          return pageAt(fetched);
        },
      });
    const loaded = await Promise.all([here, there, here, there].map(load));
    assert.equal(fetched, 1);
    for (const page of loaded) assert.equal(page.fetchedAt, 1);
  });

  test('a page that came to nothing is tried by all of the others at once', async () => {
    const { promise: allAtWork, resolve } = Promise.withResolvers<void>();
    let tries = 0;
    const load = ({ shared }: Process): Promise<string> =>
      shared.once(URL_A, {
        signal: new AbortController().signal,
        timeoutMs: 5_000,
        look: async () => null,
        async work() {
          tries += 1;
          if (tries === 1) {
            await new Promise((done) => setTimeout(done, 30));
            return 'private';
          }
          if (tries === 4) resolve();
          await allAtWork;
          return 'private';
        },
      });
    await Promise.all([here, there, here, there].map(load));
    assert.equal(tries, 4);
  });

  test('a holder that was paused past its lease cannot replace what came after it', async () => {
    const values = await server()
      .command('PING')
      .then(() => here.shared);
    const paused = Promise.withResolvers<void>();
    const first = values.once(URL_A, {
      signal: new AbortController().signal,
      timeoutMs: -4_900,
      look: async () => null,
      async work(token) {
        await paused.promise;
        await here.shared.put(URL_A, pageAt(1_000, 'from before the pause'), token);
      },
    });
    await new Promise((resolve) => setTimeout(resolve, 150));
    await there.shared.once(URL_A, {
      signal: new AbortController().signal,
      timeoutMs: 5_000,
      look: async () => null,
      work: (token) => there.shared.put(URL_A, pageAt(2_000, 'from the next holder'), token),
    });
    paused.resolve();
    await first;
    assert.equal((await there.shared.get(URL_A))?.article.markdown, 'from the next holder');
  });

  test('what was fetched before a page turned private does not come back, to its own process neither', async () => {
    const removed = Promise.withResolvers<void>();
    const first = here.shared.once(URL_A, {
      signal: new AbortController().signal,
      timeoutMs: 5_000,
      look: async () => null,
      async work(token) {
        await removed.promise;
        await here.cache.put(URL_A, pageAt(1_000, 'from before'), token);
      },
    });
    await eventually(async () => ((await server().command('KEYS', '*lease')) as string[]).length === 1);
    // Messages arrive in order: when the second page is gone, the removal of the first is known.
    await here.cache.put(URL_B, pageAt(1_000));
    for (const url of [URL_A, URL_B]) await there.cache.remove(url);
    await eventually(async () => (await here.cache.get(URL_B)) === null);
    removed.resolve();
    await first;
    assert.deepEqual([await there.cache.get(URL_A), await here.cache.get(URL_A)], [null, null]);
  });

  test('a copy that is removed while it is on its way is not kept', async (t) => {
    await there.cache.put(URL_A, pageAt(1_000));
    const folder = mkdtempSync(join(tmpdir(), 'page-tiers-'));
    const own = await openStore(folder);
    t.after(async () => {
      await own.destroy();
      rmSync(folder, { recursive: true, force: true });
    });
    let remove = async (_key: string): Promise<void> => {};
    const shared: SharedPages = {
      ...here.shared,
      async get(key) {
        const found = await here.shared.get(key);
        await there.shared.remove(key);
        await remove(key);
        return found;
      },
      onRemoved(drop) {
        remove = drop;
      },
    };
    const late = createTieredPages(createPageCache({ store: own, clock: systemClock }), shared);
    await late.get(URL_A);
    assert.equal(await late.get(URL_A), null);
  });

  test('that a page is gone is known elsewhere, to those who do not ask for news', async () => {
    await here.shared.putGone(
      URL_A,
      createFetchFailure('http_status', 'the page answered 404', { httpStatus: 404 }),
      5_000,
    );
    const known = await there.shared.gone(URL_A, 4_000);
    assert.deepEqual([known?.code, known?.fetch?.httpStatus], ['fetch_failed', 404]);
    assert.equal(await there.shared.gone(URL_A, 6_000), null);
  });

  test('nothing in the store tells a page or its address, and no other secret can read it', async () => {
    await here.cache.put(URL_A, pageAt(1_000, 'a sentence that is on the page '.repeat(50)));
    const keys = (await server().command('KEYS', '*')) as string[];
    assert.ok(keys.length > 0);
    assert.ok(keys.every((key) => !key.includes('example')));
    const key = keys.find((name) => name.endsWith('}')) ?? assert.fail(keys.join(' '));
    const stored = String(await server().command('GET', key));
    assert.ok(!stored.includes('sentence') && !stored.includes('example'));
    const stranger = await startProcess(server().url, 'a secret that was made up by somebody else');
    const unsealed = await startProcess(server().url, null);
    assert.deepEqual([await stranger.shared.get(URL_A), await unsealed.shared.get(URL_A)], [null, null]);
    await Promise.all([stranger.close(), unsealed.close()]);
  });

  for (const [what, garbage] of [
    ['empty', ''],
    ['short', 'x'],
    ['text', '9999999999999999{"article":null}'],
    ['bytes', Buffer.alloc(4_000, 0xff)],
  ] as const)
    test(`garbage (${what}) in the store is no page`, async () => {
      await here.shared.put(URL_A, pageAt(1_000));
      const keys = (await server().command('KEYS', '*}')) as string[];
      for (const key of keys) await server().command('SET', key, garbage);
      assert.equal(await there.shared.get(URL_A), null);
      for (const key of keys) {
        await server().command('DEL', key);
        await server().command('LPUSH', key, 'another type');
      }
      assert.equal(await there.shared.get(URL_A), null);
    });
});
