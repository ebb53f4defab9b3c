import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBrokenLine } from '../fixtures/broken-line.ts';
import { createTestDatabase, noServer } from '../fixtures/postgres.ts';
import { startAttacked } from './attacked-service.ts';

const CALLS = 300;
/** Ends a call that would never be answered; far above the deadlines of these routes. */
const HUNG_MS = 90_000;
const BODY = JSON.stringify({ query: 'wading birds', urls: ['https://example.org/'] });
const ROUTES: [method: string, path: string, body: string | undefined][] = [
  ['POST', '/v1/search', BODY],
  ['POST', '/v1/contents', BODY],
  ['POST', '/shapeB/search', BODY],
  ['GET', '/v1/balance', undefined],
  ['POST', '/v1/keys/free', undefined],
  ['GET', '/buy/instant', undefined],
];

const database = await createTestDatabase();

test('a database that accepts connections and never responds: 503 for 300 calls, then full recovery', {
  skip: database === null ? noServer : false,
}, async (t) => {
  const { hostname: host, port, pathname } = new URL(database?.url ?? '');
  const line = await createBrokenLine({ host, port: Number(port || 5_432) });
  const service = await startAttacked(t, {
    DATABASE_URL: `postgres://postgres@127.0.0.1:${line.port}${pathname}`,
  });
  t.after(async () => {
    await line.close();
    await database?.drop();
  });
  const claimed = await fetch(`${service.address}/v1/keys/free`, { method: 'POST' });
  const { apiKey, credits } = (await claimed.json()) as { apiKey: string; credits: number };
  const headers = { 'x-api-key': apiKey };

  line.stall();
  const signal = AbortSignal.timeout(HUNG_MS);
  const calls = Array.from({ length: CALLS }, async (_, call) => {
    const [method, path, body] = ROUTES[call % ROUTES.length] ?? assert.fail('no route');
    const answer = await fetch(service.address + path, { method, body: body ?? null, headers, signal });
    const said = await answer.text();
    assert.equal(answer.status, 503, `${path}: ${said}`);
    const requestId = answer.headers.get('x-request-id');
    assert.match(requestId ?? '', /^req_/);
    const json = JSON.parse(said);
    if (path.startsWith('/shapeB')) assert.deepEqual(json, { detail: { error: 'overloaded' } });
    else assert.deepEqual([json.error, json.requestId], ['overloaded', requestId]);
  });
  const health = await fetch(`${service.address}/healthz`, { signal });
  assert.equal(health.status, 200);
  await Promise.all(calls);
  assert.equal((await fetch(`${service.address}/readyz`)).status, 503);

  line.resume();
  await untilAnswered(`${service.address}/v1/balance`, headers);
  const balance = await fetch(`${service.address}/v1/balance`, { headers });
  assert.equal(((await balance.json()) as { credits: number }).credits, credits);
  await service.assertUnharmed();
});

/** Waits for recovery: stalled connections time out one by one. */
async function untilAnswered(url: string, headers: Record<string, string>): Promise<void> {
  const signal = AbortSignal.timeout(HUNG_MS);
  while ((await fetch(url, { headers, signal })).status !== 200);
}
