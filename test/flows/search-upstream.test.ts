import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { PAGE_TIMEOUT_MS } from '../../src/contract/limits.ts';
import { type FakeDns, startDns } from '../fixtures/dns-server.ts';
import { settingsOf } from '../fixtures/recall-fixture.ts';
import { startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { type Served, serveReal } from '../harness.ts';

/** Pages that nobody has crawled here, found through an upstream source and opened. */
const page = (title: string, text: string, day: string | null): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title>${
    day === null ? '' : `<meta property="article:published_time" content="${day}T10:00:00Z">`
  }</head><body><main><article><h1>${title}</h1>${`<p>${text}</p>`.repeat(8)}</article></main></body></html>`;

let upstream: Upstream;
let web: FakeWeb;
let dns: FakeDns;
let app: Served;
let url: (host: string, path: string) => string;

before(async () => {
  upstream = await startUpstream();
  web = await startWeb({
    routes: {
      '/tide': page(
        'The tide',
        'The tide of the North Sea turns twice a day, and the red knot follows it over the flats.',
        '2024-03-01',
      ),
      '/old': page(
        'An old page',
        'Long ago the red knot was counted on these flats by hand and by eye alone.',
        '2019-03-01',
      ),
      '/plain': page(
        'A page without a date',
        'The red knot flies from the far north to the far south and back within a year.',
        null,
      ),
      '/hang': () => {},
    },
  });
  dns = await startDns({ 'knot.example': ['127.10.0.1'], 'tern.example': ['127.10.0.1'] });
  app = await serveReal({
    ...settingsOf(upstream, ['searxng', 'wikipedia']),
    RECALL: 'index,searxng,wikipedia',
    DNS_SERVERS: dns.address,
    FETCH_ALLOW_PRIVATE: '127.10.0.0/16',
  });
  url = (host, path) => `http://${host}.example:${web.port}/${path}`;
  // The first page that is read starts the thread for it, which may take as long as a page has.
  await app.get(`/r/${url('tern', 'old')}`);
});
beforeEach(() => upstream.play('wikipedia', { mode: 'down' }));
after(async () => {
  await app.close();
  await upstream.close();
  await web.close();
  await dns.close();
});

function finds(...found: [host: string, path: string, day?: string][]): void {
  upstream.play('searxng', {
    mode: 'ok',
    items: found.map(([host, path, day]) => ({
      url: url(host, path),
      title: `What ${path} says of the red knot`,
      snippet: `A passage of ${path}.`,
      publishedDay: day ?? null,
    })),
  });
}

describe('a search through an upstream source', () => {
  test('opens the pages; one that hangs keeps its title and passage, and is not waited for long', async () => {
    finds(['knot', 'tide'], ['knot', 'hang'], ['tern', 'plain']);
    const { status, json } = await app.post('/v1/search', {
      query: 'red knot tide',
      contents: { text: true, highlights: true },
    });
    assert.equal(status, 200);
    const byPath = Object.fromEntries(
      json.results.map((one: { url: string }) => [new URL(one.url).pathname, one]),
    );
    assert.match(byPath['/tide'].text, /turns twice a day/);
    assert.ok(byPath['/tide'].highlights.length > 0);
    assert.equal(byPath['/hang'].text, 'A passage of hang.');
    assert.equal(json.results[0].url, url('knot', 'tide'));
    assert.deepEqual(json.service.sources.searxng.results, 3);
    assert.equal(json.service.sources.wikipedia.ok, false);
    assert.ok(json.service.timingsMs.open < PAGE_TIMEOUT_MS, 'nobody waited for the page that hangs');
    assert.ok(json.service.tokens.output > 0);
  });

  test('keeps what the date filter demands: pages without a date are opened for it', async () => {
    finds(['knot', 'tide'], ['knot', 'old'], ['tern', 'plain'], ['tern', 'tide', '2023-01-01']);
    const { json } = await app.post('/v1/search', {
      query: 'red knot since',
      startPublishedDate: '2024-01-01',
    });
    assert.deepEqual(
      json.results.map((one: { url: string; publishedDate: string }) => [one.url, one.publishedDate]),
      [[url('knot', 'tide'), '2024-03-01']],
    );
    assert.equal(json.service.filters.publishedDate.removed, 3);
    assert.ok(json.service.filters.publishedDate.opened >= 1);
  });

  test('keeps what the domain filters demand, whatever the source says', async () => {
    finds(['knot', 'a'], ['tern', 'b'], ['tern', 'docs/c'], ['tern', 'docs2/d']);
    const only = await app.post('/v1/search', {
      query: 'red knot only',
      includeDomains: ['https://www.TERN.example.:99/docs/'],
    });
    assert.deepEqual(
      only.json.results.map((one: { url: string }) => one.url),
      [url('tern', 'docs/c')],
    );
    const without = await app.post('/v1/search', {
      query: 'red knot without',
      excludeDomains: ['tern.example'],
    });
    assert.ok(without.json.results.length > 0);
    for (const one of without.json.results) assert.equal(new URL(one.url).hostname, 'knot.example');
    assert.equal(without.json.service.filters.excludeDomains.removed, 3);
  });

  test('a page that was opened is found by the local index from then on', async () => {
    upstream.play('searxng', { mode: 'down' });
    const { json } = await app.post('/v1/search', { query: 'flats of the North Sea tide' });
    assert.ok(json.results.some((one: { url: string }) => one.url.endsWith('/tide')));
    assert.equal(json.service.sources.index.ok, true);
  });
});
