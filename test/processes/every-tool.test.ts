import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { createAudit } from '../../src/billing/audit/audit.ts';
import { programPath } from '../fixtures/program.ts';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { type RealServed, serveReal } from '../harness.ts';
import { connect, textOf } from '../mcp/connect.ts';

/** Everything real: the SDK's client, the service, and a small site on loopback. */
let site: FakeWeb;
before(async () => {
  site = await startWeb({
    address: '127.10.0.6',
    routes: {
      '/': page('Waders', ['/godwit', '/curlew'], 'Waders are birds of the shore.'),
      '/godwit': page(
        'Godwits',
        ['/'],
        'The bar-tailed godwit flies from Alaska to New Zealand without a rest.',
      ),
      '/curlew': page('Curlews', ['/'], 'The curlew has a long bill that is bent downwards.'),
    },
  });
});
after(() => site.close());

function page(title: string, links: string[], text: string): string {
  return `<!doctype html><html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1><p>${text}
  It is written in a sentence that is long enough to be a paragraph of the page, and in no other.</p>
  <ul>${links.map((href) => `<li><a href="${href}">go</a></li>`).join('')}</ul></main></body></html>`;
}

/** Calls with their costs in credits; the crawl comes before the search that finds its pages. */
const steps = (): [name: string, args: object, text: RegExp, credits: number][] => [
  ['map', { url: site.origin }, new RegExp(`${site.origin}/curlew`), 1],
  ['crawl', { url: site.origin, limit: '3' }, /^=== http.*\n\n# Waders[\s\S]*=== .*\/godwit\n/, 3],
  ['read', { url: `${site.origin}/godwit` }, /^URL: .*\/godwit\n\n# Godwits/, 1],
  [
    'contents',
    { urls: [`${site.origin}/curlew`, `${site.origin}/gone`] },
    /^Not loaded: .*\/gone .*404\)\n\n=== Curlews/,
    1,
  ],
  [
    'search',
    { query: 'bar-tailed godwit' },
    /^1\. Godwits\n.*\/godwit\n> [\s\S]*\n\[1\]\n[\s\S]*\n\[1\] #:~:text=The/,
    1,
  ],
  ['find_similar', { url: `${site.origin}/godwit` }, /^(?:No results|1\. )/, 1],
  ['balance', {}, /^Credits: \d+\nUsed per day: /, 0],
  ['auto_reload', { enabled: 'false' }, /^Credits: \d+[\s\S]*Auto-reload: off/, 0],
];

describe('over HTTP', () => {
  let app: RealServed;
  let client: Client;
  let keyId: string;
  before(async () => {
    app = await serveReal({ FETCH_ALLOW_PRIVATE: '127.10.0.0/16' });
    const { apiKey } = await app.billing.keys.create({ credits: 1_000, label: null });
    keyId = (await app.billing.keys.find(apiKey))?.keyId ?? '';
    client = await connect(app.address, { headers: { 'x-api-key': apiKey } });
  });
  after(async () => {
    await client.close();
    assert.deepEqual(await createAudit(app.billing)(), []);
    await app.close();
  });

  test('every tool answers at the price of its route', async () => {
    let left = 1_000;
    for (const [name, args, text, credits] of steps()) {
      const wanted = { name: `service_${name}`, arguments: { ...args } };
      // A progress token makes any answer a stream.
      const result = await client.callTool(wanted, undefined, { onprogress() {} });
      assert.match(textOf(result), text, name);
      assert.equal(result.isError, undefined, name);
      left -= credits;
      assert.equal((await app.billing.balanceOf(keyId)).credits, left, name);
    }
  });

  test('deep research shows its passages and costs a credit per search', async () => {
    const before_ = (await app.billing.balanceOf(keyId)).credits;
    const args = {
      question: 'Where does the bar-tailed godwit fly from Alaska?',
      max_searches: 2,
      maxTokens: '2000',
    };
    const result = await client.callTool({ name: 'service_deep_research', arguments: args });
    const text = textOf(result);
    assert.match(text, /^\[e1\] Godwits\nhttp.*\/godwit$/m);
    assert.match(text, /\n\[e1\] #:~:text=The%20bar\S*$/);
    assert.match(text, /^> .*flies from Alaska to New Zealand/m);
    const used = before_ - (await app.billing.balanceOf(keyId)).credits;
    assert.ok(used >= 1 && used <= 2, `${used} credits`);
  });
});

test('over standard input and output, every tool answers', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sanderling-mcp-'));
  const env = { DATA_DIR: folder, RECALL: 'index', FETCH_ALLOW_PRIVATE: '127.10.0.0/16' };
  const client = new Client({ name: 'test', version: '1' });
  t.after(async () => {
    await client.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [programPath(), 'mcp'],
    env: { PATH: process.env.PATH ?? '', ...env },
    stderr: 'inherit',
  });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  for (const [name, args, text] of steps()) {
    const result = await client.callTool({ name: `service_${name}`, arguments: { ...args } });
    // Without a key there is no account.
    const ofKey = name === 'balance' || name === 'auto_reload';
    assert.match(textOf(result), ofKey ? /^invalid_api_key/ : text, name);
  }
  const research = await client.callTool({
    name: 'service_deep_research',
    arguments: { question: 'Where does the bar-tailed godwit fly?' },
  });
  assert.match(textOf(research), /^\[e1\] Godwits$/m);
});
