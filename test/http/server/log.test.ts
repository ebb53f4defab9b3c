import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import type { AppDeps } from '../../../src/http/server/app.ts';
import { keptLog, readAnswer, type Served, searchAnswer, serveScripted } from '../../harness.ts';
import { unscriptedDeps } from '../../unscripted.ts';

type Line = Record<string, unknown>;

/** The lines once there are as many as there were requests: they are written after the answers. */
async function linesOf(lines: string[], count: number): Promise<Line[]> {
  while (lines.length < count) await new Promise((resolve) => setImmediate(resolve));
  return lines.map((line) => JSON.parse(line) as Line);
}

async function serveLogged(): Promise<{ app: Served; lines: string[] }> {
  const { log, lines } = keptLog();
  const app = await serveScripted({
    log,
    search: async () => searchAnswer({ cache: 'hit' }),
    read: async () => readAnswer(),
    contents: async () => {
      throw new TypeError('broken inside');
    },
  });
  return { app, lines };
}

test('one line per request: id, method, route, status, milliseconds, cache or failure', async (t) => {
  const { app, lines } = await serveLogged();
  t.after(() => app.close());
  const ids = [
    (await app.post('/search', { query: 'q' })).headers.get('x-request-id'),
    (await app.get('/r/https://example.org/secret-page?q=secret')).headers.get('x-request-id'),
    (await app.post('/v1/search', {})).headers.get('x-request-id'),
    (await app.get('/nothing/secret')).headers.get('x-request-id'),
  ];
  const got = (await linesOf(lines, 4)).map(({ requestId, method, route, status, cache, code, ms }) => {
    assert.equal(typeof ms, 'number');
    return { requestId, method, route, status, cache, code };
  });
  assert.deepEqual(got, [
    { requestId: ids[0], method: 'POST', route: '/search', status: 200, cache: 'hit', code: undefined },
    { requestId: ids[1], method: 'GET', route: '/r', status: 200, cache: 'miss', code: undefined },
    {
      requestId: ids[2],
      method: 'POST',
      route: '/v1/search',
      status: 422,
      cache: undefined,
      code: 'validation_error',
    },
    { requestId: ids[3], method: 'GET', route: null, status: 404, cache: undefined, code: 'not_found' },
  ]);
});

test('a slow request is a warning with the times of its stages, and without its query', async (t) => {
  const { log, lines } = keptLog();
  // Every request takes longer than that.
  const app = await serveScripted({ log, slowRequestMs: -1, search: async () => searchAnswer() });
  t.after(() => app.close());
  await app.post('/v1/search', { query: 'secret words' });
  const [line] = await linesOf(lines, 1);
  assert.equal(line?.msg, 'slow request');
  assert.equal(line?.level, 40);
  assert.equal(line?.route, '/v1/search');
  assert.deepEqual(line?.stagesMs, { recall: 3, total: 5 });
  assert.doesNotMatch(lines.join(), /secret/);
});

test('what is unexpected is logged once, with the request id', async (t) => {
  const { app, lines } = await serveLogged();
  t.after(() => app.close());
  const { json } = await app.post('/v1/contents', { urls: ['https://example.org/'] });
  const logged = await linesOf(lines, 2);
  assert.deepEqual(
    logged.map(({ level, requestId }) => ({ level, requestId })),
    [
      { level: 50, requestId: json.requestId },
      { level: 30, requestId: json.requestId },
    ],
  );
  assert.match(JSON.stringify(logged[0]?.err), /broken inside/);
});

