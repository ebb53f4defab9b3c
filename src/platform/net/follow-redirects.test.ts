import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { type RawServer, startRawServer } from '../../../test/fixtures/web.ts';
import { Failure } from '../../contract/errors.ts';
import { createTurns } from './follow-redirects.ts';
import { createGuardedFetch } from './guarded-fetch.ts';

const never = new AbortController().signal;
/** Lets everything run that waits for no timer. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

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

test('a host hands out a bounded number of turns at once, and the next ones in order', async () => {
  const turns = createTurns({ perHostMax: 2, totalMax: 10, waitingMax: 9 });
  const order: string[] = [];
  const arrive =
    (name: string) =>
    (release: () => void): void => {
      order.push(name);
      release();
    };
  const first = await turns.take('a', { signal: never });
  await turns.take('a', { signal: never });
  void turns.take('a', { signal: never }).then(arrive('third'));
  void turns.take('a', { signal: never }).then(arrive('fourth'));
  void turns.take('b', { signal: never }).then(arrive('elsewhere'));
  await settled();
  assert.deepEqual(order, ['elsewhere']);
  first();
  await settled();
  assert.deepEqual(order, ['elsewhere', 'third', 'fourth']);
});

test('a caller that gives up leaves the queue, with the reason of its signal', async () => {
  const turns = createTurns({ perHostMax: 1, totalMax: 1, waitingMax: 9 });
  const release = await turns.take('a', { signal: never });
  const controller = new AbortController();
  const reason = new Error('aborted');
  const waiting = turns.take('a', { signal: controller.signal });
  const next = turns.take('b', { signal: never });
  controller.abort(reason);
  await assert.rejects(waiting, reason);
  release();
  (await next)();
  await assert.rejects(turns.take('a', { signal: controller.signal }), reason);
});

test("when the queue is full a fetch fails at once with 'overloaded'", async () => {
  const turns = createTurns({ perHostMax: 1, totalMax: 2, waitingMax: 2 });
  await turns.take('a', { signal: never });
  void turns.take('a', { signal: never });
  await turns.take('b', { signal: never });
  void turns.take('c', { signal: never });
  await assert.rejects(turns.take('d', { signal: never }), isOverloaded);
});

test('a tenant that waits for a silent host delays neither other hosts nor other tenants', async () => {
  const turns = createTurns({ perHostMax: 4, totalMax: 64, waitingMax: 100 });
  const started: string[] = [];
  const ask = (tenant: string, host: string): void =>
    void turns.take(host, { tenant, signal: never }).then(() => started.push(`${tenant} ${host}`));
  for (let place = 0; place < 50; place++) ask('flood', 'silent');
  ask('good', 'silent');
  ask('good', 'other');
  ask('flood', 'other');
  await settled();
  assert.deepEqual(started, [...Array(3).fill('flood silent'), 'good silent', 'good other', 'flood other']);
});

test('in any order of taking and releasing, no bound is exceeded and every turn comes', async () => {
  const step = fc.record({ host: fc.constantFrom('a', 'b', 'c'), work: fc.nat(3) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const turns = createTurns({ perHostMax: 2, totalMax: 3, waitingMax: 99 });
      const running: string[] = [];
      const work = steps.map(async ({ host, work }) => {
        const release = await turns.take(host, { signal: never });
        running.push(host);
        assert.ok(running.length <= 3 && running.filter((other) => other === host).length <= 2);
        for (let tick = 0; tick < work; tick++) await null;
        running.splice(running.indexOf(host), 1);
        release();
      });
      await Promise.all(work);
    }),
  );
});

function isOverloaded(error: unknown): boolean {
  return error instanceof Failure && error.fetch?.reason === 'overloaded';
}
