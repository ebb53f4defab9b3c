import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type FakeDns, startDns } from '../fixtures/dns-server.ts';
import { describeOnStores } from '../fixtures/postgres.ts';
import { settingsOf } from '../fixtures/recall-fixture.ts';
import { startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { type Answered, keptLog, type RealServed, type Served, serveReal } from '../harness.ts';

/**
 * Pages behind a login: whoever has a sign-in profile reads and searches them; for every other tenant they do not exist, on any route, tool,
 * job or monitor. Without the token the site answers 401.
 */
const TOKEN = 'sesame-4711-open';
/** Stands on the pages behind the login alone. */
const SECRET = 'zanthoxylum';
const LOCKED = 'a public greeting without anything in it';

let site: FakeWeb;
let elsewhere: FakeWeb;
const sentElsewhere: string[] = [];
let dns: FakeDns;
let upstream: Upstream;
const urlOf = (slug: string): string => `${site.as('intranet.example')}/${slug}`;

const page = (title: string, words: string): string =>
  `<!doctype html><html lang="en"><title>${title}</title><main><h1>${title}</h1>${`<p>${words}</p>`.repeat(12)}
  <a href="/payroll">The payroll of the brotherhood</a></main></html>`;
const secretPage = (slug: string): string =>
  page(`${SECRET} ledger ${slug}`, `The ${SECRET} ledger lists the payments of the brotherhood for ${slug}.`);

before(async () => {
  elsewhere = await startWeb({
    address: '127.10.0.62',
    fallback: (request, response) => {
      sentElsewhere.push(JSON.stringify(request.headers));
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(page('Sign in', 'Please sign in with your account of the company to go on.'));
    },
  });
  site = await startWeb({
    address: '127.10.0.61',
    fallback(request, response) {
      const slug = request.url?.slice(1) ?? '';
      response.setHeader('content-type', 'text/html; charset=utf-8');
      if (/^(?:robots|sitemap|llms)/.test(slug)) return response.writeHead(404).end();
      if (slug === 'leaving')
        return response.writeHead(302, { location: `${elsewhere.as('sso.example')}/login` }).end();
      if (request.headers.authorization !== `Bearer ${TOKEN}`)
        return response.writeHead(401).end(page('Locked', LOCKED));
      return response.end(secretPage(slug));
    },
  });
  dns = await startDns({ 'intranet.example': ['127.10.0.61'], 'sso.example': ['127.10.0.62'] });
  upstream = await startUpstream();
});
after(async () => {
  await upstream.close();
  await site.close();
  await elsewhere.close();
  await dns.close();
});

type Caller = Pick<Served, 'get' | 'post' | 'delete'> & { keyId: string };

const serve = (settings: Record<string, string> = {}, outside = {}): Promise<RealServed> =>
  serveReal(
    {
      ...settingsOf(upstream, ['searxng']),
      RECALL: 'index,searxng',
      FETCH_ALLOW_PRIVATE: '127.10.0.0/16',
      DNS_SERVERS: dns.address,
      PRIVATE_SITES: 'keys',
      ...settings,
    },
    outside,
  );

async function makeCaller(served: RealServed): Promise<Caller> {
  const { apiKey, keyId } = await served.billing.keys.create({ credits: 1_000_000, label: null });
  const key = { 'x-api-key': apiKey };
  return {
    keyId,
    get: (path, headers) => served.get(path, { ...key, ...headers }),
    post: (path, body, headers) => served.post(path, body, { ...key, ...headers }),
    delete: (path, headers) => served.delete(path, { ...key, ...headers }),
  };
}

const addSite = (caller: Caller, fields: object = {}): Promise<Answered> =>
  caller.post('/v1/sites', {
    name: 'intranet',
    origins: [site.as('intranet.example')],
    token: TOKEN,
    ...fields,
  });

/** Waits until what was read is in the collection. */
const awaitFiled = (caller: Caller, pages: number): Promise<unknown> =>
  waitFor(async () => {
    const { json } = await caller.get('/v1/collections');
    return json.collections[0]?.pages >= pages;
  });

const contents = { text: true, highlights: true };
const post =
  (path: string, bodyOf: (slug: string) => object) =>
  (caller: Caller, slug: string): Promise<Answered> =>
    caller.post(path, bodyOf(slug));
const tool = (name: string, argsOf: (slug: string) => object) =>
  post('/mcp', (slug) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: `service_${name}`, arguments: argsOf(slug) },
  }));
