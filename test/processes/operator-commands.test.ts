import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { describeOnStores } from '../fixtures/postgres.ts';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { type Ended, runCli } from './run-cli.ts';

const SOURCES = { RECALL: 'index,wikipedia' };

describe('sanderling sources and settings', () => {
  const folder = mkdtempSync(join(tmpdir(), 'operator-commands-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const run = (args: string[], settings: Record<string, string> = SOURCES): Promise<Ended> =>
    runCli(folder, args, settings);
  const stateOf = async (name: string): Promise<{ state: string; why?: string }> =>
    JSON.parse((await run(['sources', '--json'])).out).find(
      (source: { name: string }) => source.name === name,
    );

  test('a source is switched off, stays so, and is switched on again', async () => {
    assert.equal((await stateOf('wikipedia')).state, 'on');
    const { code, out } = await run(['sources', 'off', 'wikipedia']);
    assert.deepEqual([code, out], [0, 'wikipedia is off; running servers notice within seconds.\n']);
    assert.deepEqual(
      [(await stateOf('wikipedia')).state, (await stateOf('wikipedia')).why],
      ['off', 'the operator switched it off'],
    );
    assert.match((await run(['sources', 'list'])).out, /^off {2}wikipedia +the operator switched it off$/m);
    await run(['sources', 'on', 'wikipedia']);
    assert.equal((await stateOf('wikipedia')).state, 'on');
  });

  test('what cannot be switched is named', async () => {
    const unknown = await run(['sources', 'off', 'nowhere']);
    assert.deepEqual(
      [unknown.code, unknown.err],
      [1, 'There is no source "nowhere"; sanderling sources lists them.\n'],
    );
    const other = await run(['sources', 'on', 'github']);
    assert.deepEqual([other.code, other.err], [1, 'github is not configured: RECALL does not name it.\n']);
  });

  test('settings say where they come from, and no secret', async () => {
    writeFileSync(join(folder, '.env'), 'BRAND=wader\nPORT=9000\n');
    const { out } = await run(['settings', '--json'], { ADMIN_TOKEN: 'never-shown-to-anybody' });
    assert.ok(!out.includes('never-shown'));
    const settings = JSON.parse(out) as { name: string; value: string; from: string }[];
    const find = (name: string): string => {
      const { value, from } = settings.find((setting) => setting.name === name) ?? { value: '', from: '' };
      return `${value} (${from})`;
    };
    assert.deepEqual(['BRAND', 'PORT', 'ADMIN_TOKEN', 'LOG_LEVEL'].map(find), [
      'wader (file)',
      '0 (environment)',
      'set (secret) (environment)',
      'info (default)',
    ]);
    assert.match((await run(['settings'])).out, /^BRAND +wader {2}\(file\)$/m);
  });
});

describe('sanderling index refresh of chosen pages', () => {
  const folder = mkdtempSync(join(tmpdir(), 'operator-commands-'));
  let site: FakeWeb;
  let words = 'The sanderling runs along the edge of the waves all day long.';
  before(async () => {
    const page = (title: string): string =>
      `<!doctype html><html><head><title>${title}</title></head><body><main><h1>${title}</h1><p>${words}</p><p>${'It feeds on small crabs in the wet sand. '.repeat(20)}</p></main></body></html>`;
    site = await startWeb({
      address: '127.10.0.63',
      fallback: (request, response) =>
        response.setHeader('content-type', 'text/html; charset=utf-8').end(page(`Page ${request.url}`)),
    });
  });
  after(async () => {
    await site.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const run = (...args: string[]): Promise<Ended> =>
    runCli(folder, args, { FETCH_ALLOW_PRIVATE: '127.10.0.0/16' });

  test('it reads them although they are not due, and lists what came in last', async () => {
    await run('crawl', `${site.origin}/a`, '--pages', '1');
    assert.equal(
      (await run('index', 'refresh', '--json')).out,
      '{"changed":0,"unchanged":0,"gone":0,"failed":0}\n',
    );
    words = 'The dunlin probes the mud with its long bill and flies in dense flocks.';
    const { out } = await run('index', 'refresh', `${site.origin}/*`, '--json');
    assert.equal(out, '{"changed":1,"unchanged":0,"gone":0,"failed":0}\n');
    assert.match((await run('index', 'list', '--recent')).out, /Page \/a/);
    assert.equal((await run('index', 'list', 'example.org', '--recent')).code, 1);
  });
});

await describeOnStores('sanderling payments', (databaseUrl) => {
  const folder = mkdtempSync(join(tmpdir(), 'operator-commands-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const run = (...args: string[]): Promise<Ended> =>
    runCli(folder, args, databaseUrl === null ? {} : { DATABASE_URL: databaseUrl });

  test('an empty ledger has nothing to look at', async () => {
    assert.deepEqual(await run('payments'), { code: 0, out: 'Nothing needs a look.\n', err: '' });
    const { out } = await run('payments', 'list', '--json');
    assert.deepEqual(Object.keys(JSON.parse(out)), [
      'sold',
      'openEvents',
      'unmatched',
      'stray',
      'reloads',
      'disputes',
    ]);
    assert.equal((await run('payments', 'ask')).out, 'Every event was handled.\n');
  });
});
