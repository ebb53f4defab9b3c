import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { startWeb } from '../fixtures/web.ts';
import { startAttacked } from './attacked-service.ts';
import { AT_ONCE, type FloodData, HOSTILE, kindsOf } from './flood.ts';

const GOOD_CALLS = 30;
const CALL_MS_MAX = 60_000;
const TEXT = 'The sanderling runs along the edge of the surf and picks sandhoppers before the next wave. ';

/** The good caller's address, as a trusted proxy tells it. */
const GOOD = '203.0.113.9';

test('no call of another caller is refused during 24 requests at once of each of 16 kinds', async (t) => {
  const site = await startWeb({
    address: '127.40.0.5',
    fallback: (request, response) =>
      response
        .setHeader('content-type', 'text/html')
        .end(`<title>${request.url}</title><main><h1>Waders</h1><p>${TEXT.repeat(20)}</p></main>`),
  });
  t.after(() => site.close());
  const { address, assertUnharmed } = await startAttacked(t, {
    LOG_LEVEL: 'error',
    TRUST_PROXY: '1',
    FETCH_ALLOW_PRIVATE: '127.0.0.0/8',
  });
  const request = (path: string, from: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${address}${path}`, {
      ...init,
      headers: { 'x-forwarded-for': from, accept: 'application/json', ...init.headers },
      signal: AbortSignal.timeout(CALL_MS_MAX),
    });
  const keyOf = async (from: string): Promise<Record<string, string>> => {
    const response = await request('/v1/keys/free', from, { method: 'POST' });
    return { authorization: `Bearer ${((await response.json()) as { apiKey: string }).apiKey}` };
  };
  const [good, hostile] = [await keyOf(GOOD), await keyOf(HOSTILE)];
  const kinds = Object.keys(kindsOf(site.origin));

  const read = async (): Promise<number> => {
    const began = performance.now();
    const response = await request(`/r/${site.origin}/kept`, GOOD, { headers: good });
    await response.arrayBuffer();
    assert.equal(response.status, 200);
    return performance.now() - began;
  };
  const p95 = async (): Promise<number> => {
    const times: number[] = [];
    for (let nth = 0; nth < GOOD_CALLS; nth += 1) times.push(await read());
    return Math.round(times.sort((left, right) => left - right)[Math.floor(GOOD_CALLS * 0.95)] ?? 0);
  };
  await p95();
  for (const name of kinds) {
    const alone = await p95();
    const workerData = { address, name, origin: site.origin, headers: hostile } satisfies FloodData;
    const flood = new Worker(new URL('flood.ts', import.meta.url), { workerData });
    await once(flood, 'message');
    const beside = await p95();
    await flood.terminate();
    t.diagnostic(`${name}: p95 alone ${alone} ms, beside ${AT_ONCE} at once ${beside} ms`);
  }
  await assertUnharmed();
});
