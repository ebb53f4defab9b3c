import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { parse as parseYaml } from 'yaml';
import { type ClientFixture, openClientFixture } from './client-fixture.ts';
import { runPython, skipPython } from './python-environments.ts';

/** The recipes of docs/integrations: programs run as they stand, settings are well formed, and every address in them answers. */
const FOLDER = 'docs/integrations';
const run = promisify(execFile);
const RUN_MS_MAX = 90_000;

let fixture: ClientFixture;
let key: string;
before(async () => {
  fixture = await openClientFixture();
  key = await fixture.key();
});
after(() => fixture.close());

type Block = { language: string; about: string; code: string };

function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w+) ?([\w-]*)\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', about = '', code = '']) => ({ language, about, code }),
  );
}

/** As a reader of the page fills it in. */
const filled = (code: string): string =>
  code
    .replaceAll('{base_url}', fixture.served.address)
    .replaceAll('<key>', key)
    .replaceAll('https://example.org/', `${fixture.site.origin}/sanderling`);

/** Runs a program as it stands; returns what it prints. */
async function outputOf({ language, about, code }: Block): Promise<string> {
  if (language === 'js') {
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', filled(code)], {
      cwd: import.meta.dirname,
      timeout: RUN_MS_MAX,
    });
    return stdout;
  }
  const ran = await runPython(
    { environment: about === '' ? 'current' : about },
    { args: ['-W', 'ignore', '-c', filled(code)] },
  );
  assert.equal(ran.code, 0, ran.output);
  return ran.output;
}

type Probe = { method?: 'GET'; path?: string; body?: object };

const QUERY = 'wading birds';
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
/** What an application sends to an address of a recipe. */
const PROBES: Record<string, Probe> = {
  '': { path: '/search', body: { query: QUERY } },
  FIRECRAWL: { path: '/v2/scrape', body: { url: 'PAGE', formats: ['markdown'] } },
  '/v1/search': { body: { query: QUERY } },
  '/shapeB': { path: '/shapeB/search', body: { query: QUERY } },
  '/searxng': { method: 'GET', path: `/searxng/search?q=${QUERY}&format=json` },
  '/searxng/<key>': { method: 'GET', path: `/searxng/<key>/search?q=${QUERY}&format=json` },
  '/searxng/<key>/search?q=<query>': { method: 'GET', path: `/searxng/<key>/search?q=${QUERY}&format=json` },
  '/openwebui/search': { body: { query: QUERY, count: 3 } },
  '/openwebui/load': { body: { urls: ['PAGE'] } },
  '/pplx': { path: '/pplx/search', body: { query: QUERY } },
  '/pplx/search': { body: { query: QUERY } },
  '/linkup/v1': {
    path: '/linkup/v1/search',
    body: { q: QUERY, depth: 'standard', outputType: 'searchResults' },
  },
  '/res/v1/web/search': { method: 'GET', path: `/res/v1/web/search?q=${QUERY}` },
  '/v1/rerank': { body: { query: QUERY, documents: ['a bird', 'a stone'], top_n: 1 } },
  '/tools.json': { method: 'GET' },
  '/mcp': { body: initialize },
  '/r': { method: 'GET', path: '/r/PAGE' },
  '/s': { method: 'GET', path: `/s/${QUERY}` },
  '/v2': { path: '/v2/search', body: { query: QUERY } },
  '/firecrawl': { path: '/firecrawl/v1/scrape', body: { url: 'PAGE' } },
};

/** The addresses of our service in a text, without the base; a Firecrawl's is known by the name of its setting. */
function addressesOf(text: string): string[] {
  return [...text.matchAll(/([\w"]*[=:]? ?"?)\{base_url\}((?:\/[\w.<>-]+)*(?:\?q=<query>)?)/g)].map(
    ([, before_ = '', path = '']) => (/^FIRECRAWL/.test(before_) ? 'FIRECRAWL' : path),
  );
}

async function probe(address: string): Promise<number> {
  const { method, path = address, body } = PROBES[address] ?? assert.fail(`no probe for ${address}`);
  const headers = { 'x-api-key': key, accept: 'application/json' };
  const page = `${fixture.site.origin}/sanderling`;
  const target = path.replace('<key>', key).replace('PAGE', page).replaceAll(' ', '+');
  if (method === 'GET') return (await fixture.served.get(target, headers)).status;
  const sent = JSON.stringify(body).replaceAll('"PAGE"', JSON.stringify(page));
  return (await fixture.served.post(target, sent, headers)).status;
}

const files = readdirSync(FOLDER);
const index = readFileSync('docs/integrations.md', 'utf8');

for (const file of files)
  describe(file, () => {
    const text = readFileSync(join(FOLDER, file), 'utf8');

    test('is listed', () => assert.ok(index.includes(`(integrations/${file})`)));

    for (const address of new Set(addressesOf(text)))
      test(`{base_url}${address} answers`, async () => assert.equal(await probe(address), 200));

    for (const [place, block] of blocksOf(text).entries()) {
      const { language, code } = block;
      const name = `recipe ${place + 1}, ${language}`;
      const isPython = language === 'python';
      if (isPython || language === 'js')
        test(name, { skip: isPython && skipPython }, async () => {
          assert.match(await outputOf(block), /http:\/\/127\.|[Ww]ading bird/);
        });
      else if (language === 'json') test(name, () => assert.ok(JSON.parse(code)));
      else if (language === 'yaml') test(name, () => assert.ok(parseYaml(code)));
      else if (language === 'env')
        test(name, () => {
          for (const line of code.trim().split('\n')) assert.match(line, /^[A-Z_]+=\S+$/);
        });
      else assert.equal(language, 'sh');
    }
  });

test('the index is served with the address of the service, and so is every page', async () => {
  for (const path of [
    '/docs/integrations',
    ...files.map((file) => `/docs/integrations/${file.replace('.md', '')}`),
  ]) {
    const { status, text } = await fixture.served.get(path, { accept: 'text/html' });
    assert.equal(status, 200, path);
    assert.doesNotMatch(text, /\{base_url\}|```|\]\([\w/-]+\.md\)/, path);
    for (const [, linked = ''] of text.matchAll(/href="(\/docs\/integrations\/[^"]+)"/g))
      assert.equal((await fixture.served.get(linked, { accept: 'text/html' })).status, 200, linked);
  }
  const missing = await fixture.served.get('/docs/integrations/nowhere', { accept: 'text/html' });
  assert.equal(missing.status, 404);
});
