import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { startAttacked } from './attacked-service.ts';

const DESCRIPTORS = 1_024;
const IDLE = 1_400;
const AT_ONCE = 100;
/** Lets the service read its own pages, which needs a thread. */
const PRIVATE = { FETCH_ALLOW_PRIVATE: '127.0.0.0/8' };

test('with 1,024 descriptors and 1,400 idle connections, the service still reads pages', async (t) => {
  const service = await startAttacked(t, PRIVATE, { wrapper: ['prlimit', `--nofile=${DESCRIPTORS}`] });
  const { sockets, closed } = await openIdle(t, service.port);
  const open = readdirSync(`/proc/${service.pid}/fd`).length;
  assert.ok(open < DESCRIPTORS - 200, `${open} descriptors are open`);
  assert.ok(closed() > 0, 'no connection was refused');
  // Frees connections for the calls below; the rest stay open.
  for (const socket of sockets.splice(0, 700)) socket.destroy();
  const read = await fetch(`${service.address}/r/${service.address}/pricing`);
  assert.equal(read.status, 200, await read.text());
  const found = await fetch(`${service.address}/v1/search`, {
    method: 'POST',
    body: JSON.stringify({ query: 'credits', contents: { highlights: true } }),
  });
  assert.equal(found.status, 200, await found.text());
  await service.assertUnharmed();
});

/** Opens connections that send nothing. Resolves when each is accepted or refused. */
async function openIdle(t: TestContext, port: number): Promise<{ sockets: Socket[]; closed(): number }> {
  const sockets: Socket[] = [];
  let closed = 0;
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  while (sockets.length < IDLE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        const socket = connect(port, '127.0.0.1');
        sockets.push(socket);
        await new Promise((resolve) => {
          socket.once('connect', resolve).once('error', resolve);
          socket.once('close', () => {
            closed += 1;
            resolve(null);
          });
        });
      }),
    );
  return { sockets, closed: () => closed };
}
