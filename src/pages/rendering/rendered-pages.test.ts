import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { createFetchFailure, Failure } from '../../contract/errors.ts';
import { PAGE_TIMEOUT_MS } from '../../contract/limits.ts';
import { steadyClock, systemClock } from '../../platform/clock.ts';
import { createLog } from '../../platform/log.ts';
import { openStore } from '../../platform/store/open-store.ts';
import { POOL_LIMITS } from '../../platform/threads/pool-limits.ts';
import { createTaskPool } from '../../platform/threads/task-pool.ts';
import { createExtractWorker } from '../extract-worker.ts';
import { createOpenPage } from '../open-page.ts';
import type { OpenOptions } from '../open-page-types.ts';
import type { RenderedPage, RenderOrder } from './render-wire.ts';

const HOUR_MS = 3_600_000;
const TEXT = `<h1>A title</h1><p>${'Words that only a script writes. '.repeat(20)}</p>`;
const SHELL =
  '<html><head><title>App</title></head><body><div id="app"></div><script src="/app.js"></script></body></html>';
const BOT_CHECK =
  '<html><head><title>Just a moment...</title></head><body><script>window._cf_chl_opt={}</script></body></html>';
const ARTICLE = `<html><head><title>Plain</title></head><body><article>${TEXT.replaceAll('script', 'server')}</article></body></html>`;

const pool = createTaskPool({ ...POOL_LIMITS, threads: 1, pageThreads: 1 });
const extract = createExtractWorker(pool, systemClock);
after(() => pool.close());

type Site = {
  plain?: (url: string) => string;
  headers?: Record<string, string>;
  rendered?: (order: RenderOrder) => Partial<RenderedPage> | Failure;
};

async function open(t: TestContext, { plain = () => SHELL, headers = {}, rendered }: Site) {
  const folder = mkdtempSync(join(tmpdir(), 'rendered-pages-'));
  const store = await openStore(folder);
  t.after(async () => {
    await store.destroy();
    rmSync(folder, { recursive: true });
  });
  const clock = { at: 1_700_000_000_000, now: (): number => clock.at };
  t.mock.method(steadyClock, 'now', () => clock.at);
  const fetched: string[] = [];
  const orders: RenderOrder[] = [];
  const openPage = createOpenPage({
    store,
    extract,
    clock,
    log: createLog('silent'),
    checkUrl: (url) => new URL(url),
    fetch: async ({ url }) => {
      fetched.push(url);
      const body = new Uint8Array(new TextEncoder().encode(plain(url)));
      return { url, status: 200, headers: { 'content-type': 'text/html', ...headers }, redirects: [], body };
    },
    rendering:
      rendered === undefined
        ? null
        : {
            async render(order) {
              orders.push(order);
              const page = rendered(order);
              if (page instanceof Failure) throw page;
              const html = `<html><body>${TEXT}</body></html>`;
              const found = {
                url: order.url,
                status: 200,
                headers: {},
                redirects: [],
                html,
                screenshot: null,
              };
              return { ...found, ...page };
            },
          },
  });
  const read = (url: string, options: Partial<OpenOptions> = {}) =>
    openPage(url, { signal: new AbortController().signal, ...options });
  return { read, clock, fetched, orders };
}

const URL_ = 'https://e.org/page';

describe('a page that is an empty shell', () => {
  test('is rendered, kept, and says so', async (t) => {
    const { read, orders } = await open(t, { rendered: () => ({}) });
    const page = await read(URL_);
    assert.match(page.article.markdown, /Words that only a script writes/);
    assert.equal(page.article.readRoute, 'browser');
    assert.equal(page.cache, 'miss');
    const kept = await read(URL_);
    assert.deepEqual([kept.cache, kept.article.readRoute, orders.length], ['hit', 'browser', 1]);
  });

  test('fails as ever where there is no browser', async (t) => {
    const { read } = await open(t, {});
    await assert.rejects(read(URL_), { code: 'fetch_failed', message: 'the page has no text' });
  });

  test('fails as ever where the browser cannot be reached', async (t) => {
    const { read } = await open(t, { rendered: () => new Failure('overloaded', 'no browser') });
    await assert.rejects(read(URL_), { code: 'fetch_failed', message: 'the page has no text' });
  });

  test('fails as it does in the browser, if it fails there', async (t) => {
    const { read } = await open(t, { rendered: () => createFetchFailure('timeout', 'not in time') });
    await assert.rejects(read(URL_), { message: 'not in time' });
  });

  test('is not rendered once there is hardly time left for it', async (t) => {
    const slow = (): string => {
      site.clock.at += PAGE_TIMEOUT_MS - 1_000;
      return SHELL;
    };
    const site = await open(t, { plain: slow, rendered: () => ({}) });
    await assert.rejects(site.read(URL_), { code: 'fetch_failed', message: 'the page has no text' });
    assert.equal(site.orders.length, 0);
  });

  test('that turns out to be a bot check is reported as one', async (t) => {
    const { read } = await open(t, { rendered: () => ({ html: BOT_CHECK }) });
    await assert.rejects(read(URL_), { message: /bot check/ });
  });

  test('is not rendered if the caller wants it plain, or if its address grants access', async (t) => {
    const { read, orders } = await open(t, { rendered: () => ({}) });
    await assert.rejects(read(URL_, { engine: 'plain' }), { code: 'fetch_failed' });
    await assert.rejects(read(`${URL_}?access_token=0123456789abcdef0123456789`), { code: 'fetch_failed' });
    await assert.rejects(read(URL_, { headers: { cookie: 'a=b' } }), { code: 'fetch_failed' });
    assert.equal(orders.length, 0);
  });

  test('that may not be shared is private after its scripts too', async (t) => {
    const { read } = await open(t, { rendered: () => ({ headers: { 'cache-control': 'no-store' } }) });
    assert.deepEqual((await read(URL_)).privacy?.reason, 'no_store');
  });
});

