import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { SourceAnswer, SourceQuery } from '../../src/recall/source.ts';
import { searxng } from '../../src/recall/sources/searxng.ts';
import { readQuery } from '../../src/text/query/read-query.ts';
import { type Searx, searxCommand, startSearx } from '../fixtures/searx.ts';
import { startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { serveReal } from '../harness.ts';

/**
 * A real metasearch server, whose engines are a local site in several moods. It bans an engine that failed and then
 * keeps silent about it, so that each mood has an engine of its own.
 */
const command = searxCommand();
const QUERY: SourceQuery = {
  query: readQuery('tide tables'),
  limit: 20,
  includeDomains: [],
  excludeDomains: [],
  publishedFrom: null,
  publishedTo: null,
};

describe('a real searx', {
  skip:
    command === null
      ? 'searx-run is not installed (scripts/test-services.sh start, or apt-get install searx)'
      : false,
}, () => {
  let upstream: Upstream;
  let searx: Searx;

  before(async () => {
    upstream = await startUpstream({ address: '127.0.0.1' });
    const engine = (
      name: 'marginalia' | 'brave' | 'mojeek' | 'kagi',
      shortcut: string,
      isDefault = false,
    ) => ({
      name: `engine ${shortcut}`,
      shortcut,
      searchUrl: `${upstream.baseUrl(name)}/search?q={query}`,
      isDefault,
    });
    searx = await startSearx(command ?? '', [
      engine('marginalia', 'good', true),
      engine('brave', 'broken'),
      engine('mojeek', 'denied'),
      engine('kagi', 'busy'),
    ]);
    upstream.play('brave', { mode: '500' });
    upstream.play('mojeek', { mode: '403' });
    upstream.play('kagi', { mode: '429' });
  });
  after(async () => {
    await searx?.close();
    await upstream?.close();
  });

  const ask = async (query: string): Promise<SourceAnswer> => {
    const settings = { baseUrl: searx.baseUrl, key: null, userAgent: 'Test/1.0', contact: null };
    const { url, headers } = searxng.request({ ...QUERY, query: readQuery(query) }, settings);
    const response = await fetch(url, { headers });
    return searxng.read({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    });
  };
  /** What the local site says to a search goes through the server and comes out as results. */
  const found = async (): Promise<string[]> => {
    const answer = await ask('tide tables');
    assert.ok(answer.kind === 'ok', JSON.stringify(answer));
    return answer.items.map(({ url, title }) => `${title} ${url}`);
  };

  test('results of the local site come through', async () => {
    upstream.play('marginalia', { mode: 'recorded' });
    assert.deepEqual(await found(), [
      'How to read a tide table https://harbour.example.org/tides/reading',
      'Why the moon pulls the sea https://coast.example.net/moon',
    ]);
    assert.equal(upstream.asked('marginalia').at(-1)?.url.searchParams.get('q'), 'tide tables');
  });

  test('hostile addresses that an engine hands on are dropped', async () => {
    upstream.play('marginalia', { mode: 'hostile' });
    assert.deepEqual(await found(), ['A good page https://good.example.org/page']);
  });

  test('nothing found is an empty answer that proves nothing', async () => {
    upstream.play('marginalia', { mode: 'empty' });
    assert.deepEqual(await ask('tide tables'), { kind: 'ok', items: [], proven: false, quotaLeft: null });
  });

  for (const mood of ['broken', 'denied', 'busy']) {
    test(`an engine that is ${mood}: a failure that names it, then silence that proves nothing`, async () => {
      const first = await ask(`!${mood} tide tables`);
      assert.ok(first.kind === 'failed' && first.why.includes(`engine ${mood}`), JSON.stringify(first));
      const banned = await ask(`!${mood} tide tables`);
      assert.deepEqual(banned, { kind: 'ok', items: [], proven: false, quotaLeft: null });
    });
  }

  test('the other engines still answer', async () => {
    upstream.play('marginalia', { mode: 'recorded' });
    assert.equal((await found()).length, 2);
  });

  test('no question at all is a failure, not a crash', async () => {
    assert.equal((await ask('')).kind, 'failed');
  });

  test('over HTTP its outage, then its silence, is a 503 and not an empty list', async (t) => {
    const app = await serveReal({ RECALL: 'index,searxng', SEARXNG_URL: searx.baseUrl });
    t.after(app.close);
    upstream.play('marginalia', { mode: '500' });
    const outage = await app.post('/v1/search', { query: 'tide tables' });
    assert.deepEqual([outage.status, outage.json.error], [503, 'recall_unavailable']);
    upstream.play('marginalia', { mode: 'recorded' });
    const silence = await app.post('/v1/search', { query: 'tide times' });
    assert.deepEqual([silence.status, silence.json.error], [503, 'recall_unavailable']);
  });
});
