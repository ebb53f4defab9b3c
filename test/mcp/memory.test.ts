import assert from 'node:assert/strict';
import { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import { searchAnswer, serveScripted } from '../harness.ts';

const CALLS = 20;

for (const accept of ['application/json', 'text/event-stream'])
  test(`nothing is left of tool calls that were answered as ${accept}`, async (t) => {
    const served = await serveScripted({ search: async () => searchAnswer() });
    t.after(() => served.close());
    const params = { name: 'service_search', arguments: { query: 'turnstones' } };
    for (let id = 0; id < CALLS; id += 1) {
      const call = { jsonrpc: '2.0', id, method: 'tools/call', params };
      const { status, text } = await served.post('/mcp', call, { accept });
      assert.equal(status, 200);
      assert.ok(!text.includes('isError'), text);
    }
    await nextTurn();
    const kept = Number(queryObjects(ServerResponse, { format: 'count' }));
    // The last one may still be in the hands of its connection.
    assert.ok(kept <= 2, `${kept} of ${CALLS} calls are kept`);
  });
