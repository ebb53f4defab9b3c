import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { fastify } from 'fastify';
import type { Route } from '../calls/call.ts';
import { addCompression, mayCompress, sendAnswer } from './send-answer.ts';

const TEXT = 'Sanderlings run along the waves. Zürich: ü. ';
const DECODERS = { br: brotliDecompressSync, gzip: gunzipSync };

/** Sends a body to a client that accepts some codings. */
async function send(body: string | Uint8Array, accepted?: string) {
  const app = fastify();
  await addCompression(app);
  app.get('/', (request, reply) => {
    Object.assign(request, {
      watched: {},
      load: { addBytes() {} },
    });
    sendAnswer({ callers: 'payer' } as Route, { body }, { request, reply });
    return reply;
  });
  const headers = accepted === undefined ? {} : { 'accept-encoding': accepted };
  const { headers: answered, rawPayload } = await app.inject({ url: '/', headers });
  await app.close();
  return { coding: answered['content-encoding'] ?? null, vary: answered.vary ?? null, bytes: rawPayload };
}

test('the coding is the one that the client prefers, brotli where it accepts both', async () => {
  for (const [accepted, coding] of [
    ['', null],
    ['identity', null],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['*', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0, *;q=0', null],
    ['GZIP;Q=1', 'gzip'],
  ] as const)
    assert.equal((await send(TEXT.repeat(200), accepted)).coding, coding, accepted);
});

test('a body is compressed and comes back whole; a small one is left alone', async () => {
  // At once, and as a stream.
  for (const times of [200, 2_000]) {
    const body = TEXT.repeat(times);
    for (const coding of ['br', 'gzip'] as const)
      for (const sent of [body, new TextEncoder().encode(body)]) {
        const { bytes, vary } = await send(sent, coding);
        assert.equal(DECODERS[coding](bytes).toString(), body);
        assert.ok(bytes.length * 20 < body.length);
        assert.match(String(vary), /accept-encoding/i);
      }
  }
  assert.equal((await send('short', 'br')).coding, null);
  assert.equal((await send(TEXT.repeat(200))).coding, null);
});

test('only successes of priced routes, and of routes that say so, are compressed', () => {
  assert.equal(mayCompress({ callers: 'payer' }, {}), true);
  assert.equal(mayCompress({ callers: 'payer' }, { status: 402 }), false);
  assert.equal(mayCompress({ callers: 'key' }, {}), false);
  assert.equal(mayCompress({ callers: 'anybody' }, {}), false);
  assert.equal(mayCompress({ callers: 'anybody', compress: true }, {}), true);
});
