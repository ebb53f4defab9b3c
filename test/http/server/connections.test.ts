import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import {
  ANSWER_BYTES_PER_SECOND_MIN,
  ANSWER_GRACE_MS,
  UNANSWERED_MAX,
} from '../../../src/contract/limits.ts';
import { createConnections } from '../../../src/http/server/connections.ts';
import { rawExchange } from './raw-exchange.ts';

const GET = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
/** More than the kernel takes in for a client that does not read. */
const LARGE_BYTES = 33_554_432;

async function serve(t: TestContext, handle: RequestListener): Promise<{ address: string; port: number }> {
  const connections = createConnections();
  const server = connections.serve(handle, {}).listen(0, '127.0.0.1');
  t.after(() => {
    connections.closeAll();
    server.close();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}`, port };
}

async function open(t: TestContext, port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

test('requests of one connection are handled one after the other and answered in their order', async (t) => {
  let underWay = 0;
  const { address } = await serve(t, (request, response) => {
    underWay += 1;
    assert.equal(underWay, 1);
    if (request.url === '/8') response.setHeader('Connection', 'close');
    response.once('finish', () => {
      underWay -= 1;
    });
    setImmediate(() => response.end(request.url));
  });
  const requests = Array.from({ length: UNANSWERED_MAX }, (_, place) => GET(`/${place + 1}`)).join('');
  const answers = await rawExchange(address, requests);
  assert.deepEqual(answers.match(/^\/\d/gm), ['/1', '/2', '/3', '/4', '/5', '/6', '/7', '/8']);
});

test('one request more than may wait closes the connection, and only the first was ever started', async (t) => {
  const requests = `${GET('/').repeat(2_000)}GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
  let started = 0;
  const { port } = await serve(t, ({ socket }, response) => {
    started += 1;
    // Answers only once every request has been read, so that a connection that stays open reaches the last one.
    const answer = (): unknown =>
      socket.destroyed || socket.bytesRead === requests.length ? response.end() : setImmediate(answer);
    answer();
  });
  const socket = await open(t, port);
  const closed = once(socket, 'close');
  socket.resume().write(requests);
  await closed;
  assert.equal(started, 1);
});

test('the next request of a client that does not read is not started', async (t) => {
  const large = Promise.withResolvers<void>();
  const next = Promise.withResolvers<void>();
  let isNextStarted = false;
  next.promise.then(() => {
    isNextStarted = true;
  });
  const { port, address } = await serve(t, (request, response) => {
    if (request.url === '/large') large.resolve();
    if (request.url === '/next') next.resolve();
    response.end(request.url === '/large' ? Buffer.alloc(LARGE_BYTES) : 'small');
  });
  const socket = (await open(t, port)).pause();
  socket.write(GET('/large') + GET('/next'));
  await large.promise;
  for (let times = 0; times < 20; times += 1) await (await fetch(address)).text();
  assert.equal(isNextStarted, false);
  let read = 0;
  socket.on('data', (bytes) => {
    read += bytes.length;
  });
  socket.resume();
  await next.promise;
  assert.ok(read > LARGE_BYTES / 2);
});

test('a client that does not take its answer in time is cut off', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const ended = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<boolean>();
  const { port } = await serve(t, (_request, response) => {
    response.once('prefinish', () => setImmediate(ended.resolve));
    response.once('close', () => closed.resolve(response.writableFinished));
    response.end(Buffer.alloc(LARGE_BYTES));
  });
  (await open(t, port)).pause().write(GET('/'));
  await ended.promise;
  const isOpen = (): Promise<boolean> =>
    Promise.race([
      closed.promise.then(() => false),
      new Promise<boolean>((resolve) => setImmediate(() => setImmediate(() => resolve(true)))),
    ]);
  t.mock.timers.tick(ANSWER_GRACE_MS + (LARGE_BYTES / ANSWER_BYTES_PER_SECOND_MIN) * 1_000 - 1);
  assert.equal(await isOpen(), true);
  t.mock.timers.tick(10_000);
  assert.equal(await closed.promise, false);
});
