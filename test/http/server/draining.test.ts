import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as later } from 'node:timers/promises';
import { rawExchange } from './raw-exchange.ts';

type Process = { child: ChildProcess; address: string; exited: Promise<[number | null, string | null]> };

async function start(t: TestContext, env: Record<string, string> = {}): Promise<Process> {
  const child = fork(join(import.meta.dirname, 'draining-process.ts'), { env: { ...process.env, ...env } });
  const exited = once(child, 'exit') as Process['exited'];
  t.after(() => child.kill('SIGKILL'));
  const [address] = await once(child, 'message');
  return { child, address, exited };
}

/** Keeps its connections open as real clients do, and drops them never. */
function keepAlive(t: TestContext): Agent {
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  return agent;
}

/** Whether the service takes new connections. */
async function isOpen(address: string): Promise<boolean> {
  const agent = new Agent();
  try {
    await send(`${address}/healthz`, { agent });
    return true;
  } catch {
    return false;
  } finally {
    agent.destroy();
  }
}

function send(url: string, options: { agent: Agent; body?: string }): Promise<IncomingMessage> {
  const call = request(url, { agent: options.agent, method: options.body === undefined ? 'GET' : 'POST' });
  call.end(options.body);
  return once(call, 'response').then(([response]) => {
    (response as IncomingMessage).resume();
    return response as IncomingMessage;
  });
}

describe('SIGTERM', { concurrency: true }, () => {
  test('lets a request under way finish, closes idle connections and exits 0', async (t) => {
    const { child, address, exited } = await start(t);
    const idle = await send(`${address}/healthz`, { agent: keepAlive(t) });
    const { socket } = idle;
    await once(idle, 'end');
    const searching = once(child, 'message');
    const slow = send(`${address}/v1/search`, { agent: keepAlive(t), body: '{"query":"slow"}' });
    await searching;

    const idleClosed = once(socket, 'close');
    child.kill('SIGTERM');
    await idleClosed;
    await assert.rejects(send(`${address}/healthz`, { agent: keepAlive(t) }));
    child.send('go');
    const response = await slow;
    assert.equal(response.statusCode, 200);
    assert.equal(response.headers.connection, 'close');
    assert.deepEqual(await exited, [0, null]);
  });

  test('answers all requests that a connection has sent, and says on the last answer that it closes', async (t) => {
    const { child, address, exited } = await start(t);
    const searching = once(child, 'message');
    const health = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';
    const search = 'POST /v1/search HTTP/1.1\r\nHost: a\r\nContent-Length: 13\r\n\r\n{"query":"q"}';
    const answers = rawExchange(address, search + health + health);
    await searching;
    child.kill('SIGTERM');
    while (await isOpen(address));
    child.send('go');
    const heads = (await answers).split('HTTP/1.1 ').slice(1);
    assert.deepEqual(
      heads.map((head) => [head.slice(0, 3), /^connection: close/im.test(head)]),
      [
        ['200', false],
        ['200', false],
        ['200', true],
      ],
    );
    assert.deepEqual(await exited, [0, null]);
  });

  test('answers a connection that is used again at that moment', async (t) => {
    const { child, address, exited } = await start(t, { IDLE_GRACE_MS: '6000' });
    const agent = keepAlive(t);
    await once(await send(`${address}/healthz`, { agent }), 'end');
    const searching = once(child, 'message');
    const slow = send(`${address}/v1/search`, { agent: keepAlive(t), body: '{"query":"slow"}' });
    await searching;
    child.kill('SIGTERM');
    // The port is closed once the signal was handled.
    while (await isOpen(address));
    const response = await send(`${address}/healthz`, { agent });
    assert.deepEqual([response.statusCode, response.headers.connection], [200, 'close']);
    child.send('go');
    await slow;
    assert.deepEqual(await exited, [0, null]);
  });

  test('answers a request that does not end, and is gone', async (t) => {
    const { child, address, exited } = await start(t);
    const searching = once(child, 'message');
    const stuck = send(`${address}/v1/search`, { agent: keepAlive(t), body: '{"query":"stuck"}' });
    await searching;
    child.kill('SIGTERM');
    assert.equal((await stuck).statusCode, 503);
    assert.deepEqual(await exited, [0, null]);
  });

  test('a second signal, once it is surely meant, ends the process at once', async (t) => {
    const { child, address, exited } = await start(t);
    const searching = once(child, 'message');
    const stuck = assert.rejects(
      send(`${address}/v1/search`, { agent: keepAlive(t), body: '{"query":"stuck"}' }),
    );
    await searching;
    let signals = 0;
    while (child.exitCode === null) {
      child.kill('SIGINT');
      signals += 1;
      await Promise.race([later(100), exited]);
    }
    assert.deepEqual(await exited, [1, null]);
    assert.ok(signals > 2);
    await stuck;
  });
});
