import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { createFetchFailure } from '../../src/contract/errors.ts';
import type { ReadOperation } from '../../src/search/read.ts';
import { readAnswer, serveScripted } from '../harness.ts';
import { openChargedFixture } from '../http/calls/charged-service.ts';
import { connect } from './connect.ts';

const PAGE = 'https://example.org/a?b=1';

/** The first text of a resource. */
async function textOfResource(client: Client, uri: string): Promise<string> {
  const [content] = (await client.readResource({ uri })).contents;
  return content !== undefined && 'text' in content ? content.text : '';
}

describe('pages as resources', () => {
  test('the template leads to the page, with and without a question', async (t) => {
    const asked: (string | null)[] = [];
    const served = await serveScripted({
      read: async ({ url, question }) => {
        assert.equal(url, PAGE);
        asked.push(question);
        return readAnswer();
      },
    });
    t.after(() => served.close());
    const client = await connect(served.address);
    t.after(() => client.close());
    assert.deepEqual((await client.listResources()).resources, []);
    const { resourceTemplates } = await client.listResourceTemplates();
    const [template] = resourceTemplates;
    assert.equal(template?.uriTemplate, `${served.address}/r/{url}`);
    assert.equal(template?.mimeType, 'text/markdown');
    const uri = template?.uriTemplate.replace('{url}', encodeURIComponent(PAGE)) ?? '';
    assert.equal(await textOfResource(client, uri), '# A\n');
    assert.equal(await textOfResource(client, `${uri}?q=why`), '# A\n');
    assert.deepEqual(asked, [null, 'why']);
  });

  test('another address is refused', async (t) => {
    const served = await serveScripted();
    t.after(() => served.close());
    const client = await connect(served.address);
    t.after(() => client.close());
    for (const uri of [PAGE, `${served.address}/v1/balance`, 'file:///etc/passwd'])
      await assert.rejects(client.readResource({ uri }), /The resources here are http:.*\/r\/\{url\}/);
  });

  test('are offered only with the tool that reads', async (t) => {
    const served = await serveScripted();
    t.after(() => served.close());
    const client = await connect(served.address, { query: '?tools=search' });
    t.after(() => client.close());
    assert.equal(client.getServerCapabilities()?.resources, undefined);
  });

  test('cost what GET /r costs, and nothing when the page fails', async (t) => {
    let read: ReadOperation = async () => readAnswer();
    const fixture = await openChargedFixture(null, { read: (request) => read(request) });
    t.after(() => fixture.close());
    const { apiKey } = await fixture.billing.keys.create({ credits: 2, label: null });
    const left = async (): Promise<number> =>
      (await fixture.served.get('/v1/balance', { 'x-api-key': apiKey })).json.credits;
    const client = await connect(fixture.served.address, { headers: { 'x-api-key': apiKey } });
    t.after(() => client.close());
    const [template] = (await client.listResourceTemplates()).resourceTemplates;
    const uri = template?.uriTemplate.replace('{url}', encodeURIComponent(PAGE)) ?? '';
    await client.readResource({ uri });
    assert.equal(await left(), 1);
    read = async () => {
      throw createFetchFailure('timeout', 'Too slow.');
    };
    await assert.rejects(client.readResource({ uri }), /fetch_failed: Too slow; try another address/);
    assert.equal(await left(), 1);
  });
});