/** Every route and tool that opens the page of a URL. */
const READS: Record<string, (caller: Caller, slug: string) => Promise<Answered>> = {
  reader: (caller, slug) => caller.get(`/r/${encodeURIComponent(urlOf(slug))}`),
  contents: post('/v1/contents', (slug) => ({ urls: [urlOf(slug)], text: true })),
  verify: post('/v1/verify', (slug) => ({ url: urlOf(slug), quote: `The ${SECRET} ledger lists` })),
  extract: post('/shapeB/extract', (slug) => ({ urls: [urlOf(slug)] })),
  crawl: post('/shapeB/crawl', (slug) => ({ url: urlOf(slug), limit: 1 })),
  scrape: post('/v2/scrape', (slug) => ({ url: urlOf(slug), formats: ['markdown'] })),
  'tool-read': (caller, slug) =>
    callTool(
      caller,
      tool('read', () => ({ url: urlOf(slug) })),
    ),
  'tool-contents': (caller, slug) =>
    callTool(
      caller,
      tool('contents', () => ({ urls: [urlOf(slug)] })),
    ),
  'tool-crawl': (caller, slug) =>
    callTool(
      caller,
      tool('crawl', () => ({ url: urlOf(slug), limit: 1 })),
    ),
};
const callTool = (
  caller: Caller,
  call: (caller: Caller, slug: string) => Promise<Answered>,
): Promise<Answered> =>
  call(
    {
      ...caller,
      post: (path, body) => caller.post(path, body, { accept: 'application/json, text/event-stream' }),
    },
    '',
  );

/** Whatever a tenant may ask to find the page of another. */
const SEARCHES: Record<string, (caller: Caller, slug: string) => Promise<Answered>> = {
  search: post('/v1/search', () => ({ query: `${SECRET} ledger brotherhood`, contents })),
  'search-of-the-host': post('/v1/search', () => ({
    query: `${SECRET} ledger`,
    includeDomains: ['intranet.example'],
  })),
  'second-search': post('/shapeB/search', () => ({ query: `${SECRET} ledger`, include_raw_content: true })),
  answer: post('/v1/answer', () => ({ query: `Which payments does the ${SECRET} ledger list?`, text: true })),
  research: post('/v1/research', () => ({
    question: `What is the ${SECRET} ledger?`,
    maxSearches: 1,
    maxPages: 3,
  })),
  'v2-search': post('/v2/search', () => ({ query: `${SECRET} ledger` })),
  'tool-search': (caller) =>
    callTool(
      caller,
      tool('search', () => ({ query: `${SECRET} ledger` })),
    ),
  map: post('/shapeB/map', (slug) => ({ url: urlOf(slug), limit: 5 })),
  'cached-contents': post('/v1/contents', (slug) => ({
    urls: [urlOf(slug)],
    text: true,
    livecrawl: 'never',
  })),
  versions: (caller, slug) => caller.get(`/v1/versions?url=${encodeURIComponent(urlOf(slug))}`),
  libraries: (caller) => caller.get('/v1/libraries'),
  'library-search': post('/v1/libraries/search', () => ({ question: `the ${SECRET} ledger` })),
  sites: (caller) => caller.get('/v1/sites'),
  collections: (caller) => caller.get('/v1/collections'),
  monitors: (caller) => caller.get('/v1/monitors'),
};

/** Nothing of the page in an answer, besides what the asker wrote. */
function assertNothingOf(slug: string, { text }: Answered, asked: string): void {
  assert.ok(!text.includes(`lists the payments`), `${asked}: ${text}`);
  assert.ok(!text.includes(`${SECRET} ledger ${slug}`), `${asked}: ${text}`);
  assert.ok(!text.includes(TOKEN), asked);
}

