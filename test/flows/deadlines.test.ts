import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { after, before, describe, type TestContext, test } from 'node:test';
import { PRICES } from '../../src/billing/ledger/prices.ts';
import { PAGE_TIMEOUT_MS } from '../../src/contract/limits.ts';
import { FETCH_LIMITS } from '../../src/platform/net/guard.ts';
import { type FakeDns, startDns } from '../fixtures/dns-server.ts';
import { bodyWith } from '../fixtures/upstream/bodies.ts';
import { type RawServer, startRawServer } from '../fixtures/web.ts';
import { type Answered, type RealServed, serveReal } from '../harness.ts';

/** The clock of the library that fetches, which has timers of its own. */
const undiciTimers = createRequire(import.meta.url)('undici/lib/util/timers.js') as {
  tick(ms: number): void;
};

const CREDITS = 100;
/** A little more than a page may take, and less than its call. */
const PAGE_MS = PAGE_TIMEOUT_MS + 1_500;
/** A little more than the pages of a search may take. */
const SEARCH_PAGES_MS = 3_500;
const STEP_MS = 500;
const LOOKS_MAX = 1_000;

/** A server that takes connections and never says all that it should. */
type Stalled = Pick<RawServer, 'origin' | 'port' | 'close'> & {
  /** The next connection on which something has arrived. */
  reached(): Promise<Socket>;
};

async function stall(beginning: string | (() => string) = ''): Promise<Stalled> {
  let next = Promise.withResolvers<Socket>();
  const { origin, port, close } = await startRawServer((socket) => {
    const said = typeof beginning === 'string' ? beginning : beginning();
    if (said !== '') socket.write(said);
    next.resolve(socket);
  });
  return {
    origin,
    port,
    close,
    reached: () => next.promise.finally(() => (next = Promise.withResolvers<Socket>())),
  };
}

const BEGINNING = 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 9000\r\n\r\n<p>The begin';
const PAGE = `<title>A page</title><p>${'The sanderling runs along the edge of the surf. '.repeat(9)}</p>`;

/** What the source says. */
let found = '';
let app: RealServed;
let names: FakeDns;
let silent: Stalled;
let begins: Stalled;
let source: Stalled;
let browser: Stalled;
let site: RawServer;
before(async () => {
  names = await startDns({ 'silent.example.org': 'silence', 'page.example.org': ['127.10.0.1'] });
  [silent, begins, source, browser] = await Promise.all([
    ...[stall(), stall(BEGINNING), stall(() => found), stall()],
  ] as const);
  site = await startRawServer((socket) =>
    socket.end(`HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: ${PAGE.length}\r\n\r\n${PAGE}`),
  );
  app = await serveReal({
    RECALL: 'brave',
    BRAVE_URL: source.origin,
    BRAVE_API_KEY: 'key',
    ACCEPT_PROVIDER_TERMS: 'brave',
    FETCH_ALLOW_PRIVATE: '127.10.0.0/16',
    DNS_SERVERS: names.address,
    RENDER_URL: browser.origin,
    RENDER_TOKEN: 'a token of sixteen and more',
  });
});
after(async () => {
  await app.close();
  await Promise.all([silent, begins, source, browser, site, names].map((server) => server.close()));
});

type Hop = {
  what: string;
  /** What the call asks for. */
  path: () => string;
  body?: object;
  headers?: Record<string, string>;
  /** Where it gets stuck. */
  reached: () => Promise<Socket | null>;
  status: number;
  code: string;
  /** How long a connection that is being made outlives its call. */
  lingersMs?: number;
};

const read = (url: () => string): Pick<Hop, 'path' | 'status' | 'code'> => ({
  path: () => `/r/${url()}`,
  status: 502,
  code: 'fetch_failed',
});

/** Resolves once the name server was asked, which has no connection. */
async function asksForName(): Promise<null> {
  while (names.asked('silent.example.org') === 0) await new Promise(setImmediate);
  return null;
}

const HOPS: Hop[] = [
  {
    what: 'a source that does not answer',
    path: () => '/v1/search',
    body: { query: 'red knot' },
    reached: () => source.reached(),
    status: 503,
    code: 'recall_unavailable',
  },
  {
    what: 'the name of a page that nobody tells',
    ...read(() => 'http://silent.example.org/'),
    reached: asksForName,
  },
  {
    what: 'a server that does not finish a connection',
    ...read(() => silent.origin.replace('http:', 'https:')),
    reached: () => silent.reached(),
    lingersMs: FETCH_LIMITS.connectMs + STEP_MS,
  },
  {
    what: 'a page whose headers do not come',
    ...read(() => `${silent.origin}/headers`),
    reached: () => silent.reached(),
  },
  {
    what: 'a page whose body does not end',
    ...read(() => `${begins.origin}/body`),
    reached: () => begins.reached(),
  },
  {
    what: 'a browser that does not answer',
    ...read(() => `${site.origin}/rendered`),
    headers: { 'x-engine': 'browser' },
    reached: () => browser.reached(),
    status: 503,
    code: 'overloaded',
  },
];

