import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, type TestContext, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { relayMcp } from '../../src/http/mcp/mcp-relay.ts';
import { programPath } from '../fixtures/program.ts';
import { readAnswer, searchAnswer, serveScripted } from '../harness.ts';
import { textOf } from '../mcp/connect.ts';

/** The command line as a client starts it, with an empty folder and no upstream sources. */
async function start(
  t: TestContext,
  { args = [], env = {} }: { args?: string[]; env?: Record<string, string> } = {},
): Promise<Client> {
  const folder = mkdtempSync(join(tmpdir(), 'sanderling-mcp-'));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [programPath(), 'mcp', ...args],
    env: { ...getEnvironment(), DATA_DIR: folder, RECALL: 'index', BASE_URL: '', ...env },
    stderr: 'inherit',
  });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  t.after(async () => {
    await client.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return client;
}

const getEnvironment = (): Record<string, string> => ({ PATH: process.env.PATH ?? '' });

describe('sanderling mcp', () => {
  test('answers from its own index', async (t) => {
    const client = await start(t);
    const { tools } = await client.listTools();
    assert.equal(tools.length, 11);
    const found = await client.callTool({ name: 'service_search', arguments: { query: 'waders' } });
    assert.match(textOf(found), /^No results/);
    const refused = await client.callTool({
      name: 'service_read',
      arguments: { url: 'http://127.0.0.1:1/' },
    });
    assert.match(textOf(refused), /^url_not_allowed/);
    assert.equal(refused.isError, true);
    const balance = await client.callTool({ name: 'service_balance' });
    assert.match(textOf(balance), /^invalid_api_key.*SANDERLING_API_KEY/s);
  });

  test("is the operator's own: calls are not counted", async (t) => {
    const client = await start(t, { env: { KEYLESS_PER_DAY: '2' } });
    const { tools } = await client.listTools();
    assert.doesNotMatch(tools.find(({ name }) => name === 'service_search')?.description ?? '', /credit/);
    for (let call = 0; call < 4; call++) {
      const found = await client.callTool({ name: 'service_search', arguments: { query: 'waders' } });
      assert.match(textOf(found), /^No results/);
      assert.deepEqual(found._meta, { creditsRemaining: 2 });
    }
  });

  test('without metering offers no tools about keys', async (t) => {
    const client = await start(t, { env: { METERING: 'off', SANDERLING_API_KEY: 'no-key-of-ours' } });
    assert.equal((await client.listTools()).tools.length, 9);
    const found = await client.callTool({ name: 'service_search', arguments: { query: 'waders' } });
    assert.match(textOf(found), /^No results/);
    assert.equal(found._meta, undefined);
  });

  test('uses the key from the environment', async (t) => {
    const client = await start(t, {
      env: { SANDERLING_API_KEY: 'no-key-of-ours' },
      args: ['--tools', 'search'],
    });
    assert.equal((await client.listTools()).tools.length, 1);
    const found = await client.callTool({ name: 'service_search', arguments: { query: 'waders' } });
    assert.match(textOf(found), /^invalid_api_key/);
  });

  test('relays everything to a remote server', async (t) => {
    const keys: string[] = [];
    const served = await serveScripted({
      findKey: async (key) => {
        keys.push(key);
        return { keyId: key, noStore: false };
      },
      search: async () => searchAnswer(),
      read: async () => readAnswer(),
    });
    t.after(() => served.close());
    const client = await start(t, {
      args: ['--url', served.address, '--tools', 'search,read'],
      env: { SANDERLING_API_KEY: 'the-key' },
    });
    assert.equal((await client.listTools()).tools.length, 2);
    const found = await client.callTool({ name: 'service_search', arguments: { query: 'waders' } });
    assert.match(textOf(found), /^1\. A \(2025-01-31\)/);
    assert.deepEqual(keys, ['the-key']);
  });
});

test('a server that does not answer is reported', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const relay = relayMcp({ url: 'http://127.0.0.1:9/', apiKey: null, tools: null, input, output });
  input.write('{"jsonrpc":"2.0","id":7,"method":"ping"}\n');
  const [line] = await output.take(1).toArray();
  const { id, error } = JSON.parse(String(line));
  assert.equal(id, 7);
  assert.match(error.message, /^The server could not be reached/);
  input.end();
  await relay;
});
