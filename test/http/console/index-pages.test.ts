import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { IndexedPage } from '../../../src/index/local-index-types.ts';
import { type FakeWeb, startWeb } from '../../fixtures/web.ts';
import { type RealServed, serveReal } from '../../harness.ts';
import { type ConsoleClient, signIn, TOKEN } from './console-client.ts';

const HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>';

const pageAt = (url: string, more: Partial<IndexedPage> = {}): IndexedPage => ({
  url,
  title: 'Waders',
  headings: [],
  markdown: 'The sanderling runs along the waves.',
  publishedDay: null,
  language: 'en',
  site: null,
  author: null,
  rawChars: 100,
  fetchedAt: Date.now(),
  ...more,
});

describe('the local index in the console', () => {
  let app: RealServed;
  let client: ConsoleClient;
  let site: FakeWeb;
  let words = 'The dunlin probes the mud with its long bill.';
  before(async () => {
    site = await startWeb({
      address: '127.10.0.65',
      fallback: (_, response) =>
        response
          .setHeader('content-type', 'text/html; charset=utf-8')
          .end(
            `<!doctype html><html><head><title>Dunlin</title></head><body><main><h1>Dunlin</h1><p>${words}</p><p>${'It flies in dense flocks. '.repeat(20)}</p></main></body></html>`,
          ),
    });
    app = await serveReal({ ADMIN_TOKEN: TOKEN, FETCH_ALLOW_PRIVATE: '127.10.0.0/16' });
    client = await signIn(app);
    await app.services.index.put([
      pageAt('https://birds.example.org/sanderling'),
      pageAt('https://birds.example.org/docs/knot', {
        title: 'The knot',
        markdown: 'The knot winters on mudflats.',
      }),
      pageAt('https://fish.example.org/', { title: HOSTILE, markdown: `${HOSTILE} herring` }),
      pageAt(`${site.origin}/dunlin`, { fetchedAt: Date.now() - 40 * 86_400_000 }),
    ]);
  });
  after(async () => {
    await app.close();
    await site.close();
  });

  test('it shows pages, hosts, ages and what was fetched last', async () => {
    const { text } = await client.get('/admin/index');
    assert.match(text, /<dt>Pages<\/dt><dd>4<\/dd><dd class="note">3 hosts/);
    assert.match(
      text,
      /<a href="\/admin\/index\?which=birds\.example\.org">birds\.example\.org<\/a><\/th><td class="number">2/,
    );
    assert.match(text, /Older than 30 days<\/dt><dd>1<\/dd>/);
    assert.match(text, /Fetched last[\s\S]*fish\.example\.org[\s\S]*dunlin/);
  });

  test('it searches, and lists a page, a host or a prefix', async () => {
    assert.match((await client.get('/admin/index?q=mudflats')).text, /The knot/);
    assert.match(
      (await client.get('/admin/index?q=nothing-like-this')).text,
      /holds no page with these words/,
    );
    const host = (await client.get('/admin/index?which=birds.example.org')).text;
    assert.match(host, /<p>2 pages\.</);
    const prefix = await client.get(
      `/admin/index?which=${encodeURIComponent('https://birds.example.org/docs/*')}`,
    );
    assert.match(prefix.text, /<p>1 page\.</);
    const wrong = (await client.get('/admin/index?which=a%20b')).text;
    assert.match(wrong, /must be a host such as example\.org/);
  });

  test('titles, texts, queries and errors stay text', async () => {
    for (const path of [
      '/admin/index',
      `/admin/index?q=${encodeURIComponent(`herring ${HOSTILE}`)}`,
      `/admin/index?which=${encodeURIComponent(HOSTILE)}`,
      '/admin/index?which=fish.example.org',
    ]) {
      const { text } = await client.get(path);
      assert.ok(!text.includes('<script>alert'), path);
      assert.ok(!text.includes('<img src=x'), path);
    }
  });

  test('pages are read again, due or not', async () => {
    words = 'The dunlin now has a shorter bill.';
    const { text } = await client.act('/admin/index', { do: 'again', which: `${site.origin}/*` });
    assert.match(text, /1 page to be read again/);
    for (;;) {
      const [run] = await app.parts.consoleParts.runs.list();
      if (run?.state === 'done') break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.match((await app.services.index.get(`${site.origin}/dunlin`))?.markdown ?? '', /shorter bill/);
    assert.match(
      (await client.act('/admin/index', { do: 'again', which: 'none.example.org' })).text,
      /holds no such page/,
    );
  });

  test('pages are forgotten everywhere, and only their host is entered', async () => {
    const which = 'https://birds.example.org/docs/*';
    const { text } = await client.act('/admin/index', { do: 'forget', which });
    assert.match(text, /Forgot 1 page,/);
    assert.equal(await app.services.index.get('https://birds.example.org/docs/knot'), null);
    const bearer = { authorization: `Bearer ${TOKEN}` };
    await app.delete('/v1/index?url=https://fish.example.org/', bearer);
    const log = (await client.get('/admin/log')).text;
    assert.match(log, /pages forgotten by prefix<\/td><td><span class="address">birds\.example\.org<\/span>/);
    assert.match(log, /pages forgotten by url<\/td><td><span class="address">fish\.example\.org<\/span>/);
    assert.ok(!log.includes('birds.example.org/docs'));
    assert.equal((await client.send('/admin/index', { do: 'forget', which: '' })).status, 422);
  });
});