await describeOnStores('pages behind a login', (databaseUrl) => {
  let app: RealServed;
  let owner: Caller;
  let stranger: Caller;
  const kept = keptLog();
  before(async () => {
    app = await serve(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }, { log: kept.log });
    [owner, stranger] = [await makeCaller(app), await makeCaller(app)];
    const added = await addSite(owner);
    assert.equal(added.status, 200, added.text);
    assert.ok(!added.text.includes(TOKEN));
  });
  after(() => app.close());

  for (const [route, read] of Object.entries(READS))
    test(`${route} gives its owner the page, and nobody else`, async () => {
      const slug = `page-${route}`;
      const mine = await read(owner, slug);
      assert.match(mine.text, route === 'verify' ? /"verified":true|lists/ : /lists the payments/, mine.text);
      const theirs = await read(stranger, slug);
      assertNothingOf(slug, theirs, route);
      for (const [name, search] of Object.entries(SEARCHES))
        assertNothingOf(slug, await search(stranger, slug), name);
      // Also not from a copy of what the owner has read again.
      await read(owner, slug);
      assertNothingOf(slug, await read(stranger, slug), route);
    });

  test('its collection is searched by its owner, with the addresses of its pages', async () => {
    await awaitFiled(owner, 1);
    const query = `${SECRET} ledger payments`;
    const { json, text } = await owner.post('/v1/search', { query, collection: 'intranet', contents });
    assert.ok(json.results.length > 0, text);
    for (const { url } of json.results) assert.match(url, /^http:\/\/intranet\.example:\d+\/[\w-]+$/);
    assert.match(text, /lists the payments/);
    assert.ok(!text.includes('col_'), text);
    const answer = await owner.post('/v1/answer', {
      query: `Which payments does the ${SECRET} ledger list?`,
      collection: ['intranet'],
    });
    assert.equal(answer.status, 200, answer.text);
    assert.match(answer.text, /intranet\.example/);
    assert.ok(!answer.text.includes('col_'), answer.text);
    // A search that does not name it finds nothing of it, also not for its owner.
    const without = await owner.post('/v1/search', { query, contents });
    assertNothingOf('', without, 'a search without the collection');
  });

  test('a key on its list searches it, and reads nothing by its profile', async () => {
    const reader = await makeCaller(app);
    const wanted = { query: `${SECRET} ledger`, collection: 'intranet', contents };
    const missing = await owner.post('/v1/search', { ...wanted, collection: 'nothing' });
    const refused = await reader.post('/v1/search', wanted);
    assert.deepEqual([missing.status, refused.status], [422, 422]);
    assert.equal(refused.json.message, missing.json.message.replace('nothing', 'intranet'));
    const shared = await owner.post('/v1/collections/intranet', { readers: [reader.keyId] });
    assert.deepEqual(shared.json.collection.readers, [reader.keyId]);
    assert.match((await reader.post('/v1/search', wanted)).text, /lists the payments/);
    assertNothingOf('fresh', (await READS.reader?.(reader, 'fresh')) as Answered, 'reader');
    assert.equal((await reader.get('/v1/collections')).json.collections.length, 0);
    assert.equal((await reader.delete('/v1/collections/intranet')).status, 404);
    assert.equal((await stranger.post('/v1/search', wanted)).status, 422);
    await owner.post('/v1/collections/intranet', { readers: [] });
    assert.equal((await reader.post('/v1/search', wanted)).status, 422);
  });

  test('a monitor of the page sees it for its owner alone', async () => {
    const [mine, theirs] = [
      await owner.post('/v1/monitors', { url: urlOf('watched') }),
      await stranger.post('/v1/monitors', { url: urlOf('watched') }),
    ];
    const stateOf = async (caller: Caller, made: Answered): Promise<Answered['json']> =>
      (await caller.get(`/v1/monitors/${made.json.monitor.id}`)).json.monitor;
    const { start, stop } = app.parts.jobs.monitoring;
    start();
    await waitFor(
      async () =>
        (await stateOf(owner, mine)).checkedAt !== null &&
        (await stateOf(stranger, theirs)).checkedAt !== null,
    );
    await stop();
    assert.equal((await stateOf(owner, mine)).lastCheck.error, null);
    assert.match((await stateOf(stranger, theirs)).lastCheck.error, /401/);
    assert.equal((await stranger.get(`/v1/monitors/${mine.json.monitor.id}/events`)).status, 404);
  });

  test('similar pages are refused, so that no source learns its words', async () => {
    const similar = await owner.post('/v1/findSimilar', { url: urlOf('similar') });
    assert.equal(similar.status, 422, similar.text);
    const leaked = upstream.asked('searxng').filter((asked) => JSON.stringify(asked).includes('lists'));
    assert.deepEqual(leaked, []);
  });

  test('a page that leads to another site fails, and the other site gets no token', async () => {
    const read = await owner.get(`/r/${encodeURIComponent(urlOf('leaving'))}`);
    assert.notEqual(read.status, 200);
    assert.match(read.text, /sign-in profile/);
    assert.ok(sentElsewhere.length > 0);
    assert.ok(!sentElsewhere.join('').includes(TOKEN));
  });

  test('two profiles of one host stay apart', async () => {
    const added = await addSite(stranger, { token: 'another-token' });
    assert.equal(added.status, 200);
    const read = await stranger.get(`/r/${encodeURIComponent(urlOf('page-reader'))}`);
    assertNothingOf('page-reader', read, 'a wrong token');
    assert.equal((await stranger.get('/v1/collections')).json.collections[0].pages, 0);
    const found = await stranger.post('/v1/search', { query: `${SECRET} ledger`, collection: 'intranet' });
    assert.deepEqual([found.status, found.json.results.length], [200, 0]);
  });

  test('the credentials are in no log, and sealed in the store', async () => {
    assert.ok(!kept.lines.join('').includes(TOKEN));
    assert.ok(!kept.lines.join('').includes('intranet.example'));
  });

  test('what is deleted is found no more', async () => {
    const wanted = { query: `${SECRET} ledger`, collection: 'intranet', contents };
    assert.equal((await stranger.delete('/v1/sites/intranet')).json.deleted, true);
    assert.equal((await owner.delete('/v1/sites/intranet')).json.deleted, true);
    assertNothingOf('gone', (await READS.reader?.(owner, 'gone')) as Answered, 'reader');
    assert.match((await owner.post('/v1/search', wanted)).text, /lists the payments/);
    assert.equal((await owner.delete('/v1/collections/intranet')).json.deleted, true);
    assert.equal((await owner.post('/v1/search', wanted)).status, 422);
    const { pages } = await app.services.index.size();
    assert.equal(pages, 0, 'nothing of it is left in the index');
  });
});

