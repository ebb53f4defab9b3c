import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { failsWith, guardedNetwork, text } from '../../../test/fixtures/unit-tests/guarded-network.ts';
import type { FetchedResponse } from './fetch-types.ts';
import { createGuardedFetch } from './guarded-fetch.ts';

const { network, serve } = guardedNetwork();

async function read(answer: string): Promise<FetchedResponse> {
  const server = await serve((socket) => socket.end(answer, 'latin1'));
  return network.fetch({ url: `${server.origin}/` });
}

describe('a final status is a value', () => {
  for (const status of [200, 201, 203, 400, 401, 404, 407, 410, 429, 500, 503, 599])
    test(String(status), async () => {
      const answer = await read(`HTTP/1.1 ${status} x\r\ncontent-length: 2\r\n\r\nhi`);
      assert.equal(answer.status, status);
      assert.equal(text(answer), 'hi');
    });

  test('304 and 204 have no body, and their connection is reused', async () => {
    const server = await serve((socket, request) =>
      socket.write(`HTTP/1.1 ${request.includes('/304') ? 304 : 204} x\r\netag: "a"\r\n\r\n`),
    );
    for (const status of [304, 204, 304]) {
      const answer = await network.fetch({ url: `${server.origin}/${status}` });
      assert.deepEqual([answer.status, answer.headers.etag, answer.body.length], [status, '"a"', 0]);
    }
  });

  test('a preceding 103 is skipped', async () => {
    const answer = await read(
      'HTTP/1.1 103 Early\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi',
    );
    assert.deepEqual([answer.status, text(answer)], [200, 'hi']);
  });

  test('a body without a length ends with the connection', async () => {
    assert.equal(text(await read('HTTP/1.1 200 OK\r\n\r\nall of it')), 'all of it');
  });

  test('header names are lower-case, repeated headers are joined', async () => {
    const answer = await read('HTTP/1.0 200 OK\r\nX-A: 1\r\nx-a: 2\r\nContent-Type: text/html\r\n\r\nhi');
    assert.equal(answer.headers['x-a'], '1, 2');
    assert.equal(answer.headers['content-type'], 'text/html');
  });
});

describe("a broken response fails with 'protocol'", () => {
  const broken: Record<string, string> = {
    'no status line at all (HTTP/0.9)': '<html>hello</html>',
    nothing: '',
    'another protocol': 'SSH-2.0-OpenSSH_9.2\r\n',
    'half a header': 'HTTP/1.1 200 OK\r\ncontent-ty',
    'fewer bytes than announced': 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhi',
    'two lengths': 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nhi',
    'a length and chunks':
      'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n',
    'a negative length': 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\nhi',
    'chunks that stop': 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n',
    'a chunk size that is no number':
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n',
    'a switch of protocols': 'HTTP/1.1 101 Switching\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n',
    '100 continue': 'HTTP/1.1 100 Continue\r\n\r\n',
    '20 KB of headers': `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(20_000)}\r\ncontent-length: 2\r\n\r\nhi`,
    '20 KB of small headers': `HTTP/1.1 200 OK\r\n${'x: aaaaaaaaaa\r\n'.repeat(1500)}content-length: 2\r\n\r\nhi`,
  };
  for (const [what, answer] of Object.entries(broken))
    test(what, () => assert.rejects(read(answer), failsWith('protocol')));

  test('a reset in the middle of the body', async () => {
    const server = await serve((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhi', () => socket.resetAndDestroy());
    });
    await assert.rejects(network.fetch({ url: server.origin }), failsWith('protocol'));
    assert.equal(server.connections(), 1);
  });

  test('headers above their size limit', async () => {
    const narrow = createGuardedFetch({ allowPrivate: ['127.10.0.0/16'], limits: { headerBytesMax: 1_000 } });
    const server = await serve((socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(1_100)}\r\n\r\n`));
    await assert.rejects(narrow.fetch({ url: server.origin }), failsWith('protocol'));
    await narrow.close();
  });

  test('15 KB of headers are accepted', async () => {
    const answer = await read(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(15_000)}\r\ncontent-length: 2\r\n\r\nhi`);
    assert.equal(text(answer), 'hi');
  });
});

describe('an abort', () => {
  test("by the caller fails with 'aborted', before, during and after the headers", async () => {
    const server = await serve((socket, request) => {
      if (request.includes('/body')) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhi');
    });
    await assert.rejects(
      network.fetch({ url: server.origin, signal: AbortSignal.abort() }),
      failsWith('aborted'),
    );
    for (const path of ['/silent', '/body']) {
      const controller = new AbortController();
      const fetched = network.fetch({ url: server.origin + path, signal: controller.signal });
      setTimeout(() => controller.abort(new Error('of the caller')), 40);
      await assert.rejects(fetched, failsWith('aborted'));
    }
  });

  test('by a shutdown ends all fetches', async () => {
    const own = createGuardedFetch({ allowPrivate: ['127.10.0.0/16'] });
    const server = await serve(() => {});
    const fetched = own.fetch({ url: server.origin });
    setTimeout(() => own.close(), 40);
    await assert.rejects(fetched, failsWith('aborted'));
  });
});

describe('connections', () => {
  test('a kept connection that the server closes on use is replaced once', async () => {
    let requests = 0;
    const server = await serve((socket) => {
      requests += 1;
      if (requests === 2) socket.resetAndDestroy();
      else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi');
    });
    assert.equal(text(await network.fetch({ url: server.origin })), 'hi');
    await settled();
    assert.equal(text(await network.fetch({ url: server.origin })), 'hi');
    assert.deepEqual([requests, server.connections()], [3, 2]);
  });

  test('a new connection that the server closes is not replaced', async () => {
    const server = await serve((socket) => socket.resetAndDestroy());
    await assert.rejects(network.fetch({ url: server.origin }), failsWith('protocol'));
    assert.equal(server.connections(), 1);
  });

  test('there are at most four to one host', async () => {
    const waiting: Socket[] = [];
    let most = 0;
    const server = await serve((socket) => {
      waiting.push(socket);
      most = Math.max(most, waiting.length);
      if (waiting.length < 4) return;
      // A fifth would have come by then.
      setTimeout(() => {
        for (const one of waiting.splice(0)) one.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi');
      }, 10);
    });
    await Promise.all(Array.from({ length: 12 }, () => network.fetch({ url: server.origin })));
    assert.equal(most, 4);
  });

  test("a closed port fails with 'connect', a host that does not exist with 'dns'", async () => {
    const server = await serve(() => {});
    await server.close();
    await assert.rejects(network.fetch({ url: server.origin }), failsWith('connect'));
    const nameless = createGuardedFetch({
      dnsServers: [`127.10.0.1:${server.port}`],
      limits: { dnsTries: 1 },
    });
    await assert.rejects(nameless.fetch({ url: 'http://example.com/' }), failsWith('dns'));
    await nameless.close();
  });

  test("plain text where TLS is expected fails with 'connect'", async () => {
    const server = await serve((socket) => socket.end('HTTP/1.1 400 Bad\r\n\r\n'));
    await assert.rejects(
      network.fetch({ url: server.origin.replace('http:', 'https:') }),
      failsWith('connect'),
    );
  });

  /** A turn of the event loop, in which a connection returns to the pool. */
  function settled(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, 20));
  }
});
