import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { waitFor } from '../fixtures/wait-for.ts';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { type Answered, type RealServed, serveReal } from '../harness.ts';

/** What one key reads in private, another key must never see: neither its text nor its address. */
const SECRET_WORDS =
  'The zanthoxylum ledger lists every payment to the quillwort brotherhood in the year of the flood.';
const OPEN_WORDS =
  'The sanderling runs along the edge of the waves all day long and feeds on small crabs in the sand.';

const html = (words: string, head = '', body = ''): string =>
  `<!doctype html><html><head><title>Ledger</title>${head}</head><body><main><h1>Ledger</h1><p>${words}</p>
  <p>${'More is said here of the same matter, so that the page is long enough. '.repeat(4)}</p>${body}</main></body></html>`;

const answers =
  (headers: Record<string, string | string[]>, page = html(SECRET_WORDS)) =>
  (_: unknown, response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(page);
  };

const redirects =
  (location: string, headers: Record<string, string> = {}) =>
  (_: unknown, response: ServerResponse): void => {
    response.writeHead(302, { location, ...headers }).end();
  };

/** Ways of being private, by the path (and query) that is read. */
const PRIVATE = {
  'Cache-Control and a token': '/report?token=f3a91c',
  'Cache-Control: no-store': '/no-store',
  'Cache-Control: private': '/private',
  'X-Robots-Tag': '/tagged',
  'X-Robots-Tag for this service': '/tagged-for-us',
  'a second X-Robots-Tag': '/tagged-twice',
  'robots meta in capitals': '/meta',
  'robots meta for this service': '/meta-for-us',
  'Vary: *': '/varies',
  'a signed address': '/signed?X-Amz-Signature=abc',
  'a redirect that is private': '/to-open',
  'a redirect to a signed address': '/to-signed',
};

/** Further pages by path. */
const pages = new Map<string, string>();
let isPrivateNow = false;

