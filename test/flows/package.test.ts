import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';

const PROJECT = resolve(import.meta.dirname, '../..');
const PAGE = `<!doctype html><title>Waders</title><article><h1>Waders</h1><p>${'A sanderling runs along the edge of the waves and picks what they leave. '.repeat(12)}</p></article>`;

/** The package as npm installs it: unpacked below node_modules, beside its run-time dependencies and no others. */
describe('the package of npm pack', () => {
  let folder: string;
  let installed: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'sanderling-package-'));
    installed = join(folder, 'node_modules/sanderling');
    execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
      cwd: PROJECT,
      stdio: 'ignore',
    });
    mkdirSync(installed, { recursive: true });
    const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    execFileSync('tar', ['xzf', join(folder, archive), '--strip-components=1', '-C', installed]);
    const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    for (const name of Object.keys(dependencies)) {
      const link = join(folder, 'node_modules', name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(PROJECT, 'node_modules', name), link);
    }
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test('holds programs and data, no sources and no tests', () => {
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
    assert.ok(files.includes('dist/cli.js'));
    assert.ok(files.includes('runtime/package-lock.json'));
    for (const file of files) assert.doesNotMatch(file, /\.ts$|\.test\.|^(?:src|test|bench|eval)\b/);
  });

  test('serves, reads a page in its threads, and ends on SIGTERM', async (t) => {
    const site = createServer((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE),
    );
    await once(site.listen(0, '127.0.0.1'), 'listening');
    t.after(() => site.close());
    const settings = { PORT: '0', RECALL: 'index', LOG_LEVEL: 'silent', FETCH_ALLOW_PRIVATE: '127.0.0.0/8' };
    const child = spawn(process.execPath, [join(installed, 'bin/sanderling.js'), 'serve'], {
      cwd: folder,
      env: { PATH: process.env.PATH, DATA_DIR: join(folder, 'data'), ...settings },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(() => child.kill('SIGKILL'));
    const exited = once(child, 'exit');
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    const address = /^Sanderling serves on (http:\S+)$/.exec(line)?.[1] ?? '';
    const { port } = site.address() as AddressInfo;
    const page = await fetch(`${address}/r/http://127.0.0.1:${port}/waders?q=sanderling`);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /edge of the waves/);
    const smokeTest = join(PROJECT, 'scripts/smoke-test.mjs');
    const testing = spawn(process.execPath, [smokeTest, address, `http://127.0.0.1:${port}/waders`]);
    const [said, [code]] = await Promise.all([text(testing.stdout), once(testing, 'exit')]);
    assert.equal(code, 0, said);
    assert.equal(said.match(/^ok /gm)?.length, 10, said);
    child.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null]);
  });
});
