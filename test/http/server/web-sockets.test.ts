import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { type Served, serveScripted } from '../../harness.ts';
import { unscriptedDeps } from '../../unscripted.ts';

const JOB = '/v2/crawl/6f1c3c8e-9f1b-4a51-8d3e-2b7f3c0f6a10';
/** https://www.rfc-editor.org/rfc/rfc6455#section-1.3 */
const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';
const ACCEPT = 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=';

describe('a WebSocket', () => {
  let served: Served;
  before(async () => {
    served = await serveScripted({ jobs: { ...unscriptedDeps().jobs, find: async () => null } });
  });
  after(() => served.close());

  /** Sends bytes, and resolves to everything that came back until the connection was closed. */
  const sent = async (...parts: string[]): Promise<string> => {
    const { hostname, port } = new URL(served.address);
    const socket = connect(Number(port), hostname);
    const received: Buffer[] = [];
    socket.on('data', (bytes) => received.push(bytes));
    socket.write(parts.join(''));
    await once(socket, 'close');
    return Buffer.concat(received).toString('latin1');
  };
  const opening = (path: string, ...more: string[]): string =>
    `${[`GET ${path} HTTP/1.1`, 'Host: a', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', `Sec-WebSocket-Key: ${KEY}`, ...more].join('\r\n')}\r\n\r\n`;

  test('to watch a job is opened and closed in good order', async () => {
    const answer = await sent(opening(JOB, 'Sec-WebSocket-Protocol: some-key'));
    const [head = '', frames] = answer.split('\r\n\r\n');
    assert.match(head, /^HTTP\/1\.1 101 /);
    assert.ok(head.includes(`Sec-WebSocket-Accept: ${ACCEPT}`));
    assert.ok(head.includes('Sec-WebSocket-Protocol: some-key'));
    assert.equal(frames, '\x88\x02\x03\xe8');
  });

  test('to any other place is a request like any other', async () => {
    const answer = await sent(
      opening('/nowhere', 'Sec-WebSocket-Protocol: x').replace(
        'Connection: Upgrade',
        'Connection: Upgrade, close',
      ),
    );
    assert.match(answer, /^HTTP\/1\.1 404 /);
  });

  test('with a body, or without a proper key, is none', async () => {
    for (const text of [
      opening(JOB, 'Content-Length: 2').concat('ab'),
      opening(JOB).replace(KEY, 'short'),
      opening(JOB).replace('websocket', 'h2c'),
      opening('/v2/crawl/a%20b'),
    ])
      assert.match(
        await sent(text.replace('Connection: Upgrade', 'Connection: Upgrade, close')),
        /^HTTP\/1\.1 404 /,
      );
  });

  test('gets nothing parsed that follows it, and none opens behind an unanswered request', async () => {
    const flood = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(500);
    assert.equal((await sent(opening(JOB), flood)).split('HTTP/1.1').length, 2);
    assert.ok(!(await sent('GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n', opening(JOB))).includes(' 101 '));
    const { status } = await served.get('/healthz');
    assert.equal(status, 200);
  });
});
