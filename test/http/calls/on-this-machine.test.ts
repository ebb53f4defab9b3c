import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Answered, Served } from '../../harness.ts';
import { type ChargedFixture, openChargedFixture } from './charged-service.ts';

type Sending = (served: Served, headers: Record<string, string>) => Promise<Answered>;
const post =
  (path: string, body: object): Sending =>
  (served, headers) =>
    served.post(path, body, headers);
const get =
  (path: string): Sending =>
  (served, headers) =>
    served.get(path, headers);
const search = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'service_search', arguments: { query: 'q' } },
};

const CALLS: Record<string, Sending> = {
  '/v1/search': post('/v1/search', { query: 'q' }),
  '/v1/contents': post('/v1/contents', { urls: ['https://a.org/'] }),
  '/v1/answer': post('/v1/answer', { query: 'q' }),
  '/r': get('/r/https://a.org/'),
  '/s': get('/s/q'),
  '/shapeB/search': post('/shapeB/search', { query: 'q' }),
  '/shapeB/crawl': post('/shapeB/crawl', { url: 'https://a.org/' }),
  '/searxng/search': get('/searxng/search?q=q&format=json'),
  '/openwebui/search': post('/openwebui/search', { query: 'q' }),
  '/pplx/search': post('/pplx/search', { query: 'q' }),
  '/linkup/v1/search': post('/linkup/v1/search', { q: 'q', depth: 'standard', outputType: 'searchResults' }),
  '/res/v1/web/search': get('/res/v1/web/search?q=q'),
  '/v1/rerank': post('/v1/rerank', { query: 'q', documents: ['a'] }),
  '/v2/search': post('/v2/search', { query: 'q' }),
  '/v2/scrape': post('/v2/scrape', { url: 'https://a.org/' }),
  '/firecrawl/v1/search': post('/firecrawl/v1/search', { query: 'q' }),
  '/mcp': (served, headers) =>
    served.post('/mcp', search, { ...headers, accept: 'application/json, text/event-stream' }),
};

/** The way out of metering, and after it the shop. */
const OWN_FIRST = /if this server is yours, start it with METERING=off.*otherwise.*\/buy\/instant/i;

describe('a caller without credits', () => {
  let fixture: ChargedFixture;
  let poor: Record<string, string>;
  before(async () => {
    fixture = await openChargedFixture(null, { trustProxy: 1 });
    const { apiKey } = await fixture.billing.keys.create({ credits: 0, label: null });
    poor = { 'x-api-key': apiKey };
  });
  after(() => fixture.close());

  for (const [path, send] of Object.entries(CALLS)) {
    test(`on this machine is told first at ${path} how its operator turns metering off`, async () => {
      assert.match((await send(fixture.served, poor)).text, OWN_FIRST);
    });

    test(`elsewhere is told at ${path} where to buy, and nothing of settings`, async () => {
      const { text } = await send(fixture.served, { ...poor, 'x-forwarded-for': '203.0.113.9' });
      assert.match(text, /\/buy\/instant/);
      assert.doesNotMatch(text, /METERING/);
    });
  }
});
