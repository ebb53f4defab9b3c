import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { type Served, serveReal } from '../harness.ts';
import { startUpstream } from '../world/upstream.ts';

/** What the first search of a new installation may take without a network, and what this machine may add to it. */
const SEARCH_MS_MAX = 3_000;

/** A name server that takes every question and answers none, as behind a network that drops everything. */
async function startSilentDns(): Promise<{ address: string; close(): void }> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { address: `127.0.0.1:${socket.address().port}`, close: () => void socket.close() };
}

async function timed<T>(work: Promise<T>): Promise<{ value: T; ms: number }> {
  const begun = performance.now();
  const value = await work;
  return { value, ms: performance.now() - begun };
}

describe('a new installation without a network', () => {
  const offline = async (
    settings: Record<string, string>,
    use: (app: Served) => Promise<void>,
  ): Promise<void> => {
    const dns = await startSilentDns();
    // Empty: the usual sources.
    const app = await serveReal({ RECALL: '', DNS_SERVERS: dns.address, ...settings });
    try {
      await use(app);
    } finally {
      await app.close();
      dns.close();
    }
  };

  test('a search is an honest 503 within three seconds', () =>
    offline({}, async (app) => {
      const { value, ms } = await timed(app.post('/v1/search', { query: 'red knot' }));
      assert.equal(value.status, 503);
      assert.equal(value.json.error, 'recall_unavailable');
      assert.ok(Number(value.headers.get('retry-after')) > 0);
      assert.ok(ms < SEARCH_MS_MAX, `${ms} ms`);
    }));

  test('an operator who wants the own index alone gets an empty list', () =>
    offline({ RECALL: 'index' }, async (app) => {
      const { status, json } = await app.post('/v1/search', { query: 'red knot' });
      assert.equal(status, 200);
      assert.deepEqual(json.results, []);
      assert.deepEqual(Object.keys(json.service.sources), ['index']);
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
