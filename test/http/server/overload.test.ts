import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { describe, test } from 'node:test';
import { createPressure, createRequestLimit } from '../../../src/http/server/admission.ts';
import { keptLog, serveScripted } from '../../harness.ts';

describe('a caller that hangs up', () => {
  test('ends the work and is answered by nobody', async (t) => {
    const started = Promise.withResolvers<AbortSignal>();
    const { log, lines } = keptLog();
    const app = await serveScripted({
      log,
      search: ({ signal }) => {
        started.resolve(signal);
        return new Promise(() => {});
      },
    });
    t.after(() => app.close());
    const client = request(`${app.address}/v1/search`, { method: 'POST' });
    client.on('error', () => {});
    client.end('{"query":"q"}');
    const signal = await started.promise;
    assert.equal(signal.aborted, false);
    const aborted = once(signal, 'abort');
    client.destroy();
    await aborted;
    assert.equal(signal.reason.name, 'HungUp');
    // Its place is free again, and the service goes on.
    assert.equal((await app.get('/healthz')).status, 200);
    while (lines.length < 2) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).status),
      [499, 200],
    );
  });
});

describe('a service that has no place for a request', () => {
  const full = { requestLimit: { enter: () => null, hasPlace: () => false } };

  test('sheds every route in its own error format, before the work', async (t) => {
    const app = await serveScripted(full);
    t.after(() => app.close());
    const answers = [
      await app.get('/openapi.json'),
      await app.get('/v1/balance'),
      await app.get('/nothing'),
      await app.post('/v1/search', { query: 'q' }),
      await app.post('/v1/keys/free', {}),
    ];
    for (const { status, json, headers } of answers) {
      assert.equal(status, 503);
      assert.equal(json.error, 'overloaded');
      assert.ok(Number(headers.get('retry-after')) > 0);
    }
    const second = await app.post('/shapeB/search', { query: 'q' });
    assert.deepEqual([second.status, second.json.detail.error], [503, 'overloaded']);
    assert.equal((await app.post('/mcp', {})).status, 503);
    assert.match((await app.get('/pricing')).text, /<h1>/);
  });

  test('does not shed probes', async (t) => {
    const app = await serveScripted(full);
    t.after(() => app.close());
    assert.equal((await app.get('/healthz')).status, 200);
    assert.equal((await app.get('/readyz')).status, 200);
  });
});

test('an event loop that is late refuses nobody while few requests are under way', async (t) => {
  const pressure = createPressure({
    loopDelay: { ms: () => 60_000 },
    loopShare: () => 1,
    memory: { isShort: () => true },
  });
  let now = 0;
  const app = await serveScripted({ requestLimit: createRequestLimit(pressure, () => now) });
  t.after(() => app.close());
  for (const path of ['/openapi.json', '/llms.txt', '/pricing', '/docs', '/healthz', '/tools']) {
    now += 60_000;
    assert.notEqual((await app.get(path)).status, 503, path);
  }
});
