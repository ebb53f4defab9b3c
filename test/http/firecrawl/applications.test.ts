import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type FakeWeb, startWeb } from '../../fixtures/web.ts';
import { type RealServed, serveReal } from '../../harness.ts';

/** Requests as applications send them, by their sources; only the addresses are ours. */
let site: FakeWeb;
let served: RealServed;
let key: string;
let page: string;

const HTML = `<!doctype html><html lang="en"><head><title>Sanderling</title><meta name="description" content="A wader"></head>
<body><main><h1>Sanderling</h1><p>${'The sanderling runs along the surf. '.repeat(20)}</p></main></body></html>`;

before(async () => {
  site = await startWeb({ address: '127.10.0.1', routes: { '/page': HTML, '/slow': () => {} } });
  served = await serveReal({ FETCH_ALLOW_PRIVATE: '127.10.0.0/16' });
  key = (await served.billing.keys.create({ credits: 100, label: null })).apiKey;
  page = `${site.origin}/page`;
});
after(async () => {
  await served.close();
  await site.close();
});

const send: RealServed['post'] = (path, body) => served.post(path, body, { authorization: `Bearer ${key}` });

test('LibreChat (@librechat/agents 3.2.21): both formats, and an answer before it hangs up', async () => {
  const sent = { url: page, formats: ['markdown', 'rawHtml'], timeout: 7_500 };
  const { status, json, headers } = await send('/v2/scrape', sent);
  assert.deepEqual([status, json.success, json.data.rawHtml], [200, true, HTML]);
  assert.match(json.data.markdown, /^# Sanderling/);
  assert.equal(json.data.metadata.title, 'Sanderling');
  assert.equal(headers.get('x-ignored-parameters'), null);
  const settings = {
    includeTags: ['main'],
    excludeTags: ['nav'],
    headers: { 'X-A': 'b' },
    waitFor: 0,
    maxAge: 0,
    onlyMainContent: true,
    mobile: false,
    skipTlsVerification: false,
    parsePDF: true,
    location: { languages: ['en'] },
    removeBase64Images: true,
    blockAds: true,
    storeInCache: false,
    zeroDataRetention: true,
    changeTrackingOptions: { modes: ['git-diff'] },
  };
  const configured = await send('/v2/scrape', { ...sent, ...settings });
  assert.deepEqual([configured.status, configured.json.success], [200, true]);
  assert.equal(configured.headers.get('x-ignored-parameters'), 'changeTrackingOptions');
  const slow = await send('/v2/scrape', { ...sent, url: `${site.origin}/slow`, timeout: 1_000 });
  assert.deepEqual([slow.status, slow.json.success], [408, false]);
});

test('Dify: an address that ends with a slash, version 1 and 2', async () => {
  const sent = { url: page, formats: ['markdown'], onlyMainContent: true, timeout: 30_000 };
  for (const path of ['/firecrawl//v1/scrape', '//v2/scrape', '/firecrawl//v2/scrape']) {
    const { status, json } = await send(path, sent);
    assert.deepEqual([status, json.success], [200, true]);
    const { title, description, sourceURL } = json.data.metadata;
    assert.deepEqual([title, description, sourceURL], ['Sanderling', 'A wader', page]);
    assert.match(json.data.markdown, /sanderling/);
  }
  const map = { url: site.origin, search: null, ignoreSitemap: true, includeSubdomains: false, limit: 5_000 };
  const { json, headers } = await send('/firecrawl//v1/map', { ...map, url: page });
  assert.deepEqual([json.success, json.links], [true, [page]]);
  assert.equal(headers.get('x-ignored-parameters'), 'ignoreSitemap');
});

test('n8n (@mendable/n8n-nodes-firecrawl 2.1.2): a base address with its version, empty options', async () => {
  const base = `${served.address}/v2`;
  const credentials = await fetch(`${base}/team/credit-usage`, {
    headers: { authorization: `Bearer ${key}` },
  });
  assert.equal(credentials.status, 200);
  const { status, json, headers } = await send('/v2/scrape', {
    url: page,
    formats: ['markdown', 'html'],
    includeTags: [],
    excludeTags: [],
    headers: {},
    location: { country: 'US', languages: [] },
    parsers: ['pdf'],
    integration: 'n8n',
    proxy: 'basic',
  });
  assert.deepEqual([status, json.success], [200, true]);
  assert.match(json.data.html, /^<main><h1>Sanderling<\/h1>/);
  assert.equal(headers.get('x-ignored-parameters'), 'location.country');
  assert.equal((await send('/v2/extract', { urls: [page], prompt: 'x' })).json.code, 'not_found');
});