let site: FakeWeb;
let app: RealServed;
let reader: Awaited<ReturnType<RealServed['owner']>>;
let stranger: Awaited<ReturnType<RealServed['owner']>>;
before(async () => {
  site = await startWeb({
    address: '127.10.0.41',
    routes: {
      '/report': answers({ 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex' }),
      '/no-store': answers({ 'cache-control': 'no-store' }),
      '/private': answers({ 'cache-control': 'private' }),
      '/tagged': answers({ 'x-robots-tag': 'noindex' }),
      '/tagged-for-us': answers({ 'x-robots-tag': 'sanderling: none' }),
      '/tagged-twice': answers({ 'x-robots-tag': ['otherbot: nofollow', 'noindex'] }),
      '/meta': html(SECRET_WORDS, '<META CONTENT="NOINDEX, follow" NAME="ROBOTS">'),
      '/meta-for-us': html(SECRET_WORDS, '<meta name="Sanderling" content="none">'),
      '/varies': answers({ vary: '*' }),
      '/signed': html(SECRET_WORDS),
      '/to-open': redirects('/behind', { 'cache-control': 'private' }),
      '/behind': answers({ 'cache-control': 'private' }),
      '/to-signed': redirects('/signed?X-Amz-Signature=abc'),
      '/open': html(OPEN_WORDS),
      '/canary': html(OPEN_WORDS.replace('sanderling', 'canary')),
      '/last': html(OPEN_WORDS.replace('sanderling', 'godwit')),
      '/after': html(OPEN_WORDS.replace('sanderling', 'avocet')),
      '/turns-private': (request, response) =>
        answers(isPrivateNow ? { 'cache-control': 'private' } : {}, html('A turnstone turns pebbles.'))(
          request,
          response,
        ),
    },
    fallback(request, response) {
      const page = pages.get(request.url ?? '');
      if (page === undefined)
        response.writeHead(/victim|unread/.test(request.url ?? '') ? 503 : 404).end('gone');
      else if (request.url === '/user/evil/a-header')
        answers({ link: `<${site.origin}/victim/a-header>; rel="canonical"` }, page)(request, response);
      else answers({}, page)(request, response);
    },
  });
  app = await serveReal({ FETCH_ALLOW_PRIVATE: '127.10.0.0/16' });
  [reader, stranger] = [await app.owner(), await app.owner()];
});
after(async () => {
  await app.close();
  await site.close();
});

const query = 'zanthoxylum ledger quillwort brotherhood payment';
const contents = { text: true, highlights: true, pruned_context: true };

/** An answer without what it repeats of the query: all of it, or a word as the facet that research looked for. */
function withoutQuery(text: string): string {
  const echoes = query.split(' ').flatMap((word) => [`"facet":"${word}"`, `"query":"${word}"`]);
  return [query, ...echoes].reduce((rest, echo) => rest.replaceAll(echo, ''), text);
}

/** Every route that reads a page, as one caller uses it. */
const READS: Record<string, (url: string) => Promise<Answered>> = {
  reader: (url) => reader.get(`/r/${encodeURIComponent(url)}`),
  'reader with a question': (url) => reader.get(`/r/${encodeURIComponent(url)}?q=ledger`),
  contents: (url) =>
    reader.post('/v1/contents', { urls: [url, `${site.origin}/open`], highlights: { query } }),
  'similar pages': (url) => reader.post('/v1/findSimilar', { url, contents }),
  verify: (url) => reader.post('/v1/verify', { url, quotes: [SECRET_WORDS] }),
  extract: (url) => reader.post('/shapeB/extract', { urls: [url] }),
  crawl: (url) => reader.post('/shapeB/crawl', { url, limit: 1 }),
  map: (url) => reader.post('/shapeB/map', { url, limit: 5 }),
  'MCP read': (url) => tool(reader, 'service_read', { url }),
};

/** Every route that could hand on what somebody else read. */
const ASKS: Record<string, (caller: typeof reader) => Promise<Answered>> = {
  search: (caller) => caller.post('/v1/search', { query, contents }),
  'search without contents': (caller) => caller.post('/v1/search', { query }),
  'search of the second shape': (caller) =>
    caller.post('/shapeB/search', { query, include_raw_content: true, include_answer: true }),
  'similar pages': (caller) => caller.post('/v1/findSimilar', { url: `${site.origin}/open`, contents }),
  research: (caller) => caller.post('/v1/research', { question: `What does the ${query} say?` }),
  'MCP search': (caller) => tool(caller, 'service_search', { query }),
};

async function tool(caller: typeof reader, name: string, args: object): Promise<Answered> {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  return caller.post('/mcp', call, { accept: 'application/json, text/event-stream' });
}

describe('what one key reads in private', () => {
  for (const [how, path] of Object.entries(PRIVATE))
    test(`by ${how} stays with it`, async () => {
      const url = site.origin + path;
      for (const [route, read] of Object.entries(READS)) {
        const answer = await read(url);
        assert.equal(answer.status, 200, `${route}: ${answer.text}`);
      }
      await indexed('/open');
      for (const ask of Object.values(ASKS)) await ask(reader);
      for (const [route, ask] of Object.entries(ASKS)) {
        const { status, text } = await ask(stranger);
        assert.equal(status, 200, `${route}: ${text}`);
        assert.doesNotMatch(withoutQuery(text), /zanthoxylum|quillwort/, route);
        assert.ok(!text.includes(path), route);
      }
      const kept = await stranger.post('/v1/contents', { urls: [url], livecrawl: 'never' });
      assert.equal(kept.json.results.length, 0, kept.text);
    });

  test('is in no store', async () => {
    await indexed('/canary');
    const rows = await app.services.store.selectFrom('page_cache').select(['url', 'article']).execute();
    assert.deepEqual(
      rows.map(({ url }) => url).toSorted(),
      ['/canary', '/open'].map((path) => site.origin + path),
    );
    assert.doesNotMatch(JSON.stringify(rows), /zanthoxylum/);
    assert.deepEqual(await app.services.index.size(), { pages: 2, hosts: 1 });
  });
});

test('a search whose answer carries a private page is not kept for others', async () => {
  // The index knows the page of before; now its origin says that it is private.
  await reader.get(`/r/${site.origin}/turns-private`);
  await indexed('/turns-private');
  isPrivateNow = true;
  const ask = (caller: typeof reader) =>
    caller.post('/v1/search', {
      query: 'turnstone turning pebbles',
      contents: { text: true, livecrawl: 'always' },
    });
  const first = await ask(reader);
  assert.match(first.text, /turnstone turns/);
  await waitFor(async () => (await app.services.index.get(`${site.origin}/turns-private`)) === null);
  const second = await ask(stranger);
  assert.notEqual(second.json.service.cache, 'hit');
  assert.doesNotMatch(second.text, /turnstone turns/);
});

test('a page that says noindex is read and never found', async () => {
  const read = await reader.get(`/r/${site.origin}/meta`);
  assert.match(read.text, /zanthoxylum/);
  await reader.get(`/r/${site.origin}/last`);
  await indexed('/last');
  assert.equal(await app.services.index.get(`${site.origin}/meta`), null);
});

describe('a page that declares the address of another', () => {
  const searched = async () =>
    (await stranger.post('/v1/search', { query: 'dunlin', contents })).json.results;

  for (const [how, head] of Object.entries({
    'a link': (victim: string) => `<link rel="canonical" href="${victim}">`,
    'og:url': (victim: string) => `<meta property="og:url" content="${victim}">`,
    'a refresh': (victim: string) => `<meta http-equiv="refresh" content="0;url=${victim}">`,
    'a header': () => '',
  }))
    test(`by ${how} takes neither its entry nor its title nor its copy`, async () => {
      const victim = `${site.origin}/victim/${how.replaceAll(' ', '-')}`;
      const evil = victim.replace('/victim/', '/user/evil/');
      pages.set(new URL(victim).pathname, html(`The dunlin of ${how} probes the mud.`));
      pages.set(new URL(evil).pathname, html('The dunlin is for sale, call now.', head(victim)));
      await reader.get(`/r/${victim}`);
      await reader.get(`/r/${evil}`);
      await indexed(new URL(evil).pathname);
      assert.match((await app.services.index.get(victim))?.markdown ?? '', /probes the mud/);
      pages.delete(new URL(victim).pathname);
      const results: { url: string; text: string }[] = await searched();
      for (const { url, text } of results) assert.equal(/for sale/.test(text), url.includes('/evil/'), url);
    });

  test('is crawled for a caller under its own address', async () => {
    pages.set('/start', html('Start.', '', '<a href="/user/sly">Sly</a> <a href="/robbed">Robbed</a>'));
    pages.set('/user/sly', html('Sly words.', `<link rel="canonical" href="${site.origin}/robbed">`));
    pages.set('/robbed', html('Robbed words.').replace('Ledger', 'Robbed'));
    const { json } = await reader.post('/shapeB/crawl', { url: `${site.origin}/start`, limit: 10 });
    const found: { url: string; raw_content: string }[] = json.results;
    for (const path of ['/user/sly', '/robbed']) {
      const page = found.find(({ url }) => url === site.origin + path);
      assert.match(page?.raw_content ?? '', path === '/robbed' ? /Robbed words/ : /Sly words/, path);
    }
  });

  test('and has its title is left out of a crawl that read the other', async () => {
    const paged = (words: string, head = '') => html(words, head).replace('Ledger', 'Paged');
    pages.set('/hall', html('Hall.', '', '<a href="/paged?view=print">Print</a> <a href="/paged">Paged</a>'));
    pages.set('/paged', paged('The whole of it.'));
    pages.set('/paged?view=print', paged('Printed.', `<link rel="canonical" href="${site.origin}/paged">`));
    const { json } = await reader.post('/shapeB/crawl', { url: `${site.origin}/hall`, limit: 10 });
    const found: { url: string }[] = json.results;
    assert.deepEqual(found.map(({ url }) => url.replace(site.origin, '')).toSorted(), ['/hall', '/paged']);
  });

  test('before that one was read waits at its own address, and replaces nothing', async () => {
    pages.set('/user/early', html('Early evil.', `<link rel="canonical" href="${site.origin}/unread">`));
    await reader.get(`/r/${site.origin}/user/early`);
    await indexed('/user/early');
    const copy = await stranger.get(`/r/${site.origin}/unread`);
    assert.equal(copy.status, 502, copy.text);
  });

  test('and says word for word the same needs no entry of its own', async () => {
    pages.set('/original', html('The knot flies far.'));
    pages.set('/print', html('The knot flies far.', `<link rel="canonical" href="${site.origin}/original">`));
    await reader.get(`/r/${site.origin}/original`);
    await indexed('/original');
    await reader.get(`/r/${site.origin}/print`);
    await reader.get(`/r/${site.origin}/after`);
    await indexed('/after');
    assert.equal(await app.services.index.get(`${site.origin}/print`), null);
  });
});

/** Reads a public page and waits until it is in the index; what was read before is there too, if it ever will be. */
async function indexed(path: string): Promise<void> {
  const { status, text } = await reader.get(`/r/${site.origin}${path}`);
  assert.equal(status, 200, text);
  await waitFor(async () => (await app.services.index.get(site.origin + path)) !== null);
}
