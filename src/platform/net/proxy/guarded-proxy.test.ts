import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { after, describe, test } from 'node:test';
import { type FakeWeb, startWeb } from '../../../../test/fixtures/web.ts';
import { createGuardedProxies, type GuardedProxy } from './guarded-proxy.ts';

const LIMITS = { bytesMax: 100_000, requestsMax: 3 };
const NAMES: Record<string, string[]> = {
  'site.example.com': ['127.10.0.1'],
  'internal.example.com': ['127.0.0.1'],
  'mixed.example.com': ['127.10.0.1', '127.0.0.1'],
};

describe('the proxy of a page', () => {
  const proxies = createGuardedProxies({
    allowPrivate: ['127.10.0.0/16'],
    resolve: async (name) => NAMES[name] ?? [],
  });
  const ends: (() => Promise<void>)[] = [];
  after(async () => {
    for (const end of ends) await end();
    proxies.close();
  });
  const open = async (limits = LIMITS): Promise<GuardedProxy> => {
    const proxy = await proxies.open(limits);
    ends.push(proxy.close);
    return proxy;
  };
  const site = async (): Promise<FakeWeb> => {
    const web = await startWeb({
      routes: {
        '/': (asked, response) => response.end(JSON.stringify(asked.headers)),
        '/large': (_asked, response) => response.end(Buffer.alloc(1_000_000)),
      },
    });
    ends.push(web.close);
    return web;
  };

  test('forwards what may be reached, without the headers of the connection', async () => {
    const [proxy, web] = [await open(), await site()];
    const { status, body } = await get(proxy, web.as('site.example.com'), {
      'proxy-connection': 'keep-alive',
      'x-own': 'a',
    });
    assert.equal(status, 200);
    const seen = JSON.parse(body) as Record<string, string>;
    assert.deepEqual([seen['x-own'], seen['proxy-connection']], ['a', undefined]);
    assert.equal(seen.host, `site.example.com:${web.port}`);
    assert.deepEqual([proxy.used().requests, proxy.used().refused], [1, 0]);
  });

  for (const host of ['127.0.0.1', 'localhost', '[::1]', 'internal.example.com', 'mixed.example.com'])
    test(`refuses ${host}, also by CONNECT`, async () => {
      const [proxy, web] = [await open(), await site()];
      const { port } = web;
      assert.equal((await get(proxy, `http://${host}:${port}`)).status, 403);
      assert.match(await tunnel(proxy, `${host}:${port}`, ''), /^HTTP\/1\.1 403/);
      assert.equal(web.connections(), 0);
      assert.equal(proxy.used().refused, 2);
    });

  test('refuses ports that are not for web pages, and addresses with credentials', async () => {
    const proxy = await open({ ...LIMITS, requestsMax: 10 });
    assert.equal((await get(proxy, 'http://site.example.com:25')).status, 403);
    assert.match(await tunnel(proxy, 'site.example.com:25', ''), /^HTTP\/1\.1 403/);
    assert.match(await tunnel(proxy, 'user@site.example.com:80', ''), /^HTTP\/1\.1 403/);
  });

  test('tunnels bytes to what may be reached', async () => {
    const [proxy, web] = [await open(), await site()];
    const sent = 'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
    const answer = await tunnel(proxy, `site.example.com:${web.port}`, sent);
    assert.match(answer, /^HTTP\/1\.1 200 Connection established/);
    assert.match(answer, /HTTP\/1\.1 200 OK/);
  });

  test('refuses more requests than a page may make', async () => {
    const [proxy, web] = [await open(), await site()];
    const statuses: number[] = [];
    for (let count = 0; count < 5; count += 1)
      statuses.push((await get(proxy, web.as('site.example.com'))).status);
    assert.deepEqual(statuses, [200, 200, 200, 429, 429]);
    assert.equal(proxy.used().isOver, true);
  });

  test('cuts every connection above the bytes of a page', async () => {
    const [proxy, web] = [await open(), await site()];
    await assert.rejects(get(proxy, `${web.as('site.example.com')}/large`), { code: 'ECONNRESET' });
    assert.equal(proxy.used().isOver, true);
    await assert.rejects(get(proxy, web.as('site.example.com')));
  });
});

async function get(
  proxy: GuardedProxy,
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(proxy.address);
  const { host } = new URL(url);
  const sent = request({
    hostname,
    port,
    path: url.endsWith('/large') ? url : `${url}/`,
    headers: { host, ...headers },
  });
  sent.end();
  const [response] = await once(sent, 'response');
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece);
  return { status: response.statusCode, body: Buffer.concat(pieces).toString() };
}

/** What comes back on a connection after CONNECT and some bytes. */
async function tunnel(proxy: GuardedProxy, authority: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(proxy.address);
  const socket = connect(Number(port), hostname);
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n\r\n${bytes}`);
  const pieces: Buffer[] = [];
  for await (const piece of socket) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}
