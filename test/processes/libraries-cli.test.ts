import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { packedTarOf } from '../fixtures/tar.ts';
import { startWeb } from '../fixtures/web.ts';
import { runCli, startCli } from './run-cli.ts';

const LIBRARIES = 6;
const PAGES = 30;

describe('sanderling docs', () => {
  test('says in one line what cannot be added, and what could', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sanderling-docs-'));
    const { code, err } = await runCli(folder, ['docs', 'add', 'fastify', '--no-api'], { HOME: folder });
    rmSync(folder, { recursive: true, force: true });
    assert.equal(code, 1);
    assert.match(
      err,
      /^fastify: is no folder, and does not say which registry it is of; write npm:fastify@5[^\n]*\n$/,
    );
  });
});

describe('sanderling docs, killed', () => {
  test('at any library, the next run has the same libraries and pages as one that was not killed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sanderling-killed-docs-'));
    let onArchive: (count: number) => void = () => {};
    let archives = 0;
    const web = await startWeb({
      fallback: ({ url = '' }, response) => {
        const [, name = '', file] = /^\/npm\/(bird-\d)\/(.*)$/.exec(url) ?? [];
        if (file === '1.0.0') {
          const dist = { tarball: `${web.origin}/npm/${name}/package.tgz` };
          response.end(JSON.stringify({ name, version: '1.0.0', license: 'MIT', dist }));
        } else if (file === 'package.tgz') {
          archives += 1;
          onArchive(archives);
          response.end(packedTarOf(buildPackage(name)));
        } else response.writeHead(404).end();
      },
    });
    const project = join(folder, 'app');
    mkdirSync(project);
    writeFileSync(join(project, 'package-lock.json'), JSON.stringify(buildLock()));
    // The killed process must be the command itself, not the installation of its grammars.
    const sources = ['--no-api', '--registry', `npm=${web.origin}/npm`];
    const [add, sync] = [
      ['docs', 'add', project, ...sources],
      ['docs', 'sync', ...sources],
    ];
    try {
      for (const [killedAt, command] of [
        [3, add],
        [1, add],
        [2, sync],
      ] as const) {
        const { child, end } = startCli(folder, command, { HOME: folder });
        archives = 0;
        onArchive = (count) => {
          if (count === killedAt) child.kill('SIGKILL');
        };
        await end;
      }
      onArchive = () => {};
      const { code, err } = await runCli(folder, sync, { HOME: folder });
      assert.equal(code, 0, err);
      const held = JSON.parse((await runCli(folder, ['docs', 'list', '--json'])).out) as {
        state: string;
        pages: number;
      }[];
      assert.deepEqual(
        held.map(({ state, pages }) => `${state} ${pages}`),
        Array.from({ length: LIBRARIES }, () => `held ${PAGES}`),
      );
      const stats = JSON.parse((await runCli(folder, ['index', 'stats', '--json'])).out) as { pages: number };
      assert.equal(stats.pages, LIBRARIES * PAGES);
      const check = await runCli(folder, ['index', 'check']);
      assert.equal(check.code, 0, check.out);
    } finally {
      await web.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

function buildPackage(name: string): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: PAGES }, (_, at) => [
      `package/docs/page-${at}.md`,
      `# Page ${at} of ${name}\n\nThe ${at}th page says what ${name} does with option ${at}.\n`,
    ]),
  );
}

function buildLock() {
  const names = Array.from({ length: LIBRARIES }, (_, at) => `bird-${at}`);
  const entries = names.map((name) => [`node_modules/${name}`, { version: '1.0.0' }]);
  const dependencies = Object.fromEntries(names.map((name) => [name, '1.0.0']));
  return { packages: { '': { dependencies }, ...Object.fromEntries(entries) } };
}