describe('who may have profiles', () => {
  test('nobody, unless the operator switches them on', async (t) => {
    const app = await serve({ PRIVATE_SITES: 'off' });
    t.after(() => app.close());
    const caller = await makeCaller(app);
    assert.equal((await addSite(caller)).status, 404);
    assert.equal((await caller.get('/v1/collections')).status, 404);
    const search = await caller.post('/v1/search', { query: 'ledger', collection: 'intranet' });
    assert.equal(search.status, 422);
  });

  test('the operator alone: callers who are not metered, and no key', async (t) => {
    const app = await serve({ PRIVATE_SITES: 'operator', UNMETERED_NETWORKS: '127.0.0.0/8' });
    t.after(() => app.close());
    const operator = { ...app, keyId: '' };
    const key = await makeCaller(app);
    assert.equal((await addSite(key)).status, 404);
    assert.equal((await addSite(operator)).status, 200);
    assert.match(
      (await app.get(`/r/${encodeURIComponent(urlOf('of-operator'))}`)).text,
      /lists the payments/,
    );
    assertNothingOf('of-operator', (await READS.reader?.(key, 'of-operator')) as Answered, 'reader');
    await awaitFiled(operator, 1);
    const wanted = { query: `${SECRET} ledger`, collection: 'intranet' };
    assert.equal((await key.post('/v1/search', wanted)).status, 422);
    await app.post('/v1/collections/intranet', { readers: [key.keyId] });
    assert.equal((await key.post('/v1/search', wanted)).json.results.length, 1);
  });

  test('no caller without a key', async (t) => {
    const app = await serve();
    t.after(() => app.close());
    assert.equal((await app.post('/v1/sites', { name: 'x', origins: 'x.example', token: 'y' })).status, 401);
  });
});
