import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { Call } from './call.ts';
import { createConstantHandler } from './constant-answer.ts';

const TEXT = 'Sanderlings run along the waves. Zürich: ü. '.repeat(200);
const HEADERS = { 'content-type': 'text/plain; charset=utf-8', 'Cache-Control': 'public' };

function createRequester(make: Parameters<typeof createConstantHandler>[0]) {
  const handle = createConstantHandler(make);
  const runAlso = () => Promise.reject(new Error('a constant runs no other route'));
  return (accepted?: string) =>
    handle({ headers: accepted === undefined ? {} : { 'accept-encoding': accepted } } as Call, runAlso);
}

test('is made once, and compressed once for each coding', async () => {
  let made = 0;
  const request = createRequester(() => {
    made += 1;
    return { body: TEXT, headers: HEADERS };
  });
  const [plain, br, gzip] = [await request(), await request('gzip, br'), await request('gzip')];
  for (const [accepted, first] of [
    [undefined, plain],
    ['identity', plain],
    ['br;q=0', plain],
    ['br', br],
    ['GZIP, BR;q=0.5', gzip],
  ] as const)
    assert.equal((await request(accepted)).body, first.body, accepted);
  assert.equal(made, 1);
  assert.equal(String(plain.body), TEXT);
  assert.equal(brotliDecompressSync(br.body as Buffer).toString(), TEXT);
  assert.equal(gunzipSync(gzip.body as Buffer).toString(), TEXT);
  assert.deepEqual(plain.headers, HEADERS);
  assert.deepEqual(br.headers, { ...HEADERS, 'Content-Encoding': 'br' });
  assert.deepEqual(gzip.headers, { ...HEADERS, 'Content-Encoding': 'gzip' });
});

test('an object becomes JSON', async () => {
  const { body, headers } = await createRequester(() => ({ body: { tide: 'ü' } }))('br');
  assert.deepEqual(JSON.parse(String(body)), { tide: 'ü' });
  assert.deepEqual(headers, { 'content-type': 'application/json; charset=utf-8' });
});

test('pictures and what fits a packet are never compressed', async () => {
  for (const [body, type] of [
    [Buffer.alloc(5_000), 'image/png'],
    ['short', 'text/plain'],
  ] as const) {
    const answer = await createRequester(() => ({ body, headers: { 'content-type': type } }))('br');
    assert.deepEqual(answer, { body: Buffer.from(body), headers: { 'content-type': type } });
  }
});

test('is made again by the next request if making it failed', async () => {
  let isBroken = true;
  const request = createRequester(() => {
    if (isBroken) throw new Error('not yet');
    return { body: 'short' };
  });
  await assert.rejects(request(), /not yet/);
  isBroken = false;
  assert.equal(String((await request()).body), 'short');
});
