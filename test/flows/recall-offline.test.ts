import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { IndexedPage } from '../../src/index/local-index-types.ts';
import { DROPPED, startDns } from '../fixtures/dns-server.ts';
import { startUpstream } from '../fixtures/upstream.ts';
import { type RealServed, serveReal } from '../harness.ts';

/** What is asked about every subject when nothing is set. */
const ALWAYS_ASKED = ['hackernews', 'wikipedia'];

describe('a new installation without a network', () => {
  const offline = async (
    settings: Record<string, string>,
    use: (app: RealServed) => Promise<void>,
  ): Promise<void> => {
    const dns = await startDns(DROPPED);
    // Empty: the usual sources.
    const app = await serveReal({ RECALL: '', DNS_SERVERS: dns.address, ...settings });
    try {
      await use(app);
    } finally {
      await app.close();
      await dns.close();
    }
  };

  test('a search is an honest 503 that costs nothing', () =>
    offline({}, async (app) => {
      const owner = await app.owner();
      const { json: before } = await owner.get('/v1/balance');
      const { status, json, headers } = await owner.post('/v1/search', { query: 'red knot' });
      assert.equal(status, 503);
      assert.equal(json.error, 'recall_unavailable');
      assert.match(json.message, /local index holds no pages yet/);
      assert.ok(Number(headers.get('retry-after')) > 0);
      assert.equal((await owner.get('/v1/balance')).json.credits, before.credits);
    }));

  test('what the local index knows is found; the others failed at the look-up, before their own time limit', () =>
    offline({}, async (app) => {
      const { index, clock } = app.services;
      await index.put([pageOf('https://birds.example/knot', clock.now())]);
      const { status, json } = await app.post('/v1/search', { query: 'red knot' });
      assert.equal(status, 200);
      assert.equal(json.results[0].url, 'https://birds.example/knot');
      const { index: own, ...others } = json.service.sources;
      assert.partialDeepStrictEqual(own, { ok: true, results: 1 });
      assert.deepEqual(Object.keys(others).sort(), ALWAYS_ASKED);
      for (const [name, report] of Object.entries(others))
        assert.partialDeepStrictEqual(report, { ok: false, error: 'unreachable' }, name);
    }));

  test('an operator who wants the local index alone gets an empty list, and reads why', () =>
    offline({ RECALL: 'index' }, async (app) => {
      const { status, json } = await app.post('/v1/search', { query: 'red knot' });
      assert.equal(status, 200);
      assert.deepEqual(json.results, []);
      assert.deepEqual(Object.keys(json.service.sources), ['index']);
      assert.match(json.service.sources.index.note, /holds no pages yet/);
    }));
});

describe('a source of the operator on loopback', () => {
  test('is asked, although pages there may not be read', async () => {
    const upstream = await startUpstream();
    const app = await serveReal({ RECALL: 'index,searxng', SEARXNG_URL: upstream.baseUrl('searxng') });
    try {
      const { status, json } = await app.post('/v1/search', { query: 'red knot' });
      assert.equal(status, 200);
      assert.ok(json.results.length > 0);
      assert.equal(json.service.sources.searxng.ok, true);
      const read = await app.get(`/r/${upstream.origin}/searxng`);
      assert.equal(read.status, 400);
    } finally {
      await app.close();
      await upstream.close();
    }
  });
});

function pageOf(url: string, fetchedAt: number): IndexedPage {
  return {
    url,
    title: 'The red knot',
    headings: [],
    markdown: 'The red knot is a wader of the flats.',
    publishedDay: null,
    language: 'en',
    site: null,
    author: null,
    rawChars: 100,
    fetchedAt,
  };
}
