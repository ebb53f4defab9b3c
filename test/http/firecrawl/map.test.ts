import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type FakeWeb, startWeb } from '../../fixtures/web.ts';
import { type RealServed, serveReal } from '../../harness.ts';

let site: FakeWeb;
let served: RealServed;
let post: RealServed['post'];

const page = (title: string, links: string[]): string =>
  `<title>${title}</title><main><p>${title} on the beach.</p>${links.map((link) => `<a href="${link}">${link}</a>`).join(' ')}</main>`;

before(async () => {
  site = await startWeb({
    address: '127.10.0.1',
    routes: {
      '/': page('Birds', ['/dunlin', '/knot?id=1', 'https://elsewhere.example/']),
      '/dunlin': page('Dunlin', ['/']),
      '/knot': page('Knot', ['/']),
    },
  });
  served = await serveReal({ FETCH_ALLOW_PRIVATE: '127.10.0.0/16' });
  post = (await served.owner()).post;
});
after(async () => {
  await served.close();
  await site.close();
});

const paths = (links: { url: string }[]): string[] =>
  links.map(({ url }) => url.slice(site.origin.length)).sort();

test('lists the addresses of a site once, without their queries unless they are wanted', async () => {
  const { status, json, headers } = await post('/v2/map', { url: site.origin, sitemap: 'include' });
  assert.deepEqual([status, json.success], [200, true]);
  assert.deepEqual(paths(json.links), ['/', '/dunlin', '/knot']);
  assert.equal(headers.get('x-ignored-parameters'), null);
  const whole = await post('/v2/map', { url: site.origin, ignoreQueryParameters: false, sitemap: 'only' });
  assert.deepEqual(paths(whole.json.links), ['/', '/dunlin', '/knot?id=1']);
  assert.equal(whole.headers.get('x-ignored-parameters'), 'sitemap');
});

test('only those that fit a search, and at most so many', async () => {
  const fitting = await post('/v2/map', { url: site.origin, search: 'dunlin' });
  assert.deepEqual(paths(fitting.json.links), ['/dunlin']);
  assert.equal((await post('/v2/map', { url: site.origin, limit: 2 })).json.links.length, 2);
});

test('version 1 lists texts', async () => {
  const { links } = (await post('/firecrawl/v1/map', { url: site.origin })).json;
  assert.ok(links.includes(`${site.origin}/dunlin`));
});

test('400 for an address that is not public, 500 for a start page that cannot be read', async () => {
  const refused = await post('/v2/map', { url: 'http://localhost/' });
  assert.deepEqual([refused.status, refused.json.code], [400, 'url_not_allowed']);
  const missing = await post('/v2/map', { url: `${site.origin}/missing` });
  assert.deepEqual([missing.status, missing.json.code], [500, 'fetch_failed']);
});
