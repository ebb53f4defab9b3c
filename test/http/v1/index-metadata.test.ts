import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { IndexedPage } from '../../../src/index/local-index-types.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { type FakeWeb, startWeb } from '../../fixtures/web.ts';
import { type RealServed, serveReal } from '../../harness.ts';

/** What pages declare, as searches give it from the local index without opening them. */
let site: FakeWeb;
let app: RealServed;
let client: Awaited<ReturnType<RealServed['owner']>>;

const html = (name: string): string => `<!doctype html><html lang="en"><head><title>The ${name}</title>
<link rel="canonical" href="/birds/${name}"><link rel="icon" href="/icon.svg">
<meta property="og:image" content="/${name}.jpg"><meta property="og:site_name" content="Birds">
<meta property="article:modified_time" content="2024-05-06T10:00:00Z"></head><body><main><h1>The ${name}</h1>
<p>The ${name} is a small wading bird that runs along the edge of the surf on sandy beaches in winter, and it picks
small crabs and other animals out of the wet sand while each wave runs back.</p></main></body></html>`;

before(async () => {
  site = await startWeb({
    address: '127.10.0.71',
    routes: {
      '/sanderling': html('sanderling'),
      '/dunlin': (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html', 'cache-control': 'no-store' });
        response.end(html('dunlin'));
      },
    },
  });
  app = await serveReal({ FETCH_ALLOW_PRIVATE: '127.10.0.0/16' });
  client = await app.owner();
});
after(async () => {
  await app.close();
  await site.close();
});

/** Indexing goes on behind the answer of a read. */
const held = (url: string): Promise<IndexedPage> => waitFor(() => app.services.index.get(url));

test('a page that was read is found with its picture and icon, although it is not opened', async () => {
  const url = `${site.origin}/sanderling`;
  assert.equal((await client.get(`/r/${url}`)).status, 200);
  const page = await held(url);
  assert.equal(page.site, 'Birds');
  assert.deepEqual(page.declared, {
    modifiedDay: '2024-05-06',
    canonicalUrl: `${site.origin}/birds/sanderling`,
    image: `${site.origin}/sanderling.jpg`,
    favicon: `${site.origin}/icon.svg`,
  });
  const { json } = await client.post('/v1/search', { query: 'sanderling' });
  const [result] = json.results;
  assert.equal(result.url, url);
  assert.equal(result.image, `${site.origin}/sanderling.jpg`);
  assert.equal(result.favicon, `${site.origin}/icon.svg`);
  assert.ok(!('author' in result) && !('extras' in result));
});

test('a page that turned private leaves the index with what it declares', async () => {
  const url = `${site.origin}/dunlin`;
  await app.services.index.put([{ ...(await held(`${site.origin}/sanderling`)), url }]);
  assert.notEqual((await held(url)).declared, undefined);
  assert.equal((await client.get(`/r/${url}`)).status, 200);
  // It is withdrawn behind the answer.
  await waitFor(async () => (await app.services.index.get(url)) === null);
  assert.deepEqual(await app.services.index.problems(), []);
});

describe('a page whose origin does not answer', () => {
  const url = 'http://127.10.0.72:9/knot';
  const declared = {
    modifiedDay: '2023-02-01',
    canonicalUrl: null,
    image: 'http://127.10.0.72:9/knot.jpg',
    favicon: 'http://127.10.0.72:9/knot.svg',
  };
  before(async () => {
    const { index, clock } = app.services;
    const markdown = 'The red knot is a wader of the flats.';
    await index.put([
      {
        url,
        title: 'The red knot',
        headings: [],
        markdown,
        publishedDay: null,
        language: 'en',
        site: null,
        author: null,
        declared,
        rawChars: 100,
        fetchedAt: clock.now(),
      },
    ]);
  });

  test('has its icon in the results of every shape that has a place for it', async () => {
    const query = 'red knot';
    const b = await client.post('/shapeB/search', { query, include_favicon: true, include_images: true });
    assert.equal(b.json.results[0].favicon, declared.favicon);
    assert.deepEqual(b.json.images, [declared.image]);
    const brave = await client.get(`/res/v1/web/search?q=${encodeURIComponent(query)}`);
    assert.equal(brave.json.web.results[0].meta_url.favicon, declared.favicon);
    const linkup = await client.post('/linkup/v1/search', { q: query, depth: 'standard' });
    assert.equal(linkup.json.results[0].favicon, declared.favicon);
    const perplexity = await client.post('/pplx/search', { query });
    assert.equal(perplexity.json.results[0].last_updated, declared.modifiedDay);
    const first = await client.post('/v1/search', { query, contents: { text: true } });
    assert.equal(first.json.results[0].image, declared.image);
  });

  test('keeps its icon where only cached pages are opened', async () => {
    const { json } = await client.post('/shapeB/search', {
      query: 'wader of the flats',
      search_depth: 'ultra-fast',
      include_favicon: true,
      include_images: true,
    });
    assert.equal(json.results[0].url, url);
    assert.equal(json.results[0].favicon, declared.favicon);
    assert.deepEqual(json.images, [declared.image]);
  });
});
