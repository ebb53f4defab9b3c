import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Call } from '../../../src/http/calls/call.ts';
import { createReadinessHandler } from '../../../src/http/server/health.ts';
import { serveScripted } from '../../harness.ts';

describe('GET /healthz', () => {
  test('200, whatever the store does and whatever key comes along', async (t) => {
    const app = await serveScripted({ ping: async () => assert.fail('not asked') });
    t.after(() => app.close());
    const { status, json } = await app.get('/healthz', { 'x-api-key': 'nobody' });
    assert.equal(status, 200);
    assert.equal(json.status, 'ok');
    assert.match(json.requestId, /^req_/);
  });
});

describe('GET /readyz', () => {
  test('200 when the store answers', async (t) => {
    const app = await serveScripted();
    t.after(() => app.close());
    const { status, json } = await app.get('/readyz');
    assert.equal(status, 200);
    assert.equal(json.status, 'ready');
  });

  test('200 while calls are refused for want of room, and says so', async (t) => {
    let isShedding = true;
    const answer = createReadinessHandler({
      isDraining: () => false,
      ping: async () => {},
      rebuildState: () => null,
      clusterState: () => null,
      isShedding: () => isShedding,
    });
    const call = { requestId: 'req_1' } as Call;
    assert.deepEqual((await answer(call)).body, { status: 'ready', requestId: 'req_1', load: 'shedding' });
    isShedding = false;
    assert.deepEqual((await answer(call)).body, { status: 'ready', requestId: 'req_1' });

    // A process that sheds stays in service.
    const app = await serveScripted({ requestLimit: { enter: () => null, hasPlace: () => false } });
    t.after(() => app.close());
    assert.equal((await app.get('/v1/balance')).status, 503);
    assert.equal((await app.get('/readyz')).status, 200);
  });

  test('503 when the store fails', async (t) => {
    const app = await serveScripted({ ping: async () => Promise.reject(new Error('disk gone')) });
    t.after(() => app.close());
    const { status, json, text } = await app.get('/readyz');
    assert.equal(status, 503);
    assert.equal(json.error, 'overloaded');
    assert.doesNotMatch(text, /disk gone/);
  });

  test('503 while draining, with Connection: close', async (t) => {
    const app = await serveScripted();
    t.after(() => app.close());
    app.draining.begin();
    const { status, headers } = await app.get('/readyz');
    assert.equal(status, 503);
    assert.equal(headers.get('connection'), 'close');
    assert.equal((await app.get('/healthz')).status, 200);
  });
});
