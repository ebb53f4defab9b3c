import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { searchAnswer, serveScripted } from '../harness.ts';

/** The server's part of a call: one for each request over HTTP. */
const kept = (): number => queryObjects(WebStandardStreamableHTTPServerTransport, { format: 'count' });

test('nothing is left of tool calls that were answered', async (t) => {
  const served = await serveScripted({ search: async () => searchAnswer() });
  t.after(() => served.close());
  const call = { name: 'service_search', arguments: { query: 'turnstones' } };
  for (let id = 0; id < 20; id += 1) {
    const { status, json } = await served.post('/mcp', { jsonrpc: '2.0', id, method: 'tools/call', params: call });
    assert.equal(status, 200);
    assert.equal(json.result.isError, undefined);
  }
  await nextTurn();
  // The last one or two may still be in the hands of the connection.
  assert.ok(kept() <= 2, `${kept()} of 20 calls are kept`);
});
