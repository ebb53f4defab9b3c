import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { describeOnStores } from '../fixtures/postgres.ts';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { type Answered, type RealServed, serveReal } from '../harness.ts';
import { connect, textOf } from '../mcp/connect.ts';

/** With METERING=off nobody is counted, and no answer mentions what it would cost. */
const MONEY_WORDS =
  /credit|cost_?dollars|keyless|pric(?:e|ing)|billing|auto.?reload|\bbuy\b|\bpaid\b|\bpay(?:ments?)?\b|free.(?:key|request)|api.?key|\bcharged?\b|\busd\b/i;

const PAGES = 14;
/** More requests than anybody is allowed without a key. */
const CALLS = 200;

let site: FakeWeb;
before(async () => {
  const paths = Array.from({ length: PAGES }, (_, place) => `/wader-${place}`);
  site = await startWeb({
    address: '127.10.0.61',
    routes: {
      '/': page('Waders', paths),
      ...Object.fromEntries(paths.map((path) => [path, page(`Wader ${path.slice(7)}`, ['/'])])),
    },
  });
});
after(() => site.close());

function page(title: string, links: string[]): string {
  return `<!doctype html><html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1>
  <p>The sanderling runs along the edge of the waves all day long and feeds on small crabs in the sand.</p>
  <p>${`${title} is told apart by its bill. `.repeat(6)}</p>${links.map((href) => `<a href="${href}">go</a>`).join(' ')}</main></body></html>`;
}

type Send = (app: RealServed, headers: Record<string, string>) => Promise<Answered>;

const post =
  (path: string, body: unknown): Send =>
  (app, headers) =>
    app.post(path, body, headers);
const get =
  (path: string, more: Record<string, string> = {}): Send =>
  (app, headers) =>
    app.get(path, { ...headers, ...more });

const BROWSER = { accept: 'text/html' };

/** Calls of every kind, with the status of each. */
const calls = (): [status: number, send: Send][] => {
  const url = `${site.origin}/wader-1`;
  const question = 'how does a sanderling feed';
  return [
    ...['/v1/search', '/search', '/shapeA/search'].map((path): [number, Send] => [
      200,
      post(path, { query: question, contents: { highlights: true } }),
    ]),
    [200, post('/v1/contents', { urls: [url, `${site.origin}/gone`] })],
    [200, post('/v1/findSimilar', { url })],
    [200, post('/v1/research', { question, maxSearches: 5 })],
    [200, post('/v1/verify', { url, quote: 'feeds on small crabs' })],
    [200, post('/shapeB/search', { query: question, include_answer: true, include_usage: true })],
    [200, post('/shapeB/search', { query: question, api_key: 'sdl_nobody' })],
    [200, post('/shapeB/extract', { urls: [url], include_usage: true })],
    [200, post('/shapeB/map', { url: site.origin, include_usage: true })],
    [200, get(`/r/${url}`)],
    [200, get(`/r/${url}?q=crabs`)],
    [200, get('/')],
    [200, get('/', BROWSER)],
    [200, get(`/?q=${encodeURIComponent(question)}`, BROWSER)],
    [200, get('/docs', BROWSER)],
    [200, get('/openapi.json')],
    [200, get('/llms.txt')],
    [200, get('/metrics')],
    [200, get('/healthz')],
    [200, get('/readyz')],
    [422, post('/v1/search', { query: 7 })],
    [422, post('/v1/search', '{"query":')],
    [422, post('/shapeB/search', {})],
    [413, post('/v1/search', `{"query":"${'x'.repeat(1_050_000)}"}`)],
    [502, get(`/r/${site.origin}/gone`)],
    [400, get('/r/http://10.1.1.1/')],
    [405, get('/v1/search')],
    [404, post('/v1/nothing', {})],
    // What a metered service serves does not exist.
    [404, get('/v1/balance')],
    [404, post('/v1/billing/auto-reload', { enabled: true })],
    [404, post('/v1/keys/free', {})],
    [404, post('/webhooks/stripe', {})],
    ...['/pricing', '/account', '/buy/instant', '/success', '/sandbox/pay/x'].map((path): [number, Send] => [
      404,
      get(path, BROWSER),
    ]),
  ];
};