describe('a page that needs no browser', () => {
  test('an article is not rendered', async (t) => {
    const { read, orders } = await open(t, { plain: () => ARTICLE, rendered: () => ({}) });
    assert.equal((await read(URL_)).article.readRoute, 'html');
    assert.equal(orders.length, 0);
  });

  test('a bot check is not rendered', async (t) => {
    const { read, orders } = await open(t, { plain: () => BOT_CHECK, rendered: () => ({}) });
    await assert.rejects(read(URL_), { message: /bot check/ });
    assert.equal(orders.length, 0);
  });

  test('a short page with a script stays as it is where the browser shows no more', async (t) => {
    const short = '<html><body><p>It works here.</p><script src="/a.js"></script></body></html>';
    const { read } = await open(t, { plain: () => short, rendered: () => ({ html: short }) });
    assert.equal((await read(URL_)).article.readRoute, 'html');
  });
});

describe('the engine that a caller wants', () => {
  test('has the page rendered, whatever copy is kept; and read plainly, whatever copy is kept', async (t) => {
    const { read, orders, fetched } = await open(t, { plain: () => ARTICLE, rendered: () => ({}) });
    assert.equal((await read(URL_)).article.readRoute, 'html');
    assert.equal((await read(URL_, { engine: 'browser' })).article.readRoute, 'browser');
    assert.equal((await read(URL_, { engine: 'browser' })).cache, 'hit');
    assert.equal((await read(URL_, { engine: 'plain' })).article.readRoute, 'html');
    assert.deepEqual([orders.length, fetched.length], [1, 2]);
  });

  test('gives the browser no more time than is left', async (t) => {
    const { read, orders } = await open(t, { plain: () => ARTICLE, rendered: () => ({}) });
    await read(URL_, { engine: 'browser', timeoutMs: 1_000 });
    assert.equal(orders[0]?.timeoutMs, 1_000);
    await assert.rejects(read(`${URL_}/2`, { engine: 'browser', timeoutMs: 0 }), {
      code: 'fetch_failed',
      message: 'The page took too long.',
    });
    assert.equal(orders.length, 1);
  });

  test('is refused where there is no browser, and says what the operator can do', async (t) => {
    const { read } = await open(t, { plain: () => ARTICLE });
    await assert.rejects(read(URL_, { engine: 'browser' }), {
      code: 'validation_error',
      message: /RENDER_URL/,
    });
  });

  test("takes no headers of the caller's", async (t) => {
    const { read, orders } = await open(t, { rendered: () => ({}) });
    await assert.rejects(read(URL_, { engine: 'browser', headers: { cookie: 'a=b' } }), {
      code: 'validation_error',
    });
    assert.equal(orders.length, 0);
  });

  test('takes a picture, and waits, within bounds', async (t) => {
    const { read, orders } = await open(t, { rendered: () => ({ screenshot: 'cG5n' }) });
    const page = await read(URL_, {
      engine: 'browser',
      waiting: { ms: 60_000, selector: '#ready' },
      extras: { selection: null, screenshot: 'page' },
    });
    assert.equal(page.extras?.screenshot, 'cG5n');
    const [order] = orders;
    assert.deepEqual([order?.waitMs, order?.waitForSelector, order?.screenshot], [10_000, '#ready', 'page']);
  });
});

describe('a host whose pages need a browser', () => {
  test('is remembered, and checked again now and then', async (t) => {
    const { read, clock, fetched, orders } = await open(t, { rendered: () => ({}) });
    await read(URL_);
    assert.deepEqual([fetched.length, orders.length], [1, 1]);
    for (let count = 1; count < 20; count += 1) await read(`${URL_}${count}`);
    assert.deepEqual([fetched.length, orders.length], [1, 20], 'without a plain fetch');
    await read(`${URL_}20`);
    assert.deepEqual([fetched.length, orders.length], [2, 21], 'the twentieth is fetched plainly first');
    clock.at += HOUR_MS;
    await read(`${URL_}21`);
    assert.equal(fetched.length, 3, 'and so is one after an hour');
  });

  test('is forgotten once its pages have their text without', async (t) => {
    let html = SHELL;
    const { read, clock, fetched, orders } = await open(t, { plain: () => html, rendered: () => ({}) });
    await read(URL_);
    html = ARTICLE;
    clock.at += HOUR_MS;
    await read(`${URL_}1`);
    await read(`${URL_}2`);
    assert.deepEqual([fetched.length, orders.length], [3, 1]);
  });

  test('may have files all the same', async (t) => {
    const { read } = await open(t, {
      plain: (url) => (url.endsWith('.md') ? ARTICLE : SHELL),
      rendered: ({ url }) => (url.endsWith('.md') ? createFetchFailure('unsupported_type', 'no page') : {}),
    });
    await read(URL_);
    assert.equal((await read(`${URL_}.md`)).article.readRoute, 'html');
  });
});

test('a fragment that scripts read tells pages apart; one that names a place does not', async (t) => {
  const { read, orders } = await open(t, { rendered: () => ({}) });
  for (const hash of ['#/one', '#/two', '#!three', '#part', '#other']) await read(`https://e.org/${hash}`);
  assert.deepEqual(
    orders.map(({ url }) => url),
    ['https://e.org/#/one', 'https://e.org/#/two', 'https://e.org/#!three', 'https://e.org/'],
  );
});
