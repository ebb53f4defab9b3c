import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { VERSION } from '../../src/contract/version.ts';
import { SearchAnswerBody } from '../../src/http/openapi/answers.ts';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { type Ended, runCli, startCli } from './run-cli.ts';

const LOOPBACK = { FETCH_ALLOW_PRIVATE: '127.0.0.0/8' };
const TEXT = 'The turnstone flips pebbles and seaweed to find sandhoppers. ';

describe('the command line at its edges', () => {
  let web: FakeWeb;
  let folder: string;
  let slowAsked = Promise.withResolvers<void>();
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sanderling-cli-'));
    web = await startWeb({
      routes: {
        '/knot': `<title>Red knot</title><main><h1>Red knot</h1><p>${'The red knot winters on mudflats. '.repeat(9)}</p></main>`,
        '/slow': () => slowAsked.resolve(),
      },
    });
  });
  after(async () => {
    await web.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (args: string[], settings: Record<string, string> = {}): Promise<Ended> =>
    runCli(folder, args, { ...LOOPBACK, ...settings });

  test('--version prints the version', async () => {
    assert.deepEqual(await run(['--version']), { code: 0, out: `${VERSION}\n`, err: '' });
  });

  test('no results and no pages are refused', async () => {
    for (const args of [
      ['search', 'x', '-n', '0'],
      ['crawl', web.origin, '--pages', '0'],
    ]) {
      const { code, err } = await run(args);
      assert.equal(code, 1);
      assert.match(err, /is invalid\. It must be a whole number, 1 or more\./);
    }
  });

  test('an address needs no scheme', async () => {
    const { code, out } = await run(['read', `${web.origin.replace('http://', '')}/knot`]);
    assert.equal(code, 0);
    assert.match(out, /The red knot winters on mudflats/);
  });

  test('a missing file is named in words', async () => {
    const missing = join(folder, 'nothing.jsonl');
    const { code, err } = await run(['import', missing]);
    assert.deepEqual([code, err], [1, `${missing}: there is no such file or folder.\n`]);
  });

  test('import with a bad line imports the others and exits with 1; its help documents the formats', async () => {
    const file = join(folder, 'pages.jsonl');
    const page = { url: 'https://birds.example.org/turnstone', title: 'Turnstone', text: TEXT.repeat(20) };
    writeFileSync(file, `${JSON.stringify(page)}\n{oops\n`);
    const { code, out } = await run(['import', file]);
    assert.equal(code, 1);
    assert.match(out, /pages\.jsonl:2: is not JSON\n1 page imported, 1 failed/);
    writeFileSync(file, `${JSON.stringify(page)}\n`);
    assert.equal((await run(['import', file])).code, 0);
    assert.match((await run(['import', '--help'])).out, /"html", "markdown" or "text" +required/);
  });

  test('search --json prints the body of POST /v1/search', async () => {
    const { code, out } = await run(['search', 'turnstone', '--json', '-n', '1']);
    assert.equal(code, 0);
    const answer = JSON.parse(out);
    const names = ['requestId', 'results', 'searchTimeMs', 'searchTime', 'service', 'costDollars'];
    assert.deepEqual(Object.keys(answer), names);
    SearchAnswerBody.parse(answer);
  });

  test('Ctrl-C ends a crawl with 130, SIGTERM with 143', async () => {
    for (const [signal, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const) {
      slowAsked = Promise.withResolvers();
      const { child, end } = startCli(folder, ['crawl', `${web.origin}/slow`, '--fresh'], LOOPBACK);
      await slowAsked.promise;
      child.kill(signal);
      assert.equal((await end).code, code);
    }
  });

  test('a command ends quietly when the reader of its output leaves', async () => {
    for (const args of [['doctor'], ['search', 'turnstone'], ['keys', 'create']]) {
      const { child, end } = startCli(folder, args, {});
      child.stdout.destroy();
      const { code, err } = await end;
      assert.deepEqual([code, err.replace(/^This is .*\n|^Grant .*\n/gm, '')], [141, ''], args[0]);
    }
  });

  test('doctor --json lists every check; a failed one is the exit code', async () => {
    const sound = await run(['doctor', '--json']);
    assert.equal(sound.code, 0);
    const { ok, checks } = JSON.parse(sound.out);
    assert.equal(ok, true);
    const names: string[] = checks.map(({ name }: { name: string }) => name);
    for (const name of ['index', 'disk', 'rendering', 'clock', 'payments', 'proxy'])
      assert.ok(names.includes(name), name);
    const invalid = await run(['doctor', '--json'], { PORT: 'http' });
    assert.equal(invalid.code, 1);
    assert.equal(JSON.parse(invalid.out).ok, false);
  });

  test('doctor asks each source a query, names one that does not answer, and compares clocks', async () => {
    const source = {
      RECALL: 'index,searxng',
      SEARXNG_URL: `${web.origin}/searxng`,
      CONTACT: 'a@example.org',
    };
    const { code, out } = await run(['doctor'], source);
    assert.equal(code, 0);
    assert.match(out, /^warning searxng .*did not answer a query/m);
    assert.match(out, /^ok +clock +agrees with other servers/m);
    assert.ok(web.hits('/searxng/search') > 0);
  });
});
