import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { type RawServer, startRawServer } from '../../../test/fixtures/web.ts';
import { createGuardedFetch } from './guarded-fetch.ts';

const network = createGuardedFetch({ allowPrivate: ['127.10.0.0/16'] });
const servers: RawServer[] = [];

after(async () => {
  await network.close();
  await Promise.all(servers.map((server) => server.close()));
});

async function serve(talk: (socket: Socket, request: string) => unknown): Promise<RawServer> {
  const server = await startRawServer(talk);
  servers.push(server);
  return server;
}

describe('a request', () => {
  test('is a GET with a truthful user agent, and without cookies or authorization', async () => {
    let asked = '';
    const server = await serve((socket, request) => {
      asked = request;
      socket.end('HTTP/1.1 200 OK\r\nset-cookie: a=b\r\n\r\n');
    });
    await network.fetch({ url: `${server.origin}/a%20b?c=d#e`, headers: { 'if-none-match': '"x"' } });
    await network.fetch({ url: `${server.origin}/a%20b?c=d#e`, headers: { 'if-none-match': '"x"' } });
    assert.match(asked, /^GET \/a%20b\?c=d HTTP\/1\.1\r\n/);
    assert.match(asked, /\r\nuser-agent: .*Sanderling/i);
    assert.match(asked, /\r\naccept-encoding: gzip, deflate, br, zstd\r\n/i);
    assert.match(asked, /\r\nif-none-match: "x"\r\n/i);
    assert.doesNotMatch(asked, /cookie|authorization/i);
  });

  test('sends credentials only to the requested origin, also after redirects within it', async () => {
    const asked: string[] = [];
    const other = await serve((socket, request) => {
      asked.push(request);
      socket.end('HTTP/1.1 200 OK\r\n\r\n');
    });
    const first = await serve((socket, request) => {
      asked.push(request);
      const to = request.startsWith('GET /again ') ? `${other.origin}/` : '/again';
      socket.end(`HTTP/1.1 302 Found\r\nlocation: ${to}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
    });
    await network.fetch({ url: first.origin, authorization: 'Bearer key' });
    assert.deepEqual(
      asked.map((request) => /authorization: (.*)/i.exec(request)?.[1]?.trim()),
      ['Bearer key', 'Bearer key', undefined],
    );
  });

  test("sends a caller's own headers only to the requested origin", async () => {
    const asked: string[] = [];
    const other = await serve((socket, request) => {
      asked.push(request);
      socket.end('HTTP/1.1 200 OK\r\n\r\n');
    });
    const first = await serve((socket, request) => {
      asked.push(request);
      const to = `location: ${other.origin}/`;
      socket.end(`HTTP/1.1 302 Found\r\n${to}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
    });
    await network.fetch({ url: first.origin, ownHeaders: { cookie: 'a=b', 'x-own': 'mine' } });
    assert.deepEqual(
      asked.map((request) =>
        [/cookie: (.*)/i, /x-own: (.*)/i].map((name) => name.exec(request)?.[1]?.trim()),
      ),
      [
        ['a=b', 'mine'],
        [undefined, undefined],
      ],
    );
    await assert.rejects(network.fetch({ url: first.origin, ownHeaders: { host: 'x' } }));
  });

  for (const name of [
    'cookie',
    'authorization',
    'host',
    'content-length',
    'proxy-authorization',
    'connection',
  ])
    test(`${name} may not be set by callers`, async () => {
      const server = await serve((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
      await assert.rejects(network.fetch({ url: server.origin, headers: { [name]: 'x' } }));
      assert.equal(server.connections(), 0);
    });
});
