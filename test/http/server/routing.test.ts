import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { type Served, searchAnswer, serveScripted } from '../../harness.ts';
import { rawExchange } from './raw-exchange.ts';

let app: Served;
before(async () => {
  app = await serveScripted({ search: async () => searchAnswer() });
});
after(() => app.close());

/** The body of a failure under /shapeB, which has no request id. */
const inShapeB = (code: string) => (): object => ({ detail: { error: code } });

/** Status, headers and JSON of a raw answer. */
// biome-ignore lint/suspicious/noExplicitAny: asserted where it is used
function parsed(answer: string): { status: number; head: string; json: any } {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  return { status: Number(head.slice(9, 12)), head, json: body === '' ? undefined : JSON.parse(body) };
}

describe('200', () => {
  test('the root tells what stands where', async () => {
    const { status, json } = await app.get('/');
    assert.equal(status, 200);
    assert.equal(json.name, 'Sanderling');
    assert.match(json.requestId, /^req_/);
  });

  test('a POST with repeated slashes is served, never redirected', async () => {
    const { status } = await app.post('//v1///search//', { query: 'q' });
    assert.equal(status, 200);
  });

  test('a target with scheme and host, as proxies get it', async () => {
    const answer = await rawExchange(
      app.address,
      'GET http://x/healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
    assert.equal(parsed(answer).status, 200);
  });

  test('a request that names no host', async () => {
    const answer = await rawExchange(app.address, 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n');
    assert.equal(parsed(answer).status, 200);
  });

  test('a request that expects something strange is served all the same', async () => {
    const answer = await rawExchange(
      app.address,
      'GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nConnection: close\r\n\r\n',
    );
    assert.equal(parsed(answer).status, 200);
  });
});

describe('404', () => {
  test('a part of the path of any length is answered in the format of its shape', async () => {
    const long = 'x'.repeat(9_000);
    const { status, json } = await app.get(`/buy/${long}`);
    assert.equal(status, 404);
    assert.equal(json.error, 'not_found');
  });

  for (const path of [
    '/answers',
    '/v1',
    '/v3/search',
    '/shapeA',
    '/shapeBsearch',
    '/search/more',
    '/broken%zz',
    '/%ff',
  ])
    test(`${path} in the first shape`, async () => {
      const { status, json, headers } = await app.get(path);
      assert.equal(status, 404);
      assert.equal(json.error, 'not_found');
      assert.equal(typeof json.message, 'string');
      assert.equal(json.requestId, headers.get('x-request-id'));
    });

  for (const path of ['/shapeB', '/shapeB/', '/shapeB/answers', '//shapeB//use?x=1', '/shapeB/%zz'])
    test(`${path} in the second shape`, async () => {
      for (const answer of [await app.get(path), await app.post(path, { a: 1 })]) {
        assert.equal(answer.status, 404);
        assert.deepEqual(answer.json, { detail: { error: 'not_found' } });
        assert.match(answer.headers.get('x-request-id') ?? '', /^req_/);
      }
    });
});

describe('405', () => {
  const wrong: [method: string, path: string, allow: string][] = [
    ['GET', '/v1/search', 'POST, OPTIONS'],
    ['DELETE', '/search/', 'POST, OPTIONS'],
    ['PUT', '/contents', 'POST, OPTIONS'],
    ['PATCH', '/shapeA/contents', 'POST, OPTIONS'],
    ['PUT', '/r/https://example.org/', 'GET, POST, OPTIONS'],
    ['POST', '/healthz', 'GET, HEAD, OPTIONS'],
  ];
  for (const [method, path, allow] of wrong)
    test(`${method} ${path}`, async () => {
      const response = await fetch(app.address + path, { method });
      assert.equal(response.status, 405);
      assert.equal(response.headers.get('allow'), allow);
      const { error, requestId } = (await response.json()) as Record<string, string>;
      assert.equal(error, 'method_not_allowed');
      assert.equal(requestId, response.headers.get('x-request-id'));
    });

  test('HEAD of a POST route', async () => {
    const response = await fetch(`${app.address}/search`, { method: 'HEAD' });
    assert.equal(response.status, 405);
    assert.equal(response.headers.get('allow'), 'POST, OPTIONS');
  });
});

describe('413', () => {
  test('a body of exactly 1 MB is read, one byte more is not', async () => {
    const frame = '{"query":"q","x":""}';
    const full = `{"query":"q","x":"${'x'.repeat(1_048_576 - frame.length)}"}`;
    assert.equal((await app.post('/v1/search', full)).status, 200);
    const { status, json } = await app.post('/v1/search', `${full} `);
    assert.equal(status, 413);
    assert.equal(json.error, 'request_too_large');
    assert.match(json.requestId, /^req_/);
  });

  test('a body of unknown length', async () => {
    const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`;
    const answer = await rawExchange(
      app.address,
      `POST /v1/search HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunk.repeat(17)}`,
    );
    assert.equal(parsed(answer).status, 413);
    assert.equal(parsed(answer).json.error, 'request_too_large');
  });
});

describe('422', () => {
  test('a POST without a body', async () => {
    const sent = 'POST /v1/search HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const { status, json } = parsed(await rawExchange(app.address, sent));
    assert.equal(status, 422);
    assert.equal(json.error, 'validation_error');
  });
});

describe('what is not HTTP', () => {
  const broken: [name: string, sent: string, status: number, code: string][] = [
    ['noise', 'this is not http\r\n\r\n', 400, 'bad_request'],
    ['a broken header', 'GET /healthz HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n', 400, 'bad_request'],
    [
      'two lengths',
      'POST /v1/search HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}',
      400,
      'bad_request',
    ],
    [
      'headers beyond 32 KB',
      `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(40_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    [
      'an address beyond 32 KB',
      `GET /${'a'.repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      431,
      'headers_too_large',
    ],
  ];
  for (const [name, sent, status, code] of broken)
    test(`${name} is ${status}`, async () => {
      const answer = parsed(await rawExchange(app.address, sent));
      assert.equal(answer.status, status);
      assert.equal(answer.json.error, code);
      assert.match(answer.json.requestId, /^req_/);
      assert.match(answer.head, /x-request-id: req_/i);
    });

  const long = `X-Long: ${'a'.repeat(40_000)}`;
  const inShapes: [name: string, sent: string, status: number, body: (requestId: string) => object][] = [
    [
      'under /shapeB',
      'POST //shapeB/search HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n',
      400,
      inShapeB('bad_request'),
    ],
    [
      'too long under /shapeB',
      `GET /shapeB/search HTTP/1.1\r\nHost: x\r\n${long}\r\n\r\n`,
      431,
      inShapeB('headers_too_large'),
    ],
    [
      'a broken body under /shapeB',
      'POST /shapeB/search HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nnot a size\r\n',
      400,
      inShapeB('bad_request'),
    ],
    [
      'under /linkup',
      'GET /linkup/v1/search HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n',
      400,
      (requestId) => ({
        statusCode: 400,
        error: { code: 'BAD_REQUEST', message: 'This is not a valid HTTP request.', details: [] },
        requestId,
      }),
    ],
  ];
  for (const [name, sent, status, body] of inShapes)
    test(`${name} is ${status} in the format of its shape`, async () => {
      const answer = parsed(await rawExchange(app.address, sent));
      assert.equal(answer.status, status);
      assert.deepEqual(answer.json, body(answer.json.requestId));
    });

  test('after another request on the same connection the path of the broken one decides', async (t) => {
    const { hostname, port } = new URL(app.address);
    const socket = connect(Number(port), hostname);
    t.after(() => socket.destroy());
    socket.setEncoding('utf8');
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    const [first] = await once(socket, 'data');
    assert.match(first, /^HTTP\/1\.1 200 /);
    socket.write('POST /shapeB/search HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n');
    const [second] = await once(socket, 'data');
    assert.deepEqual(parsed(second).json, inShapeB('bad_request')());
  });
});
