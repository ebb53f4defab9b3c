import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { after, before, test } from 'node:test';
import { waitFor } from '../fixtures/wait-for.ts';
import { type Served, serveReal } from '../harness.ts';

/** One page on loopback, read through every door of the real service. */
const PAGE = `<!doctype html><html lang="en"><head><title>Sanderling</title></head><body><nav><a href="/">Home</a></nav>
<main><h1>The sanderling</h1>
<p>The sanderling is a small wading bird that runs along the edge of the surf on sandy beaches in winter. It picks
small crabs and other animals out of the wet sand while each wave runs back, and it flees before the next one comes.</p>
<h2>Breeding</h2><p>In summer it breeds in the high Arctic, where it lays four eggs in a hollow of the bare ground.
Both parents may take a nest each, so that a pair can raise two broods in the short summer of the tundra.</p>
<table><tr><th>Measure</th><th>Value</th></tr><tr><td>Length</td><td>20 cm</td></tr></table></main></body></html>`;

let site: Server;
let page: string;
let app: Served;
before(async () => {
  site = createServer((request, response) => {
    response.writeHead(request.url === '/sanderling' ? 200 : 404, {
      'content-type': 'text/html; charset=utf-8',
    });
    response.end(request.url === '/sanderling' ? PAGE : 'gone');
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  const address = site.address();
  assert.ok(address !== null && typeof address === 'object');
  page = `http://127.0.0.1:${address.port}/sanderling`;
  app = await serveReal({ FETCH_ALLOW_PRIVATE: '127.0.0.0/8' });
});
after(async () => {
  await app.close();
  site.closeAllConnections();
  site.close();
});

test('a page is read as Markdown, then from the cache, then found', async () => {
  const read = await app.get(`/r/${page}`);
  assert.equal(read.status, 200, read.text);
  assert.match(read.text, /small wading bird/);
  assert.match(read.text, /\| Length +\| 20 cm +\|/);
  assert.equal(read.headers.get('x-cache'), 'miss');
  assert.ok(Number(read.headers.get('x-raw-tokens')) > 0);

  const again = await app.post('/v1/contents', { urls: [page, page.replace('sanderling', 'gone')] });
  assert.equal(again.status, 200, again.text);
  assert.equal(again.json.results[0].text, read.text);
  assert.deepEqual(again.json.costDollars, { total: 0.001 });
  assert.equal(again.json.statuses[0].source, 'cached');
  assert.deepEqual(again.json.statuses[1].error, { tag: 'CRAWL_NOT_FOUND', httpStatusCode: 404 });

  const search = () =>
    app.post('/v1/search', { query: 'wading bird of sandy beaches', contents: { text: true } });
  // Indexing goes on behind the answer.
  const found = await waitFor(async () => {
    const answer = await search();
    return answer.json.results.length > 0 && answer;
  });
  assert.equal(found.status, 200, found.text);
  assert.equal(found.json.results[0].url, page);
  assert.match(found.json.results[0].text, /small wading bird/);
  assert.deepEqual(Object.keys(found.json.service.sources), ['index']);
  // The second read is indexed behind its answer too, and an answer is kept only while the index stays as it was.
  const isCached = async () => (await search()).json.service.cache === 'hit';
  await waitFor(isCached);
});

test('what is not public is refused through every door', async () => {
  const inside = 'http://10.0.0.1/';
  const answers = [await app.get(`/r/${inside}`), await app.post('/v1/contents', { urls: [page, inside] })];
  for (const { status, json } of answers) {
    assert.equal(status, 400);
    assert.equal(json.error, 'url_not_allowed');
  }
});
