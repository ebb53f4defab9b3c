import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { type RawServer, startRawServer } from '../../../test/fixtures/web.ts';
import { createGuardedFetch } from './guarded-fetch.ts';

const network = createGuardedFetch({ allowPrivate: ['127.10.0.0/16'] });
const servers: RawServer[] = [];

after(async () => {
  await network.close();
  await Promise.all(servers.map((server) => server.close()));
});

/** Answers every request with the same text, and keeps what it was asked. */
async function answering(answer: string): Promise<{ origin: string; asked: string[] }> {
  const asked: string[] = [];
  const server = await startRawServer((socket, request) => {
    asked.push(request);
    socket.end(answer);
  });
  servers.push(server);
  return { origin: server.origin, asked };
}

describe('a request with a body', () => {
  test('is a POST with its length and content type', async () => {
    const { origin, asked } = await answering('HTTP/1.1 204 No Content\r\n\r\n');
    const headers = { 'content-type': 'application/json' };
    const { status } = await network.fetch({ url: `${origin}/hook`, body: '{"a":"ä"}', headers });
    assert.equal(status, 204);
    assert.match(asked[0] ?? '', /^POST \/hook HTTP\/1\.1\r\n/);
    assert.match(asked[0] ?? '', /\r\ncontent-type: application\/json\r\n/i);
    assert.match(asked[0] ?? '', /\r\ncontent-length: 10\r\n/i);
  });

  test('follows no redirect: its body is for the named address alone', async () => {
    const other = await answering('HTTP/1.1 200 OK\r\n\r\n');
    const first = await answering(
      `HTTP/1.1 307 Temporary Redirect\r\nlocation: ${other.origin}/\r\ncontent-length: 0\r\n\r\n`,
    );
    assert.equal((await network.fetch({ url: first.origin, body: 'x' })).status, 307);
    assert.deepEqual(other.asked, []);
  });

  test('is refused where a GET would be', async () => {
    const guarded = createGuardedFetch();
    await assert.rejects(guarded.fetch({ url: 'http://127.0.0.1:8080/', body: 'x' }), {
      code: 'url_not_allowed',
    });
    await guarded.close();
  });
});
