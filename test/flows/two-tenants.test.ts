import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type FakeDns, startDns } from '../fixtures/dns-server.ts';
import { describeOnStores } from '../fixtures/postgres.ts';
import { settingsOf } from '../fixtures/recall-fixture.ts';
import { startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { type Answered, type RealServed, type Served, serveReal } from '../harness.ts';

/** Public pages that one key reads and asks to keep from others: no other key finds any of them, on any route. */
type Caller = Pick<Served, 'get' | 'post'>;
/** A read of the page under `slug`; `body` and `headers` may ask for nothing to be kept. */
type Read = { slug: string; body?: object; headers?: Record<string, string> };

const COMMON = 'zanthoxylum brotherhood';
/** A word that stands on one page alone. */
const wordOf = (slug: string): string => `quill${slug.replaceAll('-', '')}`;
const sentences = (word: string): string =>
  `<p>The ${COMMON} keeps its ${word} ledger of payments in a tower beside the river, and nobody else does.</p>
  <p>${`Of the ${word} ledger much more is known, and it is told here at some length. `.repeat(80)}</p>`;

let site: FakeWeb;
let dns: FakeDns;
let upstream: Upstream;
const urlOf = (slug: string): string => `${site.as('quill.example')}/${slug}`;

before(async () => {
  site = await startWeb({
    address: '127.10.0.43',
    fallback(request, response) {
      const slug = request.url?.slice(1) ?? '';
      if (/^(?:robots|sitemap)\./.test(slug)) response.statusCode = 404;
      const page = `<!doctype html><html lang="en"><title>${wordOf(slug)} ledger</title><main><h1>Ledger</h1>`;
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(`${page}${sentences(wordOf(slug))}</main></html>`);
    },
  });
  dns = await startDns({ 'quill.example': ['127.10.0.43'] });
  upstream = await startUpstream();
});
after(async () => {
  await upstream.close();
  await site.close();
  await dns.close();
});

const serve = (settings: Record<string, string>): Promise<RealServed> =>
  serveReal({
    ...settingsOf(upstream, ['searxng']),
    RECALL: 'index,searxng',
    FETCH_ALLOW_PRIVATE: '127.10.0.0/16',
    DNS_SERVERS: dns.address,
    ...settings,
  });

/** The web search finds the page of each word that is asked for, or nothing. */
function webFinds(slugs: string[]): void {
  upstream.play('searxng', {
    mode: 'ok',
    items: (asked) =>
      slugs
        .filter((slug) => decodeURIComponent(asked.search).includes(wordOf(slug)))
        .map((slug) => ({
          url: urlOf(slug),
          title: `${wordOf(slug)} ledger`,
          publishedDay: null,
          snippet: `Of the ${wordOf(slug)} ledger.`,
        })),
  });
}

const contents = { text: true, highlights: true };
const post =
  (path: string, bodyOf: (slug: string) => object) =>
  (caller: Caller, { slug, body, headers }: Read): Promise<Answered> =>
    caller.post(path, { ...bodyOf(slug), ...body }, headers);
const tool =
  (name: string, argsOf: (slug: string) => object) =>
  (caller: Caller, { slug, body, headers }: Read): Promise<Answered> => {
    const params = { name: `service_${name}`, arguments: { ...argsOf(slug), ...body } };
    const accept = 'application/json, text/event-stream';
    return caller.post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      { accept, ...headers },
    );
  };
const queryOf = (slug: string): string => `${wordOf(slug)} ledger`;
const reader =
  (question: string) =>
  (caller: Caller, { slug, headers }: Read): Promise<Answered> =>
    caller.get(`/r/${encodeURIComponent(urlOf(slug))}${question}`, headers);

/** Every route and tool that opens pages. */
const READS: Record<string, (caller: Caller, read: Read) => Promise<Answered>> = {
  reader: reader(''),
  'reader-pruned': reader('?q=ledger'),
  search: post('/v1/search', (slug) => ({ query: queryOf(slug), contents })),
  'search-dated': post('/v1/search', (slug) => ({ query: queryOf(slug), endPublishedDate: '2020-01-01' })),
  contents: post('/v1/contents', (slug) => ({ urls: [urlOf(slug)] })),
  similar: post('/v1/findSimilar', (slug) => ({ url: urlOf(slug), contents })),
  research: post('/v1/research', (slug) => ({ question: `What is the ${queryOf(slug)}?`, maxSearches: 2 })),
  verify: post('/v1/verify', (slug) => ({ url: urlOf(slug), quote: 'ledger of payments' })),
  'second-search': post('/shapeB/search', (slug) => ({ query: queryOf(slug), include_answer: true })),
  extract: post('/shapeB/extract', (slug) => ({ urls: [urlOf(slug)] })),
  crawl: post('/shapeB/crawl', (slug) => ({ url: urlOf(slug), limit: 1 })),
  map: post('/shapeB/map', (slug) => ({ url: urlOf(slug), limit: 1 })),
  'tool-read': tool('read', (slug) => ({ url: urlOf(slug) })),
  'tool-search': tool('search', (slug) => ({ query: queryOf(slug) })),
  'tool-contents': tool('contents', (slug) => ({ urls: [urlOf(slug)] })),
  'tool-similar': tool('find_similar', (slug) => ({ url: urlOf(slug) })),
  'tool-crawl': tool('crawl', (slug) => ({ url: urlOf(slug), limit: 1 })),
  'tool-map': tool('map', (slug) => ({ url: urlOf(slug), limit: 1 })),
  'tool-research': tool('deep_research', (slug) => ({
    question: `What is the ${queryOf(slug)}?`,
    max_searches: 2,
  })),
};

