import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { waitFor } from '../fixtures/wait-for.ts';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { type Answered, type RealServed, serveReal } from '../harness.ts';
import { runCli } from './run-cli.ts';

/** What is forgotten, no key may see any more, by any route: neither its text nor its address. */
const TOKEN = 'the-token-of-an-administrator';
const WORDS =
  'The zanthoxylum ledger lists every payment to the quillwort brotherhood in the year of the flood.';
const MORE = 'More is said here of the same matter, so that the page is long enough. '.repeat(60);

const html = (words: string): string =>
  `<!doctype html><html><head><title>Ledger</title></head><body><main><h1>Ledger</h1><p>${words}</p><p>${MORE}</p></main></body></html>`;

let isGone = false;
const paths = ['/by-url', '/by-host', '/by-prefix/page', '/by-cli', '/by-cli-prefix/page'];

let site: FakeWeb;
let app: RealServed;
let reader: Awaited<ReturnType<RealServed['owner']>>;
let stranger: Awaited<ReturnType<RealServed['owner']>>;
const folder = mkdtempSync(join(tmpdir(), 'forget-'));
before(async () => {
  site = await startWeb({
    address: '127.10.0.57',
    routes: { '/stays': html('The sanderling runs along the edge of the waves.') },
    fallback(request, response) {
      const isKnown = paths.includes(request.url ?? '') && !isGone;
      response
        .writeHead(isKnown ? 200 : 503, { 'content-type': 'text/html; charset=utf-8' })
        .end(isKnown ? html(WORDS) : 'gone');
    },
  });
  app = await serveReal({ FETCH_ALLOW_PRIVATE: '127.10.0.0/16', ADMIN_TOKEN: TOKEN, DATA_DIR: folder });
  [reader, stranger] = [await app.owner(), await app.owner()];
});
after(async () => {
  await app.close();
  await site.close();
  rmSync(folder, { recursive: true, force: true });
});

const query = 'zanthoxylum ledger quillwort brotherhood payment';
const contents = { text: true, highlights: true, pruned_context: true };

const tool = (caller: typeof reader, name: string, args: object): Promise<Answered> =>
  caller.post(
    '/mcp',
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
    { accept: 'application/json, text/event-stream' },
  );

const remove = (search: string, token: string | null = TOKEN): Promise<Answered> =>
  app.delete(`/v1/index${search}`, token === null ? {} : { authorization: `Bearer ${token}` });

/** Every route that could hand the page on, as one caller uses it. */
const ASKS: Record<string, (caller: typeof reader, url: string) => Promise<Answered>> = {
  search: (caller) => caller.post('/v1/search', { query, contents }),
  'search of the second shape': (caller) =>
    caller.post('/shapeB/search', { query, include_raw_content: true, include_answer: true }),
  research: (caller) => caller.post('/v1/research', { query }),
  reader: (caller, url) => caller.get(`/r/${encodeURIComponent(url)}`),
  contents: (caller, url) => caller.post('/v1/contents', { urls: [url], text: true }),
  'similar pages': (caller, url) => caller.post('/v1/findSimilar', { url, contents }),
  verify: (caller, url) => caller.post('/v1/verify', { url, quotes: [WORDS] }),
  extract: (caller, url) => caller.post('/shapeB/extract', { urls: [url] }),
  crawl: (caller, url) => caller.post('/shapeB/crawl', { url, limit: 1 }),
  'MCP search': (caller) => tool(caller, 'service_search', { query }),
  'MCP read': (caller, url) => tool(caller, 'service_read', { url }),
};

const tells = ({ text }: Answered): boolean => /every payment|year of the flood/.test(text);

/** Both keys read and search the page, so that every cache holds it; returns a cursor for the rest of an MCP answer. */
async function fill(url: string): Promise<string> {
  isGone = false;
  assert.equal((await reader.get(`/r/${encodeURIComponent(url)}`)).status, 200);
  await indexed(url);
  for (const caller of [reader, stranger]) {
    for (const ask of ['search', 'search of the second shape', 'MCP search'])
      assert.ok(tells((await ASKS[ask]?.(caller, url)) as Answered), `${ask} finds the page`);
  }
  const cut = await tool(reader, 'service_read', { url, max_tokens: 500 });
  const [, cursor] = /cursor \\"(\d+\.[\w-]+)\\"/.exec(cut.text) ?? [];
  assert.ok(cursor !== undefined, cut.text);
  isGone = true;
  return cursor;
}

