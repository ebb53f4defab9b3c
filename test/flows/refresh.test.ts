import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { after, before, test } from 'node:test';
import { createRefresher } from '../../src/crawl/refresh/refresh-pages.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { type RealServed, serveReal } from '../harness.ts';

const DAY_MS = 86_400_000;
const MORE = 'More is said here of the same matter, so that the page is long enough. '.repeat(4);

let now = Date.UTC(2026, 0, 1);
const clock = { now: () => now };
let edition = 1;
let robots = 'User-agent: *\nAllow: /\n';
/** Paths that were requested since the last look, and how. */
let requests: { path: string; isConditional: boolean }[] = [];
const requestsOf = (path: string): { path: string; isConditional: boolean }[] =>
  requests.filter((request) => request.path === path);

const answer = (response: ServerResponse, words: string, headers: Record<string, string> = {}): void => {
  response
    .writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers })
    .end(`<title>${words}</title><main><h1>${words}</h1><p>${words} is shown. ${MORE}</p></main>`);
};

const PAGES: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  '/changing': (_, response) => answer(response, `Edition ${edition}`),
  '/still': (request, response) => {
    if (request.headers['if-none-match'] === '"still"') response.writeHead(304).end();
    else answer(response, 'Still', { etag: '"still"' });
  },
  '/gone': (_, response) => (edition > 1 ? response.writeHead(410).end() : answer(response, 'Gone')),
  '/failing': (_, response) => (edition > 1 ? response.writeHead(500).end() : answer(response, 'Failing')),
  '/forbidden': (_, response) => answer(response, `Forbidden ${edition}`),
  '/private': (_, response) => answer(response, 'Private', edition > 1 ? { 'cache-control': 'private' } : {}),
  '/moved': (_, response) =>
    edition > 1 ? response.writeHead(301, { location: '/new' }).end() : answer(response, 'Moved'),
  '/new': (_, response) => answer(response, 'New'),
};

let site: FakeWeb;
let app: RealServed;
before(async () => {
  site = await startWeb({
    address: '127.10.0.58',
    routes: {
      '/robots.txt': (_, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end(robots),
    },
    fallback(request, response) {
      const path = request.url ?? '';
      requests.push({ path, isConditional: request.headers['if-none-match'] !== undefined });
      const page = PAGES[path];
      if (page === undefined) response.writeHead(404).end();
      else page(request, response);
    },
  });
  app = await serveReal({ FETCH_ALLOW_PRIVATE: '127.10.0.0/16' }, { clock });
  const owner = await app.owner();
  for (const path of Object.keys(PAGES).filter((path) => path !== '/new')) {
    const url = site.origin + path;
    assert.equal((await owner.get(`/r/${encodeURIComponent(url)}`)).status, 200);
    await waitFor(async () => (await app.services.index.get(url)) !== null);
  }
});
after(async () => {
  await app.close();
  await site.close();
});

const refresh = (pagesMax = 100) =>
  app.services.crawling.refresh({ pagesMax, signal: new AbortController().signal });
const held = (path: string) => app.services.index.get(site.origin + path);

test('nothing is visited before it is due', async () => {
  requests = [];
  now += 6 * DAY_MS;
  assert.deepEqual(await refresh(), { changed: 0, unchanged: 0, gone: 0, failed: 0 });
  assert.deepEqual(requests, []);
});

test('due pages are visited once: changed, unchanged, gone, failed and forbidden ones', async () => {
  requests = [];
  edition = 2;
  robots = 'User-agent: *\nDisallow: /forbidden\n';
  now += 2 * DAY_MS;
  assert.deepEqual(await refresh(), { changed: 2, unchanged: 1, gone: 2, failed: 2 });
  assert.equal((await held('/changing'))?.title, 'Edition 2');
  assert.deepEqual(requestsOf('/still'), [{ path: '/still', isConditional: true }]);
  assert.equal((await held('/still'))?.fetchedAt, now);
  assert.equal(await held('/gone'), null);
  assert.equal(await held('/private'), null);
  assert.deepEqual([await held('/moved'), (await held('/new'))?.title], [null, 'New']);
  assert.equal((await held('/failing'))?.title, 'Failing');
  assert.equal((await held('/forbidden'))?.title, 'Forbidden 1');
  assert.deepEqual(requestsOf('/forbidden'), []);
  assert.deepEqual(await refresh(), { changed: 0, unchanged: 0, gone: 0, failed: 0 });
});

test('a failed page is tried again after a day, a changed one before an unchanged one', async () => {
  requests = [];
  now += DAY_MS + 1;
  assert.deepEqual(await refresh(), { changed: 0, unchanged: 0, gone: 0, failed: 1 });
  now += 6.5 * DAY_MS;
  edition = 3;
  await refresh();
  assert.equal(requestsOf('/changing').length, 1);
  assert.equal(requestsOf('/still').length, 0);
});

test('at most the given number of pages is visited', async () => {
  requests = [];
  now += 60 * DAY_MS;
  const { changed, unchanged, gone, failed } = await refresh(2);
  assert.equal(changed + unchanged + gone + failed, 2);
});

test('the background refresher keeps to its rate', async () => {
  const visits: number[] = [];
  const refresher = createRefresher({
    perHour: 120,
    clock,
    refresh: async ({ pagesMax }) => {
      visits.push(pagesMax);
      return { changed: 0, unchanged: 0, gone: 0, failed: 0 };
    },
  });
  await refresher.tick();
  for (let minute = 0; minute < 10; minute++) {
    now += 60_000;
    await refresher.tick();
  }
  assert.deepEqual(visits, Array(10).fill(2));
  now += DAY_MS;
  await refresher.tick();
  assert.equal(visits.at(-1), 10);
  refresher.stop();
  now += DAY_MS;
  await refresher.tick();
  assert.equal(visits.length, 11);
});
