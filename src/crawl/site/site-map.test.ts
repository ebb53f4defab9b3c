import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildPlainArticle } from '../../pages/formats/plain-article.ts';
import type { OpenPage } from '../../pages/open-page-types.ts';
import { createFairQueue } from '../../platform/fairness/fair-queue.ts';
import type { GuardedFetch } from '../../platform/net/fetch-types.ts';
import { createSiteMap } from './site-map.ts';
import type { SiteRequest } from './site-types.ts';

const ORIGIN = 'https://site.example';
const PAGES = 300;
const stars = Array.from({ length: 300 }, (_, place) => `Disallow: *b${place}c`);
const listed = Array.from({ length: PAGES }, (_, place) => `${ORIGIN}/${place}/${'ab'.repeat(300)}`);
const linked = Array.from({ length: 40 }, (_, place) => `${ORIGIN}/linked/${place}`);

const fetch: GuardedFetch = async ({ url }) => {
  const text = new URL(url).pathname === '/robots.txt' ? ['User-agent: *', ...stars].join('\n') : '';
  return { url, redirects: [], status: 200, headers: {}, body: new TextEncoder().encode(text) };
};

const openPage: OpenPage = async (url) => {
  const links = url === `${ORIGIN}/` ? linked : [];
  const article = buildPlainArticle(url, { kind: 'text', title: url, markdown: url, rawChars: 10, links });
  return { article, fetchedAt: 0, cache: 'miss', privacy: null };
};

const all = {
  selectPaths: [],
  excludePaths: [],
  selectDomains: [],
  excludeDomains: [],
  allowExternal: false,
};
const request = (over: Partial<SiteRequest>): SiteRequest => ({
  starts: [`${ORIGIN}/`],
  filters: all,
  depthMax: 2,
  breadthMax: 500,
  pagesMax: 10_000,
  instructions: null,
  budgetMs: 60_000,
  signal: new AbortController().signal,
  ...over,
});

function createMap() {
  let now = 0;
  return createSiteMap({
    fetch,
    openPage,
    checkUrl: (url) => new URL(url),
    clock: { now: () => now },
    steady: { now: () => now },
    async wait(ms) {
      now += ms;
    },
    readSitemapFile: async () => ({ pages: listed, sitemaps: [] }),
    slots: createFairQueue({ slots: 1, waitingMax: 1, overloaded: () => new Error('full') }),
  });
}

test('other work goes on while many addresses are compared with a robots.txt full of stars', async () => {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const urls = await createMap()(request({}));
  isOver = true;
  assert.equal(urls.length, 1 + PAGES + linked.length);
  assert.ok(turns >= PAGES / 4, `${turns} turns`);
});

test('a caller who has gone ends it', async () => {
  const gone = new AbortController();
  const mapped = createMap()(request({ signal: gone.signal }));
  setImmediate(() => setImmediate(() => gone.abort(new Error('gone'))));
  await assert.rejects(mapped);
});