test('no key, query, address or body is ever written', async (t) => {
  const { app, lines } = await serveLogged();
  t.after(() => app.close());
  const secret = 'sk-very-secret';
  await app.post('/search', { query: secret, apiKey: secret });
  await app.post('/search', { query: secret, api_key: secret });
  await app.post('/search', `{"query": ${secret}`, { 'x-api-key': secret });
  await app.post('/search', { query: 7, [secret]: secret }, { authorization: `Bearer ${secret}` });
  await app.get(`/r/https://example.org/${secret}?q=${secret}`, { 'x-api-key': 'keyless', cookie: secret });
  await app.get(`/${secret}?${secret}`);
  await app.post('/v1/contents', { urls: [`https://example.org/${secret}`], api_key: null });
  await app.post('/shapeB/search', { query: secret, api_key: secret, apiKey: secret });
  await app.post('/shapeB/search', { query: 'q', apiKey: secret, client_source: secret });
  await app.post('/shapeB/search', `{"apiKey": "${secret}"`, { authorization: `Bearer ${secret}` });
  await app.post('/shapeB/extract', { urls: `https://example.org/${secret}`, apiKey: secret });
  await app.post('/v1/search', { query: secret, store: secret });
  await app.post('/v1/search', { query: secret, store: false }, { 'x-no-store': secret });
  const call = { name: 'service_search', arguments: { query: secret, store: false } };
  const accept = 'application/json, text/event-stream';
  await app.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }, { accept });
  await linesOf(lines, 16);
  assert.doesNotMatch(lines.join(''), new RegExp(secret));
});

describe('a caller that hangs up is one line of the log, and no error', () => {
  /** Serves, lets a caller send `sent` and reset its connection once `when` resolves; then `after` is awaited. */
  async function linesOfReset(
    { parts, kept }: { parts: Partial<AppDeps>; kept: ReturnType<typeof keptLog> },
    { sent, when, after }: { sent: string; when?: Promise<void>; after?: Promise<void> },
  ): Promise<Line[]> {
    const app = await serveScripted({ ...parts, log: kept.log });
    const { hostname, port } = new URL(app.address);
    const socket = connect(Number(port), hostname);
    socket.write(sent);
    // What was sent has arrived when this is answered.
    await app.get('/healthz');
    await when;
    socket.resetAndDestroy();
    await linesOf(kept.lines, 2);
    await after;
    await app.get('/healthz');
    const logged = await linesOf(kept.lines, 3);
    await app.close();
    return logged;
  }
  const isHungUp = (logged: Line[], called = '/v1/search'): void =>
    assert.deepEqual(
      logged.map(({ level, route, status }) => [level, route, status]),
      [
        [30, '/healthz', 200],
        [30, called, 499],
        [30, '/healthz', 200],
      ],
    );
  const post = (path: string, body: object): string => {
    const json = JSON.stringify(body);
    return `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer sdl_x\r\nContent-Length: ${json.length}\r\n\r\n${json}`;
  };

  test('while its body arrives', async () => {
    const sent = 'POST /v1/search HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"query"';
    isHungUp(await linesOfReset({ parts: {}, kept: keptLog() }, { sent }));
  });

  for (const [what, path, body] of [
    ['call', '/v1/search', { query: 'q' }],
    [
      'tool call',
      '/mcp',
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'service_search', arguments: { query: 'q' } },
      },
    ],
  ] as const)
    test(`while something of its ${what} is under way that is then aborted`, async () => {
      const kept = keptLog();
      const looking = Promise.withResolvers<void>();
      const ended = Promise.withResolvers<void>();
      const findKey = async (): Promise<never> => {
        looking.resolve();
        await linesOf(kept.lines, 2);
        ended.resolve();
        throw new DOMException('This operation was aborted', 'AbortError');
      };
      const sent = post(path, body);
      const logged = linesOfReset(
        { parts: { findKey }, kept },
        { sent, when: looking.promise, after: ended.promise },
      );
      isHungUp(await logged, path);
    });

  test('while its call is charged', async () => {
    const kept = keptLog();
    const settling = Promise.withResolvers<void>();
    const refunds = Promise.withResolvers<void>();
    const { meter } = unscriptedDeps();
    const parts: Partial<AppDeps> = {
      search: async () => searchAnswer(),
      meter: {
        ...meter,
        beginCharge: async (payer, requestId) => ({
          ...(await meter.beginCharge(payer, requestId)),
          async settle() {
            settling.resolve();
            await linesOf(kept.lines, 2);
          },
          refund: async () => refunds.resolve(),
        }),
      },
    };
    const sent = 'POST /v1/search HTTP/1.1\r\nHost: a\r\nContent-Length: 13\r\n\r\n{"query":"q"}';
    isHungUp(await linesOfReset({ parts, kept }, { sent, when: settling.promise, after: refunds.promise }));
  });
});
