import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as later } from 'node:timers/promises';
import { type AttackedService, startAttacked } from './attacked-service.ts';

const SLOW_BODIES = 600;
const BODY_BYTES = 1_000_000;
const SENT_AT_ONCE = 900_000;
/** The service gives a request 15 s to arrive and looks every 2 s. */
const BODIES_END_MS = 40_000;
const SLOW_READERS = 400;
const REQUESTS_EACH = 8;

/** Another IP address than that of the callers who must not be harmed: each holds a share of the connections of its own. */
const ATTACKER = '127.0.0.66';

test('600 bodies that never end are buffered within bounds and cut off', async (t) => {
  const service = await startAttacked(t, { LOG_LEVEL: 'warn' });
  const sockets = await openMany(t, service, SLOW_BODIES);
  const head = `POST /v1/search HTTP/1.1\r\nHost: a\r\nContent-Length: ${BODY_BYTES}\r\n\r\n`;
  const closed = Promise.all(sockets.map((socket) => untilClosed(socket.resume())));
  const sent = Buffer.from(head + '{"query":"'.padEnd(SENT_AT_ONCE, 'x'));
  for (const socket of sockets) socket.write(sent);
  const trickle = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write('x');
  }, 1_000);
  t.after(() => clearInterval(trickle));
  for (let times = 0; times < 10; times += 1) {
    await service.assertUnharmed();
    assert.equal((await search(service)).status, 200);
    await later(200);
  }
  const isOver = await Promise.race([closed.then(() => true), later(BODIES_END_MS, false, { ref: false })]);
  assert.ok(isOver, 'the service still waits for a slow body');
  await service.assertUnharmed();
  assert.equal((await search(service)).status, 200);
});

test('400 clients that do not read their eight responses do not block other calls', async (t) => {
  const service = await startAttacked(t, { LOG_LEVEL: 'warn' });
  const sockets = await openMany(t, service, SLOW_READERS);
  const requests = 'GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(REQUESTS_EACH);
  for (const socket of sockets) socket.pause().write(requests);
  for (let times = 0; times < 10; times += 1) {
    await service.assertUnharmed();
    assert.equal((await search(service)).status, 200);
  }
});

/** Whether the service ends a connection or resets it. */
const untilClosed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => void socket.once('close', () => resolve()));

async function openMany(t: TestContext, { port }: AttackedService, count: number): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () =>
    connect({ port, host: '127.0.0.1', localAddress: ATTACKER }).on('error', () => {}),
  );
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  return sockets;
}

function search({ address }: AttackedService): Promise<Response> {
  return fetch(`${address}/v1/search`, {
    method: 'POST',
    body: '{"query":"birds"}',
    signal: AbortSignal.timeout(20_000),
  });
}
