import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type BrokenLine, createBrokenLine } from '../../fixtures/broken-line.ts';
import { createTestDatabase, noServer, type TestDatabase } from '../../fixtures/postgres.ts';
import { type Answered, type RealServed, searchAnswer, serveReal, serveScripted } from '../../harness.ts';
import { openChargedFixture } from '../calls/charged-service.ts';

type Headers = Record<string, string>;
type Ask = (app: RealServed, key: Headers) => Promise<Answered>;

const posted =
  (path: string, body: unknown): Ask =>
  (app, key) =>
    app.post(path, body, key);
const anybody =
  (ask: Ask): Ask =>
  (app) =>
    ask(app, {});

/** Every route that asks the books, by how its failures are worded. */
const ROUTES: [name: string, shape: 'first' | 'second' | 'page' | 'tool', ask: Ask][] = [
  ['search', 'first', posted('/v1/search', { query: 'q' })],
  ['search without a key', 'first', anybody(posted('/v1/search', { query: 'q' }))],
  ['a key in the body', 'first', (app) => app.post('/v1/search', { query: 'q', api_key: 'sdl_x' })],
  ['contents', 'first', posted('/v1/contents', { urls: ['https://example.org/'] })],
  ['the reader', 'first', (app, key) => app.get('/r/https://example.org/', key)],
  ['verify', 'first', posted('/v1/verify', { url: 'https://example.org/', quotes: ['q'] })],
  ['search in the second shape', 'second', posted('/shapeB/search', { query: 'q' })],
  ['search in the second shape, without a key', 'second', anybody(posted('/shapeB/search', { query: 'q' }))],
  ['crawl', 'second', posted('/shapeB/crawl', { url: 'https://example.org/' })],
  ['balance', 'first', (app, key) => app.get('/v1/balance', key)],
  ['auto-reload', 'first', posted('/v1/billing/auto-reload', { enabled: false })],
  ['a free key', 'first', posted('/v1/keys/free', {})],
  ['readiness', 'first', (app) => app.get('/readyz')],
  ['buying, for a program', 'first', (app) => app.get('/buy/instant')],
  ['buying, in a browser', 'page', (app) => app.get('/buy/instant', { accept: 'text/html' })],
  ['the page behind a payment', 'page', (app) => app.get('/success?session_id=cs_1&n=1')],
  ['the account page', 'page', (app) => app.post('/account', 'key=sdl_x')],
  [
    'a tool',
    'tool',
    posted('/mcp', {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'service_search', arguments: { query: 'q' } },
    }),
  ],
];

const WORDED: Record<string, (answered: Answered) => void> = {
  first({ json, headers }) {
    assert.equal(json.error, 'overloaded');
    assert.equal(json.requestId, headers.get('x-request-id'));
    assert.doesNotMatch(json.message, /ECONN|pg|timeout exceeded/);
  },
  second({ json }) {
    assert.deepEqual(json, { detail: { error: 'overloaded' } });
  },
  page({ text, headers }) {
    assert.match(headers.get('content-type') ?? '', /^text\/html/);
    assert.match(text, new RegExp(headers.get('x-request-id') ?? 'none'));
  },
  tool({ json }) {
    assert.equal(json.result.isError, true);
    assert.match(json.result.content[0].text, /^overloaded: /);
  },
};

const database: TestDatabase | null = await createTestDatabase();
describe('PostgreSQL stops answering', { skip: database === null ? noServer : false }, () => {
  let line: BrokenLine;
  let app: RealServed;
  let key: Headers;
  /** What each route answered while the line was stalled. */
  const answers = new Map<string, Answered>();
  let metrics: Answered;
  let unreadable: Answered;
  /** The answer to a call during which the line stalled. */
  let interrupted: Answered;
  /** The key of that call, and what it has once the line is back. */
  const caller = { credits: 10, creditsAfter: 0 };
  before(async () => {
    const { hostname: host, port, pathname } = new URL(database?.url ?? '');
    line = await createBrokenLine({ host, port: Number(port || 5_432) });
    const lineUrl = `postgres://postgres@127.0.0.1:${line.port}${pathname}`;
    app = await serveReal({ DATABASE_URL: lineUrl });
    const { apiKey } = await app.billing.keys.create({ credits: 1_000, label: null });
    key = { 'x-api-key': apiKey };
    const stalled = Promise.withResolvers<void>();
    const fixture = await openChargedFixture(lineUrl, {
      search: async () => {
        line.stall();
        stalled.resolve();
        return searchAnswer();
      },
    });
    const own = await fixture.billing.keys.create({ credits: caller.credits, label: null });
    const interrupting = fixture.served.post('/v1/search', { query: 'q' }, { 'x-api-key': own.apiKey });
    await stalled.promise;
    // All at once: the calls wait for the same stalled line, each up to its own limit.
    const asked = ROUTES.map(async ([name, , ask]) => {
      answers.set(name, await ask(app, key));
    });
    [metrics, interrupted] = await Promise.all([app.get('/metrics'), interrupting, ...asked]);
    unreadable = await app.post('/v1/search', '{"query":');
    line.resume();
    await fixture.billing.background.drain();
    caller.creditsAfter = (await fixture.billing.balanceOf(own.keyId)).credits;
    await fixture.close();
  });
  after(async () => {
    await app.close();
    await line.close();
    await database?.drop();
  });

  for (const [name, shape] of ROUTES)
    test(`${name} is answered in its own shape, with the request id, while the line is stalled`, () => {
      const answered = answers.get(name) ?? assert.fail('it was not answered');
      assert.equal(answered.status, shape === 'tool' ? 200 : 503, answered.text);
      assert.match(answered.headers.get('x-request-id') ?? '', /^req_[0-9a-f]{24}$/);
      WORDED[shape]?.(answered);
    });

  test('a body that cannot be read is refused as such', () => {
    const { status, json, headers } = unreadable;
    assert.deepEqual([status, json.error], [422, 'validation_error']);
    assert.equal(json.requestId, headers.get('x-request-id'));
    assert.equal(headers.get('x-credits-remaining'), '0');
  });

  test('in the middle of a call: 503, and what the call held comes back', () => {
    assert.deepEqual([interrupted.status, interrupted.json.error], [503, 'overloaded']);
    assert.equal(caller.creditsAfter, caller.credits);
  });

  test('when it answers again, so does the service', async () => {
    assert.equal((await app.get('/v1/balance', key)).status, 200);
  });

  test('the metrics say that the books cannot be read, and the rest is there', () => {
    const { status, text } = metrics;
    assert.equal(status, 200);
    assert.match(text, /^sanderling_books_readable 0$/m);
  });
});

test('an error handler that meets a failure of its own still answers in the shape of the route', async (t) => {
  const broken = async (): Promise<never> => Promise.reject(new TypeError('a defect'));
  const app = await serveScripted({ findKey: broken });
  t.after(() => app.close());
  for (const body of ['{"query":', { query: 'q' }]) {
    const first = await app.post('/v1/search', body, { 'x-api-key': 'sdl_x' });
    assert.equal(first.json.requestId, first.headers.get('x-request-id'));
    const second = await app.post('/shapeB/search', body, { 'x-api-key': 'sdl_x' });
    assert.equal(typeof second.json.detail.error, 'string');
    assert.equal(second.headers.get('x-credits-remaining'), '0');
  }
});
