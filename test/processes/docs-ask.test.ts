import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { runCli } from './run-cli.ts';

const CODE = "```js\nserver.addHook('onRequest', check);\n```";

describe('sanderling docs ask', () => {
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sanderling-docs-ask-'));
    mkdirSync(join(folder, 'handbook'));
    writeFileSync(
      join(folder, 'handbook', 'hooks.md'),
      `# Hooks\n\nA hook of the server runs before each request of a client:\n\n${CODE}\n`,
    );
    const { code, out, err } = await runCli(folder, ['docs', 'add', './handbook'], { HOME: folder });
    assert.equal(code, 0, out + err);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const ask = (...args: string[]) => runCli(folder, ['docs', 'ask', ...args], { HOME: folder });

  test('prints passages with their library, version, address and whole code', async () => {
    const { code, out, err } = await ask('hook before each request');
    assert.equal(code, 0, err);
    assert.match(out, /^folder:handbook@local {2}Hooks\nguide {2}file:.*hooks\.md\n\n# Hooks/);
    assert.ok(out.includes(CODE), out);
  });

  test('by a name with a slip, with a note', async () => {
    const { out } = await ask('hook before each request', '-l', 'handbok');
    assert.match(out, /^"handbok" was taken to mean folder:handbook\./);
  });

  test('as JSON', async () => {
    const { out } = await ask('hook before each request', '--json');
    const { passages, libraries } = JSON.parse(out);
    assert.equal(passages[0].library, 'folder:handbook@local');
    assert.equal(libraries.length, 1);
  });

  test('what is unknown or not found is told and exits with 1', async () => {
    const unknown = await ask('hook', '-l', 'express');
    assert.equal(unknown.code, 1);
    assert.match(unknown.err, /no library "express" is held/);
    const kind = await ask('hook', '--kind', 'poem');
    assert.match(kind.err, /must be one or more of guide, reference/);
    const nothing = await ask('hook', '--kind', 'api');
    assert.equal(nothing.code, 1);
    assert.match(nothing.out, /^Nothing found/);
  });

  test('pages that left the index are told, with what to do', async () => {
    await runCli(folder, ['index', 'forget', `${pathToFileURL(join(folder, 'handbook')).href}/*`]);
    const told = /evicted.*raise INDEX_BYTES_MAX, then run sanderling docs update/;
    for (const command of [['docs', 'list'], ['docs', 'show', 'handbook'], ['doctor']]) {
      const { out, err } = await runCli(folder, command, { HOME: folder });
      assert.match(out, told, err);
    }
  });
});
