import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cpus } from 'node:os';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { startWeb } from '../fixtures/web.ts';
import { startAttacked } from './attacked-service.ts';

const CALLS = 500;
/** Endless loops for each core. */
const LOOPS_PER_CORE = 2;
/** A call that takes longer is lost, whatever the machine does. */
const CALL_MS_MAX = 120_000;
/** It takes 50 seconds on two cores, and longer where other tiers run beside it. */
const TEST_MS_MAX = 900_000;
const TOKEN = 'a token of thirty-two characters';

test('calls one after another beside endless loops on every core are all answered, and whole', {
  timeout: TEST_MS_MAX,
}, async (t) => {
  const loops = Array.from(
    { length: LOOPS_PER_CORE * cpus().length },
    () => new Worker('for (;;);', { eval: true }),
  );
  t.after(() => Promise.all(loops.map((loop) => loop.terminate())));
  await Promise.all(loops.map((loop) => once(loop, 'online')));
  const site = await startWeb({
    address: '127.40.0.3',
    fallback: (request, response) =>
      response
        .setHeader('content-type', 'text/html')
        .end(
          `<title>${request.url}</title><main><h1>Waders</h1><p>The sanderling runs along the edge of the surf.</p></main>`,
        ),
  });
  t.after(() => site.close());
  const { address } = await startAttacked(t, {
    LOG_LEVEL: 'warn',
    FETCH_ALLOW_PRIVATE: '127.0.0.0/8',
    ADMIN_TOKEN: TOKEN,
  });
  const request = async (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${address}${path}`, { ...init, redirect: 'manual', signal: AbortSignal.timeout(CALL_MS_MAX) });
  const key = await request('/v1/keys/free', { method: 'POST' });
  assert.equal(key.status, 200);
  const { apiKey } = (await key.json()) as { apiKey: string };
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const post = (path: string, body: object): Promise<Response> =>
    request(path, { method: 'POST', headers, body: JSON.stringify(body) });
  const form = new URLSearchParams({ token: TOKEN, next: '/admin' });

  const kinds: [name: string, status: number, call: (nth: number) => Promise<Response>][] = [
    ['a search', 200, (nth) => post('/v1/search', { query: `sanderling surf ${nth % 7}` })],
    ['contents', 200, (nth) => post('/v1/contents', { urls: [`${site.origin}/contents/${nth}`] })],
    ['a page', 200, (nth) => request(`/r/${site.origin}/page/${nth}`, { headers })],
    ['a page for a question', 200, (nth) => request(`/r/${site.origin}/page/${nth}?q=surf`, { headers })],
    ['an answer', 200, (nth) => post('/v1/answer', { query: `Where does the sanderling run? ${nth % 5}` })],
    ['the console', 401, () => request('/admin')],
    ['a sign-in', 303, () => request('/admin/sign-in', { method: 'POST', body: form })],
  ];
  const faults: string[] = [];
  for (let nth = 0; nth < CALLS; nth += 1) {
    const [name, expected, call] = kinds[nth % kinds.length] ?? assert.fail('kinds');
    const response = await call(nth);
    const text = await response.text();
    const left = response.headers.get('x-incomplete') ?? /"incomplete":\[[^\]]*\]/.exec(text)?.[0];
    if (response.status !== expected) faults.push(`${name} ${nth}: ${response.status} ${text.slice(0, 200)}`);
    else if (left !== undefined) faults.push(`${name} ${nth}: ${left}`);
  }
  assert.deepEqual(faults, []);
});
