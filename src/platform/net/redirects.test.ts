import assert from 'node:assert/strict';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { type FakeDns, startDns } from '../../../test/fixtures/dns-server.ts';
import { type FakeWeb, type RouteHandler, startRawServer, startWeb } from '../../../test/fixtures/web.ts';
import { Failure } from '../../contract/errors.ts';
import { createGuardedFetch, type GuardedNetwork } from './guarded-fetch.ts';

let web: FakeWeb;
let secret: FakeWeb;
let dns: FakeDns;
let network: GuardedNetwork;
let lastHeaders: IncomingHttpHeaders = {};

const to =
  (location: string, status = 302): RouteHandler =>
  (_request, response: ServerResponse) =>
    response.writeHead(status, { location, 'content-length': 0 }).end();

/** `?N` redirects N times. */
const countdown: RouteHandler = (request, response) => {
  const left = Number((request.url ?? '').split('?')[1]);
  if (left === 0) response.end('arrived');
  else to(`/countdown?${left - 1}`)(request, response);
};

before(async () => {
  const routes: Record<string, RouteHandler | string> = {
    '/countdown': countdown,
    '/end': (request, response) => {
      lastHeaders = request.headers;
      response.end('arrived');
    },
    '/a/b/relative': to('../end2'),
    '/a/end2': 'arrived',
    '/spaces': to('/a b'),
    '/a%20b': 'arrived',
    '/nowhere': (_request, response) => response.writeHead(302).end('no address'),
    '/300': to('/end', 300),
    '/304': to('/end', 304),
    '/unreadable': to('http://[::1'),
    '/itself': to('/itself'),
    '/big-body': (_request, response) =>
      response.writeHead(302, { location: '/end' }).end(Buffer.alloc(10_000_000)),
    '/dripping-body': (_request, response) => {
      response.writeHead(302, { location: '/end', 'content-length': 100 }).write('a');
    },
    '/scheme-relative': (_request, response) => to(`//other.test:${web.port}/end`)(_request, response),
    '/other-host': (_request, response) => to(`http://other.test:${web.port}/end`)(_request, response),
    '/same-host': to('/end'),
    '/user-info': to('http://a:b@other.test/'),
    '/file': to('file:///etc/passwd'),
    '/script': to('javascript:alert(1)'),
    '/mail': to('http://other.test:25/'),
    '/literal': (_request, response) => to(`http://127.0.0.1:${web.port}/`)(_request, response),
    '/mapped': (_request, response) => to(`http://[::ffff:7f00:1]:${web.port}/`)(_request, response),
    '/back-slash': (_request, response) => to(`\\\\127.0.0.1:${web.port}\\`)(_request, response),
    '/private-name': (_request, response) => to(`http://private.test:${web.port}/`)(_request, response),
    '/metadata': to('http://169.254.169.254/latest/meta-data/'),
  };
  for (const status of [301, 302, 303, 307, 308]) routes[`/${status}`] = to('/end', status);
  web = await startWeb({ address: '127.10.0.1', routes });
  secret = await startWeb({ address: '127.0.0.1', port: web.port, routes: { '/': 'SECRET' } });
  dns = await startDns({
    'world.test': ['127.10.0.1'],
    'other.test': ['127.10.0.1'],
    'private.test': ['127.0.0.1'],
  });
  network = createGuardedFetch({
    allowPrivate: ['127.10.0.0/16'],
    dnsServers: [dns.address],
    limits: { timeoutMs: 5_000 },
  });
});

after(async () => {
  await network.close();
  await Promise.all([web.close(), secret.close(), dns.close()]);
});

const get = (path: string, headers: Record<string, string> = {}): ReturnType<GuardedNetwork['fetch']> =>
  network.fetch({ url: web.as('world.test') + path, headers });

describe('a redirect is followed', () => {
  for (const status of [301, 302, 303, 307, 308])
    test(`with ${status}`, async () => {
      const answer = await get(`/${status}`);
      assert.equal(answer.url, `${web.as('world.test')}/end`);
      assert.equal(answer.status, 200);
    });

  test('five times, but not six', async () => {
    assert.equal((await get('/countdown?5')).status, 200);
    await assert.rejects(get('/countdown?6'), isFailure('fetch_failed', 'too_many_redirects'));
    assert.equal(web.hits('/countdown'), 12);
    await assert.rejects(get('/itself'), isFailure('fetch_failed', 'too_many_redirects'));
  });

  test('to relative addresses, with spaces, and without a scheme', async () => {
    assert.equal((await get('/a/b/relative')).url, `${web.as('world.test')}/a/end2`);
    assert.equal((await get('/spaces')).url, `${web.as('world.test')}/a%20b`);
    assert.equal((await get('/scheme-relative')).url, `${web.as('other.test')}/end`);
  });

  test('without waiting for a large or dripping body', async () => {
    for (const path of ['/big-body', '/dripping-body']) assert.equal((await get(path)).status, 200);
  });
});

describe('anything else is final', () => {
  for (const [path, status] of Object.entries({ '/nowhere': 302, '/300': 300, '/304': 304 }))
    test(path, async () => {
      const answer = await get(path);
      assert.deepEqual([answer.status, answer.url], [status, web.as('world.test') + path]);
    });

  test('but an invalid address is an error', () =>
    assert.rejects(get('/unreadable'), isFailure('fetch_failed', 'protocol')));
});

describe('every hop is checked', () => {
  for (const path of '/file /script /mail /user-info /literal /mapped /back-slash /private-name /metadata'.split(
    ' ',
  ))
    test(path, async () => {
      await assert.rejects(get(path), isFailure('url_not_allowed', 'not_allowed'));
      assert.equal(secret.connections(), 0);
    });
});

describe('headers of the caller', () => {
  const given = { 'if-none-match': '"a"', 'x-token': 'b', accept: 'text/x-own' };

  test('stay with the first host', async () => {
    await get('/same-host', given);
    assert.deepEqual([lastHeaders['if-none-match'], lastHeaders['x-token']], ['"a"', 'b']);
    assert.equal(lastHeaders.accept, 'text/x-own');
  });

  test('do not go to another', async () => {
    await get('/other-host', given);
    assert.deepEqual([lastHeaders['if-none-match'], lastHeaders['x-token']], [undefined, undefined]);
    assert.equal(lastHeaders.accept, 'text/x-own');
  });
});

test('a location with a control character is a broken response', async () => {
  const raw = await startRawServer((socket) =>
    socket.end('HTTP/1.1 302 x\r\nlocation: /a\u0000b\r\ncontent-length: 0\r\n\r\n'),
  );
  await assert.rejects(network.fetch({ url: raw.origin }), isFailure('fetch_failed', 'protocol'));
  await raw.close();
});

function isFailure(code: string, reason: string): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof Failure, String(error));
    assert.deepEqual([error.code, error.fetch?.reason], [code, reason], error.message);
    assert.doesNotMatch(error.message, /127|169/);
    return true;
  };
}