/** Reads the page of `slug` on a route, and checks that it was opened. */
async function open(route: string, caller: Caller, read: Read): Promise<void> {
  webFinds([read.slug]);
  const answer = await READS[route]?.(caller, read);
  assert.equal(answer?.status, 200, answer?.text);
  assert.doesNotMatch(answer.text, /"isError":true/);
  assert.equal(site.hits(`/${read.slug}`), 1, `${route} opens the page: ${answer.text}`);
  webFinds([]);
}

/** What was read before has been indexed by then, if it ever will be. */
async function settle(served: RealServed, slug: string): Promise<void> {
  await served.services.index.put([]);
  const { status } = await served.get(`/r/${urlOf(slug)}`);
  assert.equal(status, 200);
  await waitFor(async () => (await served.services.index.get(urlOf(slug))) !== null);
}

async function isKept(served: RealServed, slug: string): Promise<{ index: boolean; cache: boolean }> {
  const { index, store } = served.services;
  const row = await store.selectFrom('page_cache').select('url').where('url', '=', urlOf(slug)).execute();
  return { index: (await index.get(urlOf(slug))) !== null, cache: row.length > 0 };
}

await describeOnStores('a key made to store nothing', (databaseUrl) => {
  test('stores nothing, however it is sent', async (t) => {
    const served = await serve(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl });
    t.after(() => served.close());
    const { apiKey: api_key } = await served.billing.keys.create({ credits: 9, label: null, noStore: true });
    const place = databaseUrl === null ? 'sqlite' : 'postgres';
    const inBody = await served.post('/v1/contents', { urls: [urlOf(`body-${place}`)], api_key });
    assert.equal(inBody.json.results.length, 1);
    await served.get(`/r/${urlOf(`bearer-${place}`)}`, { authorization: `Bearer ${api_key}` });
    await settle(served, `settled-${place}`);
    for (const how of ['body', 'bearer'])
      assert.deepEqual(await isKept(served, `${how}-${place}`), { index: false, cache: false }, how);
  });
});

test('without asking, every route keeps the page that it opens', async (t) => {
  const app = await serve({});
  t.after(() => app.close());
  const caller = await app.owner();
  for (const route of Object.keys(READS)) await open(route, caller, { slug: `open-${route}` });
  await settle(app, 'after-open');
  for (const route of Object.keys(READS))
    assert.deepEqual(await isKept(app, `open-${route}`), { index: true, cache: true }, route);
});

const WAYS: Record<string, { body?: object; headers?: Record<string, string>; ofKey?: true; only?: RegExp }> =
  {
    field: { body: { store: false }, only: /^(?!reader)/ },
    header: { headers: { 'X-No-Store': '1' } },
    key: { ofKey: true },
  };

for (const [way, { ofKey, only = /./, ...optOut }] of Object.entries(WAYS))
  describe(`what one key reads without storing, by a ${way}`, () => {
    const routes = Object.keys(READS).filter((route) => only.test(route));
    const slugOf = (route: string): string => `${way}-${route}`;
    let app: RealServed;
    let stranger: Caller;
    before(async () => {
      app = await serve({});
      stranger = await app.owner();
      const caller = ofKey ? await ownerWithoutStore(app) : await app.owner();
      for (const route of routes) await open(route, caller, { slug: slugOf(route), ...optOut });
      await settle(app, `after-${way}`);
    });
    after(() => app.close());

    for (const route of routes)
      test(`with ${route} is found by no other`, async () => {
        const slug = slugOf(route);
        assert.deepEqual(await isKept(app, slug), { index: false, cache: false });
        const kept = await stranger.post('/v1/contents', { urls: [urlOf(slug)], livecrawl: 'never' });
        assert.equal(kept.json.results.length, 0, kept.text);
        const question = `What is the ${queryOf(slug)}?`;
        for (const { status, text } of [
          await stranger.post('/v1/search', { query: queryOf(slug), contents }),
          await stranger.post('/v1/search', {
            query: queryOf(slug),
            contents: { ...contents, livecrawl: 'never' },
          }),
          await stranger.post('/shapeB/search', { query: queryOf(slug), include_raw_content: true }),
          await stranger.post('/v1/research', { question, maxSearches: 1, maxPages: 3 }),
        ]) {
          assert.equal(status, 200, text);
          assert.ok(!text.includes(urlOf(slug)), text);
          assert.doesNotMatch(text.replaceAll(queryOf(slug), ''), new RegExp(`\\b${wordOf(slug)}\\b`));
        }
        const read = await reader('')(stranger, { slug });
        assert.equal(read.headers.get('x-cache'), 'miss');
        assert.equal(site.hits(`/${slug}`), 2);
      });
  });

