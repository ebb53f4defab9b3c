import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { chooseCoding, compressBody, mayCompress } from './send-answer.ts';

test('the coding is the one that the client prefers, brotli where it does not care', () => {
  for (const [accepted, coding] of [
    ['', null],
    ['identity', null],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['*', 'br'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0, *;q=0', null],
    ['GZIP;Q=1', 'gzip'],
    ['br;q=nonsense', 'br'],
  ] as const)
    assert.equal(chooseCoding(accepted), coding, accepted);
});

test('a body is compressed and comes back whole; a small one is left alone', async () => {
  // At once, and in a thread.
  for (const times of [200, 2_000]) {
    const body = 'Sanderlings run along the waves. Zürich: ü. '.repeat(times);
    const [br, gz] = [await compressBody(body, 'br'), await compressBody(body, 'gzip')];
    assert.equal(brotliDecompressSync(br?.body ?? '').toString(), body);
    assert.equal(gunzipSync(gz?.body ?? '').toString(), body);
    for (const coded of [br, gz]) assert.ok((coded?.body.length ?? body.length) * 20 < body.length);
  }
  assert.equal(await compressBody('short', 'br'), null);
  assert.equal(await compressBody('Sanderlings run. '.repeat(200), undefined), null);
});

test('only successes of priced routes, and of routes that say so, are compressed', () => {
  assert.equal(mayCompress({ callers: 'payer' }, {}), true);
  assert.equal(mayCompress({ callers: 'payer' }, { status: 402 }), false);
  assert.equal(mayCompress({ callers: 'key' }, {}), false);
  assert.equal(mayCompress({ callers: 'anybody' }, {}), false);
  assert.equal(mayCompress({ callers: 'anybody', compress: true }, {}), true);
});
