import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { REQUEST_BYTES_MAX } from '../../../src/contract/limits.ts';
import { searchAnswer, serveScripted } from '../../harness.ts';
import { rawExchange } from './raw-exchange.ts';

async function serveSearch(t: TestContext): Promise<string> {
  const app = await serveScripted({ search: async () => searchAnswer() });
  t.after(() => app.close());
  return app.address;
}

const head = (length: number): string =>
  `POST /v1/search HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`;

describe('413', () => {
  test('reaches a client that sends its whole body before it reads, every time', async (t) => {
    const address = await serveSearch(t);
    for (let times = 1; times <= 60; times += 1) {
      const length = REQUEST_BYTES_MAX + times * 100_000;
      const answer = await rawExchange(address, head(length) + 'x'.repeat(length));
      assert.match(answer, /^HTTP\/1\.1 413 .*"error":"request_too_large"/s);
    }
  });

  test('answers a body in chunks that never ends', async (t) => {
    const { hostname, port } = new URL(await serveSearch(t));
    const socket = connect(Number(port), hostname).setEncoding('utf8');
    socket.on('error', () => {});
    let answer = '';
    socket.on('data', (text) => {
      answer += text;
    });
    socket.write('POST /v1/search HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    const piece = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    while (answer === '' && !socket.destroyed) {
      if (!socket.write(piece)) await Promise.race([once(socket, 'drain'), once(socket, 'data')]);
      else await new Promise((resolve) => setImmediate(resolve));
    }
    socket.destroy();
    assert.match(answer, /^HTTP\/1\.1 413 /);
  });

  test('refuses a small body that arrives in ten thousand pieces', async (t) => {
    const address = await serveSearch(t);
    const answer = await rawExchange(
      address,
      `POST /v1/search HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\n \r\n'.repeat(20_000)}0\r\n\r\n`,
    );
    assert.match(answer, /^HTTP\/1\.1 413 .*too many pieces/s);
  });
});

test('a body of the largest size is read whole', async (t) => {
  const address = await serveSearch(t);
  const body = '{"query":"q"}'.padEnd(REQUEST_BYTES_MAX);
  assert.match(await rawExchange(address, head(body.length) + body), /^HTTP\/1\.1 200 /);
});

test('an unknown key in a header is refused before the body is parsed', async (t) => {
  const app = await serveScripted({ findKey: async () => null });
  t.after(() => app.close());
  for (const path of ['/v1/search', '/shapeB/search', '/v1/billing/auto-reload'])
    for (const body of ['{"no json', `[${'[],'.repeat(10_000)}[]]`])
      assert.equal((await app.post(path, body, { 'x-api-key': 'unknown' })).status, 401);
  assert.equal((await app.post('/v1/search', '{"no json')).status, 422);
});

test('a form larger than any of the site is refused', async (t) => {
  const app = await serveScripted();
  t.after(() => app.close());
  assert.equal((await app.post('/account', 'a&'.repeat(100_000))).status, 413);
});

describe('Content-Encoding', () => {
  const ENCODERS: [name: string, encode: (body: string) => Buffer][] = [
    ['gzip', gzipSync],
    ['X-GZIP', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', (body) => Buffer.from(body)],
  ];
  for (const [name, encode] of ENCODERS)
    test(`${name}: read up to the bound of bodies, 413 beyond it`, async (t) => {
      const address = await serveSearch(t);
      const send = (size: number): Promise<Response> =>
        fetch(`${address}/v1/search`, {
          method: 'POST',
          headers: { 'content-encoding': name },
          body: Uint8Array.from(encode('{"query":"q"}'.padEnd(size))),
        });
      assert.deepEqual([(await send(13)).status, (await send(REQUEST_BYTES_MAX)).status], [200, 200]);
      assert.equal((await send(REQUEST_BYTES_MAX + 1)).status, 413);
    });

  test('413 for a small body that unpacks to a thousand times its size', async (t) => {
    const address = await serveSearch(t);
    const body = gzipSync(Buffer.alloc(100_000_000));
    assert.ok(body.length < 200_000);
    const headers = { 'content-encoding': 'gzip' };
    assert.equal((await fetch(`${address}/v1/search`, { method: 'POST', headers, body })).status, 413);
  });

  test('415 for another encoding, 422 for a body that is not encoded so or breaks off', async (t) => {
    const address = await serveSearch(t);
    const send = async (encoding: string, body: Buffer): Promise<[number, string]> => {
      const headers = { 'content-encoding': encoding };
      const answer = await fetch(`${address}/v1/search`, {
        method: 'POST',
        headers,
        body: Uint8Array.from(body),
      });
      return [answer.status, ((await answer.json()) as { error: string }).error];
    };
    const plain = Buffer.from('{"query":"q"}');
    for (const encoding of ['zstd', 'gzip, br', 'nonsense'])
      assert.deepEqual(await send(encoding, plain), [415, 'unsupported_media_type']);
    for (const encoding of ['gzip', 'deflate', 'br'])
      assert.deepEqual(await send(encoding, plain), [422, 'validation_error']);
    assert.deepEqual(await send('gzip', gzipSync(plain).subarray(0, -9)), [422, 'validation_error']);
  });
});