async function ownerWithoutStore({ billing, get, post }: RealServed): Promise<Caller> {
  const { apiKey } = await billing.keys.create({ credits: 1_000_000, label: null, noStore: true });
  const key = { 'x-api-key': apiKey };
  return {
    get: (path, headers) => get(path, { ...key, ...headers }),
    post: (path, body, headers) => post(path, body, { ...key, ...headers }),
  };
}

describe('a call that stores nothing', () => {
  let app: RealServed;
  before(async () => {
    app = await serve({});
  });
  after(() => app.close());

  test('may get a copy that is kept already', async () => {
    await settle(app, 'public');
    const read = await reader('')(await ownerWithoutStore(app), { slug: 'public' });
    assert.equal(read.headers.get('x-cache'), 'hit');
    assert.equal(site.hits('/public'), 1);
  });

  test('leaves no answer of a search behind, neither its own nor that of a source', async () => {
    const caller = await app.owner();
    const search = async (body: object): Promise<Answered['json']> =>
      (await caller.post('/v1/search', { query: queryOf('searched'), contents, ...body })).json.service;
    const before_ = upstream.asked('searxng').length;
    webFinds(['searched']);
    await search({ store: false });
    const again = await search({ store: false });
    assert.deepEqual([again.cache, again.sources.searxng.cache], ['miss', undefined]);
    await search({});
    assert.equal(upstream.asked('searxng').length - before_, 3);
    const kept = await search({ store: false });
    assert.equal(kept.sources.searxng?.cache ?? kept.cache, 'hit');
    assert.equal(upstream.asked('searxng').length - before_, 3);
    webFinds([]);
  });

  test('costs what any call costs', async () => {
    const { keyId, apiKey } = await app.billing.keys.create({ credits: 10, label: null, noStore: true });
    const key = { 'x-api-key': apiKey };
    const urls = [urlOf('cost-one'), urlOf('cost-two')];
    assert.equal((await app.post('/v1/contents', { urls, store: false }, key)).json.costDollars.total, 0.002);
    assert.equal((await app.billing.balanceOf(keyId)).credits, 8);
  });

  test('leaves the rest of a cut answer to its own key alone', async () => {
    const [caller, stranger] = [await ownerWithoutStore(app), await app.owner()];
    const crawl = (by: Caller, args: object): Promise<Answered> =>
      tool('crawl', () => args)(by, { slug: 'cut' });
    const cut = await crawl(caller, { url: urlOf('cut'), limit: 1, max_tokens: 200 });
    const cursor = /cursor \\"([^"]+)\\"/.exec(cut.text)?.[1];
    assert.ok(cursor !== undefined, cut.text);
    assert.match((await crawl(stranger, { cursor })).text, /has expired/);
    assert.match((await crawl(caller, { cursor })).text, new RegExp(wordOf('cut')));
  });

  test('is refused if it does not say so clearly', async () => {
    const { status, json } = await app.post('/v1/contents', { urls: [urlOf('unclear')], store: 'maybe' });
    assert.deepEqual([status, json.message], [422, 'store: must be true or false']);
    const said = await tool('read', () => ({ url: urlOf('unclear'), store: 'maybe' }))(app, { slug: '' });
    assert.match(said.text, /store must be true or false/);
    assert.equal(site.hits('/unclear'), 0);
  });
});

describe('with INDEX_READS=off', () => {
  test('no route indexes what it opens for a caller; crawls and imports do', async (t) => {
    const served = await serve({ INDEX_READS: 'off' });
    t.after(() => served.close());
    const { index } = served.services;
    const { crawl } = served.services.crawling;
    const caller = await served.owner();
    for (const route of Object.keys(READS)) await open(route, caller, { slug: `unindexed-${route}` });
    await crawl({
      starts: [urlOf('crawled')],
      pagesMax: 1,
      depthMax: 0,
      withinPath: false,
      fresh: true,
      delayMs: null,
      signal: t.signal,
    });
    for (const route of Object.keys(READS))
      assert.deepEqual(await isKept(served, `unindexed-${route}`), { index: false, cache: true }, route);
    assert.notEqual(await index.get(urlOf('crawled')), null);
    const { json } = await served.post('/v1/search', { query: queryOf('unindexed-reader') });
    assert.ok(!JSON.stringify(json.results).includes('unindexed'));
  });
});
