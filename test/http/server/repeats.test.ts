import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { after, before, describe, type TestContext, test } from 'node:test';
import { type FakeWeb, startWeb } from '../../fixtures/web.ts';
import { type RealServed, serveReal } from '../../harness.ts';
import { get, open, PROBE, parsed, post, settled } from './byte-client.ts';

const PAGE = `<!doctype html><title>Waders</title><main><h1>Waders</h1><p>${'The sanderling runs along the edge of the surf and picks sandhoppers before the next wave — “quickly”. '.repeat(30)}</p></main>`;

describe('a request that repeats an earlier one', () => {
  let web: FakeWeb;
  let app: RealServed;
  let key: string;
  before(async () => {
    web = await startWeb({
      routes: {
        '/waders': (_request, response) => {
          response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
          response.end(PAGE);
        },
      },
    });
    app = await serveReal({ FETCH_ALLOW_PRIVATE: '127.0.0.0/8', METERING: 'on', FREE_KEYS: 'on' });
    key = await newKey(1_000_000);
    // The page enters the index, and the search is kept.
    const client = { 'x-api-key': key };
    await app.get(`/r/${web.origin}/waders`, client);
    await app.services.background.drain();
  });
  after(async () => {
    await app.close();
    await web.close();
  });
  const newKey = async (credits: number, terms = {}): Promise<string> =>
    (await app.services.keys.create({ credits, label: null, ...terms })).apiKey;

  /** The response of the parser and the framework, and one to the same bytes later on the same connection. */
  async function both(
    t: TestContext,
    request: string,
  ): Promise<{ long: string; again: string; count: number }> {
    const first = await open(t, app.address);
    await first.send(PROBE);
    // The first call may be work; the second is from memory and is noted.
    for (let tries = 0; tries < 2; tries += 1) {
      await first.send(request);
      await app.services.background.drain();
    }
    // A connection's first request is always parsed.
    const fresh = await open(t, app.address);
    const long = await fresh.send(request);
    const { value: again, count } = await parsed(() => first.send(request));
    return { long, again, count };
  }

  const search = { query: 'sanderling surf', numResults: 5 };
  const short: [string, () => string][] = [
    ['a search', () => post('/v1/search', key, search)],
    [
      'a search by an alias, with a field that has no effect',
      () => post('/search', key, { ...search, colour: 1 }),
    ],
    ['a search in brotli', () => post('/v1/search', key, search, 'Accept-Encoding: br, gzip\r\n')],
    ['a search in gzip', () => post('/v1/search', key, search, 'Accept-Encoding: gzip\r\n')],
    [
      'a search of a client that accepts no coding',
      () => post('/v1/search', key, search, 'Accept-Encoding: identity\r\n'),
    ],
    ['a page', () => get(`/r/${web.origin}/waders`, key)],
    [
      'a page, conditionally',
      () =>
        get(
          `/r/${web.origin}/waders`,
          key,
          'If-None-Match: "a"\r\nIf-Modified-Since: Thu, 01 Jan 2099 00:00:00 GMT\r\n',
        ),
    ],
    ['a page in brotli', () => get(`/r/${web.origin}/waders`, key, 'Accept-Encoding: br\r\n')],
    ['a page as JSON', () => get(`/r/${web.origin}/waders`, key, 'Accept: application/json\r\n')],
    ['contents', () => post('/v1/contents', key, { urls: [`${web.origin}/waders`] })],
  ];
  for (const [name, request] of short)
    test(`${name}: the same bytes, without the parser`, async (t) => {
      const { long, again, count } = await both(t, request());
      assert.match(again, /^HTTP\/1\.1 200 OK\r\n/);
      assert.match(again, /\r\nx-cache: hit\r\n/);
      assert.equal(settled(again), settled(long));
      assert.equal(count, 0);
      const idOf = (text: string) => /\r\nx-request-id: (\S+)/.exec(text)?.[1];
      assert.notEqual(idOf(again), idOf(long));
      const left = (text: string) => Number(/\r\nx-credits-remaining: (\d+)/.exec(text)?.[1]);
      assert.equal(left(long) - left(again), 1);
    });

  test('402: the same bytes, without the parser', async (t) => {
    const empty = await newKey(0);
    for (const path of ['/v1/search', '/search']) {
      const { long, again, count } = await both(t, post(path, empty, search));
      assert.match(again, /^HTTP\/1\.1 402 Payment Required\r\n/);
      assert.equal(settled(again), settled(long));
      assert.equal(count, 0);
    }
  });

  const parsedAnyway: [string, number, () => string][] = [
    ['a search of the second shape', 200, () => post('/shapeB/search', key, { query: 'sanderling surf' })],
    ['an unknown key', 401, () => post('/v1/search', 'sdl_unknown', search)],
    ['a body that is no JSON', 422, () => post('/v1/search', key, '{"query":')],
    ['a body without its field', 422, () => post('/v1/search', key, {})],
    ['a page without a web address', 400, () => get('/r/ftp:', key)],
    ['a HEAD of a search', 405, () => get('/searxng/search?q=sanderling+surf&format=json', key, '', 'HEAD')],
    ['a method that is not served', 405, () => get(`/r/${web.origin}/waders`, key, '', 'HEAD')],
  ];
  for (const [name, status, request] of parsedAnyway)
    test(`${name}: as ever`, async (t) => {
      const { long, again } = await both(t, request());
      assert.match(again, new RegExp(`^HTTP/1\\.1 ${status} `));
      if (status !== 405) assert.equal(settled(again), settled(long));
    });

  test('429: a key with a limit is counted each time, and refused when the limit is reached', async (t) => {
    const limited = await newKey(100, { terms: { perMinute: 4, perDay: null, expiresAt: null } });
    const client = await open(t, app.address);
    await client.send(PROBE);
    const statuses: string[] = [];
    for (let calls = 0; calls < 6; calls += 1)
      statuses.push((await client.send(post('/v1/search', limited, search))).slice(9, 12));
    assert.deepEqual(statuses, ['200', '200', '200', '200', '429', '429']);
  });

  test('a key that is revoked meanwhile is refused', async (t) => {
    const { apiKey, keyId } = await app.services.keys.create({ credits: 100, label: null });
    const client = await open(t, app.address);
    await client.send(PROBE);
    const request = post('/v1/search', apiKey, search);
    for (let calls = 0; calls < 3; calls += 1) assert.match(await client.send(request), /^HTTP\/1\.1 200/);
    await app.services.keys.revoke(keyId);
    assert.match(await client.send(request), /^HTTP\/1\.1 401 /);
  });

  test('a key that runs out of credits is refused, and is served again when it has some', async (t) => {
    const { apiKey, keyId } = await app.services.keys.create({ credits: 4, label: null });
    const client = await open(t, app.address);
    await client.send(PROBE);
    const request = get(`/r/${web.origin}/waders`, apiKey);
    for (const left of [3, 2, 1, 0])
      assert.match(
        await client.send(request),
        new RegExp(`^HTTP/1\\.1 200 OK.*x-credits-remaining: ${left}\\r`, 's'),
      );
    assert.match(await client.send(request), /^HTTP\/1\.1 402 /);
    await app.services.keys.grant({ keyId, credits: 2, ref: 'gift' });
    assert.match(await client.send(request), /^HTTP\/1\.1 200 OK[\s\S]*x-credits-remaining: 1\r/);
  });

  test('bytes of a body are never taken for a request', async (t) => {
    const request = post('/v1/search', key, search);
    const client = await open(t, app.address);
    await client.send(PROBE);
    for (let calls = 0; calls < 2; calls += 1) await client.send(request);
    // The head of a call whose body is, to the byte, a request that is known.
    const outer = `POST /v1/search HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${request.length}\r\n\r\n`;
    const begun = Promise.withResolvers<unknown>();
    subscribe('http.server.request.start', begun.resolve);
    client.write(outer);
    await begun.promise;
    unsubscribe('http.server.request.start', begun.resolve);
    const { value, count } = await parsed(async () => {
      client.write(request);
      return client.next();
    });
    assert.match(value, /^HTTP\/1\.1 422 /);
    assert.equal(count, 0);
  });

  test('several requests in one piece are answered in their order', async (t) => {
    const request = post('/v1/search', key, search);
    const client = await open(t, app.address);
    for (let calls = 0; calls < 3; calls += 1) await client.send(request);
    client.write(request + PROBE + request);
    for (const body of ['"results":', '"status":', '"results":'])
      assert.ok((await client.next()).includes(body));
  });

  test('a request that comes while another is answered waits for it', async (t) => {
    const request = post('/v1/search', key, search);
    const client = await open(t, app.address);
    for (let calls = 0; calls < 3; calls += 1) await client.send(request);
    client.write(request);
    client.write(PROBE);
    client.write(request);
    for (const body of ['"results":', '"status":', '"results":'])
      assert.ok((await client.next()).includes(body));
  });

  test('a draining process says that the connection ends, and ends it', async (t) => {
    const other = await serveReal();
    const { apiKey } = await other.services.keys.create({ credits: 0, label: null });
    const client = await open(t, other.address);
    const request = post('/v1/search', apiKey, search);
    for (let calls = 0; calls < 3; calls += 1) await client.send(request);
    const closed = once(client.socket, 'close');
    other.draining.begin();
    assert.match(await client.send(request), /\r\nconnection: close\r\n/i);
    await closed;
    await other.close();
  });
});