/** A page that was read enters the index in the background. */
async function indexed(url: string): Promise<void> {
  await waitFor(async () => (await app.services.index.get(url)) !== null);
}

/** Nothing is left of the page for either key. */
async function assertForgotten(url: string, cursor: string): Promise<void> {
  for (const caller of [reader, stranger]) {
    for (const [name, ask] of Object.entries(ASKS)) {
      const answer = await ask(caller, url);
      assert.equal(tells(answer), false, `${name} still tells the page: ${answer.text.slice(0, 300)}`);
      if (/search|research/.test(name))
        assert.equal(answer.text.includes(url), false, `${name} still names the page`);
    }
  }
  const rest = await tool(reader, 'service_read', { url, cursor });
  assert.equal(/same matter/.test(rest.text), false, `the cursor still works: ${rest.text.slice(0, 300)}`);
}

describe('DELETE /v1/index', () => {
  const WAYS: [name: string, path: string, search: (url: string) => string][] = [
    ['url', '/by-url', (url) => `?url=${encodeURIComponent(`${url}?utm_source=x`)}`],
    ['host', '/by-host', (url) => `?host=${new URL(url).host}`],
    ['prefix', '/by-prefix/page', () => `?prefix=${encodeURIComponent(`${site.origin}/by-prefix/`)}`],
  ];
  for (const [name, path, search] of WAYS) {
    test(`200 by ${name}: no route tells the page to any key`, async () => {
      const url = site.origin + path;
      const cursor = await fill(url);
      const { status, json } = await remove(search(url));
      assert.equal(status, 200);
      assert.ok(json.pages >= 1 && json.copies >= 1, JSON.stringify(json));
      await assertForgotten(url, cursor);
      const again = await remove(search(url));
      assert.deepEqual([again.json.pages, again.json.copies], [0, 0]);
    });
  }

  test('403 without the token, on this machine too, and with another', async () => {
    for (const token of [null, 'x', `${TOKEN}x`]) {
      const { status, json } = await remove('?host=example.org', token);
      assert.deepEqual([status, json.error], [403, 'forbidden']);
    }
  });

  test('422 unless exactly one valid parameter is given', async () => {
    for (const search of [
      '',
      '?url=example',
      '?host=',
      '?host=a/b',
      '?prefix=https://example',
      '?host=a.test&host=b.test',
    ])
      assert.equal((await remove(search)).status, 422, search);
  });

  test('403 where no token is set', async () => {
    const other = await serveReal({});
    const { status, json } = await other.delete('/v1/index?host=example.org', { authorization: 'Bearer ' });
    assert.equal(status, 403);
    assert.match(json.message, /ADMIN_TOKEN/);
    await other.close();
  });
});

describe('sanderling index forget, while a server runs on the same data', () => {
  for (const [path, argument] of [
    ['/by-cli', (url: string) => url],
    ['/by-cli-prefix/page', () => `${site.origin}/by-cli-prefix/*`],
  ] as const) {
    test(`${path}: the server notices at once`, async () => {
      const url = site.origin + path;
      const cursor = await fill(url);
      const { code, out, err } = await runCli(folder, ['index', 'forget', argument(url)]);
      assert.equal(code, 0, err);
      assert.match(out, /^Forgot 1 page\b/);
      await assertForgotten(url, cursor);
    });
  }

  test('--dry-run names what would be forgotten and deletes nothing', async () => {
    isGone = false;
    assert.equal((await reader.get(`/r/${encodeURIComponent(`${site.origin}/stays`)}`)).status, 200);
    await indexed(`${site.origin}/stays`);
    const { code, out } = await runCli(folder, ['index', 'forget', '--dry-run', new URL(site.origin).host]);
    assert.equal(code, 0);
    assert.match(out, /\/stays/);
    const { out: listed } = await runCli(folder, ['index', 'list']);
    assert.match(listed, /\/stays/);
  });
});
