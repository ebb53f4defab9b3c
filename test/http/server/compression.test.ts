import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { visitAccount } from '../../fixtures/account-visit.ts';
import { openSiteFixture, type SiteFixture } from '../../fixtures/site-fixture.ts';
import { readAnswer } from '../../harness.ts';

const MARKDOWN = '# Waders\n\nThe sanderling runs along the edge of the waves. '.repeat(100);
const READ = '/r/https://example.org/';

let fixture: SiteFixture;
before(async () => {
  fixture = await openSiteFixture({ read: async () => readAnswer({ markdown: MARKDOWN }) });
});
after(() => fixture.close());

type Raw = { response: IncomingMessage; bytes: Buffer };

/** As it is on the wire; `fetch` would decompress it. */
async function raw(
  path: string,
  accept: string,
  options: { method?: string; body?: string; headers?: Record<string, string> } = {},
): Promise<Raw> {
  const { method = 'GET', body } = options;
  const headers = {
    ...options.headers,
    'accept-encoding': accept,
    ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
  };
  const sent = request(new URL(path, fixture.served.address), { method, headers });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part);
  return { response, bytes: Buffer.concat(parts) };
}

describe('a response to a client that accepts compression', () => {
  test('is compressed, with its length, and says that it varies', async () => {
    const [plain, br, gzip] = [await raw(READ, ''), await raw(READ, 'gzip, br'), await raw(READ, 'gzip')];
    assert.equal(plain.response.headers['content-encoding'], undefined);
    assert.deepEqual(
      [br.response.headers['content-encoding'], gzip.response.headers['content-encoding']],
      ['br', 'gzip'],
    );
    assert.equal(brotliDecompressSync(br.bytes).toString(), plain.bytes.toString());
    assert.equal(gunzipSync(gzip.bytes).toString(), plain.bytes.toString());
    for (const { response, bytes } of [plain, br, gzip]) {
      assert.equal(Number(response.headers['content-length']), bytes.length);
      assert.match(response.headers.vary ?? '', /accept-encoding/i);
      assert.equal(response.headers['content-type'], plain.response.headers['content-type']);
    }
    assert.ok(br.bytes.length * 10 < plain.bytes.length);
  });

  test('HEAD has the headers of GET', async () => {
    const [got, head] = [await raw('/docs', 'br'), await raw('/docs', 'br', { method: 'HEAD' })];
    assert.equal(head.bytes.length, 0);
    for (const name of ['content-encoding', 'content-length', 'content-type', 'vary'])
      assert.equal(head.response.headers[name], got.response.headers[name], name);
    assert.equal(got.response.headers['content-encoding'], 'br');
  });

  test('is compressed once where it is the same for everybody, so it has its length however long it is', async () => {
    for (const path of [
      '/openapi.json',
      '/llms.txt',
      '/tools.json',
      '/site.css',
      '/docs',
      '/docs/api/search',
    ]) {
      const [plain, br] = [await raw(path, ''), await raw(path, 'br')];
      assert.equal(br.response.headers['content-encoding'], 'br', path);
      assert.equal(Number(br.response.headers['content-length']), br.bytes.length, path);
      assert.ok(brotliDecompressSync(br.bytes).equals(plain.bytes), path);
      for (const { response } of [plain, br])
        assert.match(response.headers.vary ?? '', /accept-encoding/i, path);
    }
  });

  test('is never compressed where it holds a key, a payment link or an account', async () => {
    const { apiKey } = await fixture.billing.keys.create({ credits: 10, label: null });
    const { cookie } = await visitAccount(fixture.served, apiKey);
    for (const { response, bytes } of [
      await raw('/account', 'br', { headers: { cookie } }),
      await raw('/pricing', 'br'),
      await raw('/v1/keys/free', 'br', { method: 'POST' }),
    ]) {
      assert.ok(bytes.length > 0);
      assert.equal(response.headers['content-encoding'], undefined);
    }
  });
});
