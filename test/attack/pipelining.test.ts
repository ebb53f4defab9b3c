import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as later } from 'node:timers/promises';
import { startAttacked } from './attacked-service.ts';

const CONNECTIONS = 150;
const REQUESTS_EACH = 2_000;
const ATTACK_MS = 60_000;

test('150 connections that send 2,000 requests each and never read do no harm', async (t) => {
  const service = await startAttacked(t, { LOG_LEVEL: 'warn' });
  const flood = 'GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(REQUESTS_EACH);
  const sockets = Array.from({ length: CONNECTIONS }, () => connect(service.port, '127.0.0.1'));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  const sent = Promise.all(sockets.map((socket) => sendUnread(socket, flood)));
  await Promise.race([sent, later(ATTACK_MS, undefined, { ref: false })]);
  await service.assertUnharmed();
});

/** Resolves once everything is sent or the service has closed the connection. */
async function sendUnread(socket: Socket, text: string): Promise<void> {
  socket.pause().on('error', () => {});
  await Promise.race([
    once(socket, 'connect').then(() => new Promise((resolve) => socket.write(text, resolve))),
    new Promise((resolve) => socket.once('close', resolve)),
  ]);
}
