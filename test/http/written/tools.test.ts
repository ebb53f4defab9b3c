import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { CHARS_PER_TOKEN } from '../../../src/contract/limits.ts';
import { type Served, serveScripted } from '../../harness.ts';
import { connect, textOf } from '../../mcp/connect.ts';
import { factAnswer, QUOTED, startWritten, WRITTEN, type WrittenFixture } from './written-fixture.ts';

const OF_WRITING = ['service_answer', 'service_check_claims'];
const DEFINITION_TOKENS_MAX = 1_600;

const listNames = async (client: Client): Promise<string[]> =>
  (await client.listTools()).tools.map(({ name }) => name);

describe('where a model is set', () => {
  let written: WrittenFixture;
  let app: Served;
  let client: Client;
  before(async () => {
    written = await startWritten();
    app = await serveScripted({
      writer: written.writer,
      meter: written.meter,
      search: async () => factAnswer(),
      checkClaims: async ({ claims }) => ({
        claims: claims.map(({ text }) => ({
          text,
          verdict: 'contradicted',
          problems: [{ kind: 'number', text: '45 m' }],
          near: [],
          page: { url: QUOTED.url, quote: 'It is 54 m tall.', link: `${QUOTED.url}#:~:text=It` },
        })),
        opened: [QUOTED.url],
        failed: [],
      }),
    });
    client = await connect(app.address);
  });
  after(async () => {
    await client.close();
    await app.close();
    await written.close();
  });

  test('thirteen tools are listed in few tokens, and as functions', async () => {
    const { tools } = await client.listTools();
    assert.equal(tools.length, 13);
    for (const name of OF_WRITING) assert.ok(tools.some((tool) => tool.name === name));
    const tokens = Math.ceil(JSON.stringify({ tools }).length / CHARS_PER_TOKEN);
    assert.ok(tokens <= DEFINITION_TOKENS_MAX, `${tokens} tokens`);
    assert.equal((await app.get('/tools.json')).json.length, 13);
  });

  test('answer gives the written text, then its pages', async () => {
    const result = await client.callTool({
      name: 'service_answer',
      arguments: { q: 'who opened the light?' },
    });
    assert.equal(result.isError, undefined, textOf(result));
    assert.ok(textOf(result).startsWith(`${WRITTEN} [1]\n\n1. `), textOf(result));
    assert.ok(textOf(result).includes(QUOTED.url));
    assert.equal(written.used(), 5);
  });

  test('check_claims says of each sentence what its page says instead', async () => {
    const text = `The light is 45 m tall [light](${QUOTED.url}).`;
    const result = await client.callTool({ name: 'service_check_claims', arguments: { text } });
    assert.match(textOf(result), /^CONTRADICTED: The light is 45 m tall/);
    assert.match(textOf(result), /\n> It is 54 m tall\.\n/);
    assert.match(textOf(result), /not on the page: number: 45 m/);
  });
});

test('without a model they are not listed, but can be chosen by name', async (t) => {
  const app = await serveScripted({ search: async () => factAnswer() });
  const usual = await connect(app.address);
  const chosen = await connect(app.address, { query: '?tools=answer,check_claims' });
  t.after(async () => {
    await usual.close();
    await chosen.close();
    await app.close();
  });
  assert.ok(!(await listNames(usual)).some((name) => OF_WRITING.includes(name)));
  assert.deepEqual(await listNames(chosen), OF_WRITING);
  const result = await chosen.callTool({ name: 'service_answer', arguments: { query: 'who opened it?' } });
  assert.ok(textOf(result).startsWith(`> ${QUOTED.text}`), textOf(result));
});