/** A key that is sent anyway is ignored. */
const HEADERS: Record<string, string>[] = [
  {},
  { 'x-api-key': 'sdl_nobody' },
  { authorization: 'Bearer sdl_nobody' },
  { origin: 'http://localhost:3000' },
];

await describeOnStores('METERING=off', (databaseUrl) => {
  let app: RealServed;
  let client: Client;
  before(async () => {
    app = await serveReal({
      METERING: 'off',
      FETCH_ALLOW_PRIVATE: '127.10.0.0/16',
      ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
    });
    client = await connect(app.address);
  });
  after(async () => {
    await client.close();
    await app.close();
  });

  test(`${CALLS} calls of every kind: none is refused, none mentions credits or prices`, async () => {
    const kinds = calls();
    for (let call = 0; call < CALLS; call++) {
      const [status, send] = kinds[call % kinds.length] ?? assert.fail();
      const answer = await patiently(() => send(app, HEADERS[call % HEADERS.length] ?? {}));
      assert.equal(answer.status, status, answer.text.slice(0, 300));
      assertNoMoney(answer);
    }
  });

  test('a crawl is not cut to the pages of callers without a key', async () => {
    const { json } = await app.post('/shapeB/crawl', { url: site.origin, limit: PAGES, include_usage: true });
    assert.equal(json.results.length, PAGES);
    assert.equal(json.usage, undefined);
  });

  test('a whole MCP session: nine tools, no words about credits', async () => {
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name.replace(/^service_/, '')),
      [
        'search',
        'read',
        'contents',
        'search_docs',
        'find_library',
        'find_similar',
        'deep_research',
        'map',
        'crawl',
      ],
    );
    assert.doesNotMatch(JSON.stringify([tools, client.getInstructions()]), MONEY_WORDS);
    const url = `${site.origin}/wader-2`;
    for (const [name, args] of [
      ['search', { query: 'sanderling crabs' }],
      ['read', { url }],
      ['read', { url, max_tokens: 500 }],
      ['contents', { urls: [url] }],
      ['contents', { urls: [`${site.origin}/gone`] }],
      ['find_similar', { url }],
      ['deep_research', { question: 'how does a sanderling feed', max_tokens: 500 }],
      ['map', { url: site.origin }],
      ['crawl', { url: site.origin }],
      ['crawl', { url: site.origin, cursor: `7.${'x'.repeat(22)}` }],
      ['read', { url: `${site.origin}/gone` }],
      ['read', { url: 'http://10.1.1.1/' }],
      ['read', {}],
    ] as const) {
      const result = await client.callTool({ name: `service_${name}`, arguments: args });
      assert.notEqual(textOf(result), '');
      assert.doesNotMatch(JSON.stringify(result), MONEY_WORDS);
    }
    for (const name of ['service_balance', 'service_auto_reload'])
      await assert.rejects(client.callTool({ name }), /There is no tool/);
  });

  test('nothing was written into the ledger', async () => {
    const { db } = app.billing.ledgerStore;
    // Readiness probes write a row without a day.
    const counted = db.selectFrom('allowance').select('used').where('day', '>', '1');
    assert.deepEqual(await counted.execute(), []);
    assert.deepEqual(await db.selectFrom('hold').select('id').execute(), []);
    assert.deepEqual(await db.selectFrom('entry').select('ref').execute(), []);
  });
});

const TRIES = 20;

/** A server on a busy machine sheds load: such a call is sent again. */
async function patiently(send: () => Promise<Answered>): Promise<Answered> {
  for (let tries = 1; ; tries++) {
    const answer = await send();
    if (answer.status !== 503 || tries === TRIES) return answer;
  }
}

function assertNoMoney({ headers, text }: Answered): void {
  // The browser feature that every page switches off.
  for (const [name, value] of headers)
    assert.doesNotMatch(`${name}: ${value.replace('payment=()', '')}`, MONEY_WORDS);
  assert.doesNotMatch(text, MONEY_WORDS);
}
