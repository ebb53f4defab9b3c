import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, type TestContext, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { packProgram } from '../fixtures/packed-program.ts';
import { createTestDatabase, noServer } from '../fixtures/postgres.ts';
import { programPath } from '../fixtures/program.ts';
import { noRedis, startTestRedis } from '../fixtures/redis.ts';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { textOf } from '../mcp/connect.ts';
import { runCli } from './run-cli.ts';
import { startServer } from './server-process.ts';

const PROJECT = resolve(import.meta.dirname, '../..');
/** More than are read without threads. */
const PAGES = 50;
const SETTINGS = { FETCH_ALLOW_PRIVATE: '127.10.0.0/16', LOG_LEVEL: 'error' };

const pageOf = (number: number): string =>
  `<!doctype html><html lang="en"><title>Wader ${number}</title><main><h1>Wader ${number}</h1><p>${`The sanderling ringed as ${nameOf(number)} runs along the edge of the waves. `.repeat(12)}</p></main>`;
/** A word that stands in no other page. */
const nameOf = (number: number): string => `bird${String.fromCharCode(97 + (number % 26))}${number}`;

const database = await createTestDatabase();
const redis = await startTestRedis();
after(async () => {
  await database?.drop();
  await redis?.close();
});

/** The package as npm installs it: unpacked below node_modules, beside its run-time dependencies and no others. */
describe('the package of npm pack', () => {
  let packed: string;
  let web: FakeWeb;
  before(async () => {
    packed = mkdtempSync(join(tmpdir(), 'sanderling-package-'));
    if (process.env.SANDERLING_PROGRAM === undefined) process.env.SANDERLING_PROGRAM = packProgram(packed);
    web = await startWeb({
      fallback({ url = '' }, response) {
        const number = url === '/' ? 0 : Number(url.slice(1));
        if (!(number < PAGES)) return void response.writeHead(404).end();
        const links = Array.from({ length: PAGES }, (_, to) => `<a href="/${to}">${to}</a>`).join(' ');
        response.setHeader('content-type', 'text/html').end(`${pageOf(number)}<nav>${links}</nav>`);
      },
    });
  });
  after(async () => {
    await web.close();
    rmSync(packed, { recursive: true, force: true });
  });
  const dataFolder = (t: TestContext): string => {
    const folder = mkdtempSync(join(tmpdir(), 'sanderling-packed-data-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  };

  test('holds programs and data, no sources and no tests', () => {
    const files = readdirSync(dirname(dirname(programPath())), {
      recursive: true,
      encoding: 'utf8',
    }).filter((file) => !/(?:^|\/)node_modules\//.test(file));
    assert.ok(files.includes('dist/cli.js'));
    assert.ok(files.includes('runtime/package-lock.json'));
    for (const file of files) assert.doesNotMatch(file, /\.ts$|\.test\.|^(?:src|test|bench|eval)\b/);
  });

  test('serves, reads a page in its threads, and ends on SIGTERM', async (t) => {
    const server = await startServer(t, dataFolder(t), SETTINGS);
    const page = await fetch(`${server.address}/r/${web.origin}/7?q=sanderling`);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /edge of the waves/);
    const smokeTest = join(PROJECT, 'scripts/smoke-test.mjs');
    const testing = spawn(process.execPath, [smokeTest, server.address, `${web.origin}/7`]);
    const [said, [code]] = await Promise.all([text(testing.stdout), once(testing, 'exit')]);
    assert.equal(code, 0, said);
    assert.equal(said.match(/^ok /gm)?.length, 10, said);
    await server.end();
  });

  test(`imports ${PAGES} pages, which it finds`, async (t) => {
    const folder = dataFolder(t);
    const lines = Array.from({ length: PAGES }, (_, number) =>
      JSON.stringify({ url: `https://birds.example.org/${number}`, html: pageOf(number) }),
    );
    writeFileSync(join(folder, 'pages.jsonl'), lines.join('\n'));
    const imported = await runCli(folder, ['import', 'pages.jsonl', '--keep-copies'], SETTINGS);
    assert.equal(imported.code, 0, imported.err + imported.out);
    assert.match(imported.out, /^50 pages imported, 0 failed/m);
    const found = await runCli(folder, ['search', nameOf(33)], SETTINGS);
    assert.match(found.out, /birds\.example\.org\/33\b/, found.err);
  });

  test(`crawls ${PAGES} pages`, async (t) => {
    const folder = dataFolder(t);
    const crawled = await runCli(folder, ['crawl', `${web.origin}/`, '--delay', '0'], SETTINGS);
    assert.equal(crawled.code, 0, crawled.err + crawled.out);
    const stats = await runCli(folder, ['index', 'stats'], SETTINGS);
    // The first is read at two addresses.
    assert.match(stats.out, /^51 pages of 1 host$/m);
  });

  const isShared = database !== null && redis !== null;
  test('serves with its ledger on PostgreSQL and its caches in Redis', {
    skip: isShared ? false : `${noServer}; ${noRedis}`,
  }, async (t) => {
    const server = await startServer(t, dataFolder(t), {
      ...SETTINGS,
      DATABASE_URL: database?.url ?? '',
      CACHE_URL: redis?.url ?? '',
      APP_SECRET: 'a secret of all servers of this test',
    });
    const { apiKey } = (await (await fetch(`${server.address}/v1/keys/free`, { method: 'POST' })).json()) as {
      apiKey: string;
    };
    const headers = { 'x-api-key': apiKey };
    const page = await fetch(`${server.address}/r/${web.origin}/8`, { headers });
    assert.equal(page.headers.get('x-credits-remaining'), '2499');
    assert.equal((await server.get('/v1/balance', headers)).credits, 2_499);
    const keys = (await redis?.command('KEYS', 'sanderling:*')) as string[];
    assert.ok(keys.length > 0, 'it keeps what it shares in Redis');
    await server.end();
  });

  test('answers an agent over standard input and output', async (t) => {
    const client = new Client({ name: 'test', version: '1' });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [programPath(), 'mcp'],
      env: { ...SETTINGS, PATH: process.env.PATH ?? '', DATA_DIR: dataFolder(t), RECALL: 'index' },
      stderr: 'inherit',
    });
    await client.connect(transport as Parameters<Client['connect']>[0]);
    t.after(() => client.close());
    const read = await client.callTool({ name: 'service_read', arguments: { url: `${web.origin}/9` } });
    assert.match(textOf(read), new RegExp(nameOf(9)));
  });
});
