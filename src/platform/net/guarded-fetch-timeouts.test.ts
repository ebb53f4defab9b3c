import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { after, before, describe, type TestContext, test } from 'node:test';
import { failsWith, guardedNetwork, text } from '../../../test/fixtures/unit-tests/guarded-network.ts';
import type { Failure } from '../../contract/errors.ts';
import { createGuardedFetch } from './guarded-fetch.ts';

const { network, serve } = guardedNetwork();
const undiciTimers = createRequire(import.meta.url)('undici/lib/util/timers.js') as {
  tick(ms: number): void;
};

describe('with the limits that the API promises', () => {
  // Undici goes on with its first timer, which must not be one of the mock clock.
  before(async () => {
    const server = await serve((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi'));
    assert.equal(text(await network.fetch({ url: server.origin })), 'hi');
  });

  /** Advances the mock clock and that of undici, which has its own timers. */
  async function pass(t: TestContext, ms: number): Promise<void> {
    for (let at = 0; at < ms; at += 500) {
      t.mock.timers.tick(500);
      undiciTimers.tick(500);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async function slowly(t: TestContext, talk: (socket: Socket) => unknown) {
    const asked = Promise.withResolvers<void>();
    const server = await serve((socket) => {
      talk(socket);
      asked.resolve();
    });
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const real = createGuardedFetch({ allowPrivate: ['127.10.0.0/16'] });
    t.after(() => real.close());
    const answer = real.fetch({ url: server.origin }).then(text, ({ message }) => message);
    await asked.promise;
    return { answer };
  }

  test('a first byte after 14 s is in time', async (t) => {
    const { answer } = await slowly(t, (socket) =>
      setTimeout(() => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi'), 14_000),
    );
    await pass(t, 14_500);
    assert.equal(await answer, 'hi');
  });

  test('a body may pause for 12 s', async (t) => {
    const { answer } = await slowly(t, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nh');
      setTimeout(() => socket.end('i'), 12_000);
    });
    await pass(t, 12_500);
    assert.equal(await answer, 'hi');
  });

  test('a fetch fails after 15 s in total, including redirects', async (t) => {
    let hops = 0;
    const { answer } = await slowly(t, (socket) => {
      hops += 1;
      setTimeout(() => socket.end('HTTP/1.1 302 x\r\nlocation: /\r\ncontent-length: 0\r\n\r\n'), 8_000);
    });
    await pass(t, 15_500);
    assert.equal(await answer, 'the page did not arrive within 15 s');
    assert.equal(hops, 2);
  });
});

describe("a slow response fails with 'timeout'", { concurrency: true }, () => {
  /** The timers of undici are accurate to about a second. */
  const hasty = createGuardedFetch({
    allowPrivate: ['127.10.0.0/16'],
    limits: { timeoutMs: 10_000, headersMs: 50, idleMs: 50 },
  });
  /** Ends what goes on for ever although it never pauses. */
  const brief = createGuardedFetch({ allowPrivate: ['127.10.0.0/16'], limits: { timeoutMs: 600 } });
  after(() => Promise.all([hasty.close(), brief.close()]));

  test('a silent server', async () => {
    const server = await serve(() => {});
    await assert.rejects(hasty.fetch({ url: server.origin }), tooLate('the server did not respond in time'));
  });

  test('a body that stops', async () => {
    const server = await serve((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhi'));
    await assert.rejects(hasty.fetch({ url: server.origin }), tooLate('the page stopped arriving'));
  });

  test('headers that drip', async () => {
    const server = await serve((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      drip(socket, 'x: y\r\n');
    });
    await assert.rejects(hasty.fetch({ url: server.origin }), tooLate('the server did not respond in time'));
  });

  test('a body that drips forever', async () => {
    const server = await serve((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      drip(socket, '1\r\na\r\n');
    });
    await assert.rejects(
      brief.fetch({ url: server.origin }),
      tooLate('the page did not arrive within 0.6 s'),
    );
  });

  test('redirects that are in time one by one, but not together', async () => {
    const server = await serve((socket) => {
      setTimeout(() => socket.end('HTTP/1.1 302 x\r\nlocation: /\r\ncontent-length: 0\r\n\r\n'), 130);
    });
    await assert.rejects(
      brief.fetch({ url: server.origin }),
      tooLate('the page did not arrive within 0.6 s'),
    );
  });

  test("the caller's own time limit", async () => {
    const server = await serve(() => {});
    const fetched = network.fetch({ url: server.origin, timeoutMs: 20 });
    await assert.rejects(fetched, tooLate('the page did not arrive within 0.02 s'));
  });

  test('a silent name server', async () => {
    const slow = createGuardedFetch({ resolve: () => new Promise(() => {}), limits: { timeoutMs: 30 } });
    const fetched = slow.fetch({ url: 'http://example.com/' });
    await assert.rejects(fetched, tooLate('the page did not arrive within 0.03 s'));
    await slow.close();
  });

  function tooLate(message: string): (error: unknown) => boolean {
    return (error) => failsWith('timeout')(error) && (error as Failure).message === message;
  }

  function drip(socket: Socket, piece: string): void {
    const timer = setInterval(() => socket.write(piece), 20);
    socket.on('close', () => clearInterval(timer));
  }
});
