import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Browser } from 'puppeteer-core';
import { Failure } from '../contract/errors.ts';
import { createLog } from '../platform/log.ts';
import type { BrowserPool } from './browser-pool.ts';
import { createRenderer } from './renderer.ts';

type Lease = Awaited<ReturnType<BrowserPool['lease']>>;

/** A renderer whose browser starts, and whose page opens, when the test says so. */
function rendererOf() {
  const starting = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const opening = Promise.withResolvers<void>();
  const log: string[] = [];
  const context = { newPage: () => new Promise(() => {}), close: async () => void log.push('page closed') };
  // Only what a renderer uses before a page is there.
  const browser = {
    connected: true,
    once() {},
    off() {},
    async createBrowserContext() {
      log.push('page opened');
      opening.resolve();
      return context;
    },
  } as unknown as Browser;
  const lease: Lease = { browser, release: (isSound) => void log.push(`given back ${isSound}`) };
  const proxy = {
    address: 'http://127.0.0.1:1',
    used: () => ({ requests: 0, refused: 0, refusedHosts: [], bytes: 0, isOver: false }),
    close: async () => void log.push('proxy closed'),
  };
  const renderer = createRenderer({
    pool: {
      async lease() {
        asked.resolve();
        await starting.promise;
        return lease;
      },
      state: () => ({ pages: 0, restarts: 0, memoryMb: 0 }),
    },
    proxies: { checkUrl: (url) => new URL(url), open: async () => proxy },
    log: createLog('silent'),
  });
  return { renderer, asked: asked.promise, start: starting.resolve, opened: opening.promise, log };
}

const ORDER = { url: 'https://example.org/', timeoutMs: 20_000 };
const isAborted = (error: unknown): boolean => error instanceof Failure && error.fetch?.reason === 'aborted';

describe('a page that is no longer wanted', () => {
  test('while its browser starts is not waited for, and never opened', async () => {
    const { renderer, asked, start, log } = rendererOf();
    const caller = new AbortController();
    const page = renderer.render(ORDER, caller.signal);
    await asked;
    caller.abort();
    await assert.rejects(page, isAborted);
    assert.deepEqual(renderer.state(), { pages: 0, restarts: 0, memoryMb: 0, running: 0, waiting: 0 });
    start();
    await new Promise(setImmediate);
    assert.deepEqual(log, ['given back true'], 'the browser is free for the next page');
  });

  test('while it is read is closed at once', async () => {
    const { renderer, start, opened, log } = rendererOf();
    const caller = new AbortController();
    const page = renderer.render(ORDER, caller.signal);
    start();
    await opened;
    await new Promise(setImmediate);
    caller.abort();
    await assert.rejects(page, isAborted);
    assert.deepEqual(log, ['page opened', 'page closed', 'proxy closed', 'given back true']);
  });

  test('before its turn takes none', async () => {
    const { renderer, log } = rendererOf();
    await assert.rejects(renderer.render(ORDER, AbortSignal.abort(new Failure('overloaded', 'left'))));
    assert.deepEqual(log, []);
  });
});

test('a browser that does not start in time is not waited for any longer', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { renderer, asked, start, log } = rendererOf();
  const page = renderer.render(ORDER, new AbortController().signal);
  await asked;
  t.mock.timers.tick(ORDER.timeoutMs);
  await assert.rejects(page, (error) => error instanceof Failure && error.fetch?.reason === 'timeout');
  start();
  await new Promise(setImmediate);
  assert.deepEqual(log, ['given back true']);
});