/**
 * Moves every clock of this process but that of its threads. Between the steps a thread that was asked for something replies to it, whose
 * time would otherwise be over while no time has passed.
 */
async function pass(t: TestContext, ms: number, key: Key): Promise<void> {
  for (let at = 0; at < ms; at += STEP_MS) {
    t.mock.timers.tick(STEP_MS);
    undiciTimers.tick(STEP_MS);
    await app.billing.ledger.available(key.keyId);
  }
}

type Key = { keyId: string; headers: Record<string, string> };

async function keyWithCredits(): Promise<Key> {
  const { apiKey, keyId } = await app.billing.keys.create({ credits: CREDITS, label: null });
  return { keyId, headers: { 'x-api-key': apiKey } };
}

async function creditsOf({ headers }: Key): Promise<number> {
  return (await app.get('/v1/balance', headers)).json.credits;
}

const isGone = (socket: Socket | null): Promise<unknown> =>
  socket === null || socket.destroyed ? Promise.resolve() : once(socket, 'close');

describe('when the time of a call is over, its work ends and nothing is charged', () => {
  for (const { what, path, body, headers, reached, status, code } of HOPS)
    test(what, async (t) => {
      const key = await keyWithCredits();
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const sent = { ...key.headers, ...headers };
      const call: Promise<Answered> =
        body === undefined ? app.get(path(), sent) : app.post(path(), body, sent);
      const socket = await reached();
      await pass(t, PAGE_MS, key);
      t.mock.timers.reset();
      const answer = await call;
      assert.deepEqual([answer.status, answer.json.error], [status, code]);
      assert.equal(answer.headers.get('x-credits-remaining'), String(CREDITS));
      await isGone(socket);
      assert.equal(await creditsOf(key), CREDITS);
    });
});

describe('when a caller hangs up, the work ends and nothing is charged', () => {
  for (const { what, path, body, headers, reached, lingersMs = 0 } of HOPS)
    test(what, async (t) => {
      const key = await keyWithCredits();
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const caller = new AbortController();
      const call = fetch(app.address + path(), {
        method: body === undefined ? 'GET' : 'POST',
        signal: caller.signal,
        headers: { ...key.headers, ...headers, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      const socket = await reached();
      caller.abort();
      await assert.rejects(call, { name: 'AbortError' });
      await pass(t, lingersMs, key);
      await isGone(socket);
      t.mock.timers.reset();
      // The refund is on its way when the work has ended.
      for (let looks = 0; looks < LOOKS_MAX && (await creditsOf(key)) < CREDITS; looks += 1)
        await new Promise(setImmediate);
      assert.equal(await creditsOf(key), CREDITS);
    });
});

describe('what came before the time was over is given, and charged alone', () => {
  test('of several pages, those that came', async (t) => {
    const key = await keyWithCredits();
    const [there, late] = [`${site.origin}/there`, `${silent.origin}/late`];
    // Kept from then on, so that no thread has to be waited for.
    await app.get(`/r/${there}`);
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const call = app.post('/v1/contents', { urls: [there, late] }, key.headers);
    const socket = await silent.reached();
    await pass(t, PAGE_MS, key);
    t.mock.timers.reset();
    const { status, json, text } = await call;
    assert.equal(status, 200, text);
    assert.deepEqual([status, json.results.map(({ id }: { id: string }) => id)], [200, [there]]);
    assert.deepEqual(json.statuses[1].error, { tag: 'CRAWL_TIMEOUT', httpStatusCode: 504 });
    await isGone(socket);
    assert.equal(await creditsOf(key), CREDITS - PRICES.contentsPerUrl);
  });

  test('a search without the text of its page', async (t) => {
    const key = await keyWithCredits();
    const url = `http://page.example.org:${silent.port}/result`;
    const body = bodyWith('brave', [{ url, title: 'A result', snippet: 'Of a bird.', publishedDay: null }]);
    found = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    t.after(() => (found = ''));
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const call = app.post('/v1/search', { query: 'result of a bird', contents: true }, key.headers);
    const socket = await silent.reached();
    await pass(t, SEARCH_PAGES_MS, key);
    t.mock.timers.reset();
    const { status, json, text } = await call;
    assert.equal(status, 200, text);
    assert.deepEqual(
      [json.results.length, json.results[0].url, json.results[0].text],
      [1, url, 'Of a bird.'],
    );
    await isGone(socket);
    assert.equal(await creditsOf(key), CREDITS - PRICES.search);
  });
});
