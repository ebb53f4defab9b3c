import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, beforeEach, describe, test } from 'node:test';

const SCRIPT = resolve(import.meta.dirname, '../scripts/install-missing.mjs');
const FOLDERS: string[] = [];

/** Installs what the lock file says, counts its runs, and fails where another one runs at the same time. */
const FAKE_NPM = `#!/bin/sh
mkdir busy || exit 7
echo run >>runs
sleep 0.3
mkdir -p node_modules/a && cp package-lock.json node_modules/.package-lock.json
rmdir busy
`;

describe('installing what is missing', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'install-'));
    FOLDERS.push(folder);
    mkdirSync(join(folder, 'programs'));
    writeFileSync(join(folder, 'programs/npm'), FAKE_NPM);
    chmodSync(join(folder, 'programs/npm'), 0o755);
    lock({ 'node_modules/a': { version: '1.0.0' } });
  });
  after(() => {
    for (const left of FOLDERS) rmSync(left, { recursive: true });
  });

  const lock = (packages: object): void => {
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: { '': {}, ...packages } }));
  };
  const runs = (): number => {
    try {
      return readFileSync(join(folder, 'runs'), 'utf8').split('\n').length - 1;
    } catch {
      return 0;
    }
  };
  const start = async (): Promise<number> => {
    const PATH = `${join(folder, 'programs')}:${process.env.PATH}`;
    const child = spawn(process.execPath, [SCRIPT], { cwd: folder, env: { ...process.env, PATH } });
    const [code] = await once(child, 'exit');
    return code;
  };

  test('installs once, and again when the lock file names another version', async () => {
    assert.equal(await start(), 0);
    assert.equal(await start(), 0);
    assert.equal(runs(), 1);
    lock({ 'node_modules/a': { version: '1.0.1' } });
    assert.equal(await start(), 0);
    assert.equal(runs(), 2);
  });

  test('installs nothing after a plain npm ci', async () => {
    mkdirSync(join(folder, 'node_modules/a'), { recursive: true });
    writeFileSync(
      join(folder, 'node_modules/.package-lock.json'),
      readFileSync(join(folder, 'package-lock.json')),
    );
    assert.equal(await start(), 0);
    assert.equal(runs(), 0);
  });

  test('installs again where a package was removed by hand', async () => {
    await start();
    rmSync(join(folder, 'node_modules/a'), { recursive: true });
    await start();
    assert.equal(runs(), 2);
  });

  test('accepts that an optional package is absent', async () => {
    lock({
      'node_modules/a': { version: '1.0.0' },
      'node_modules/b': { version: '1.0.0', optional: true },
    });
    await start();
    writeFileSync(
      join(folder, 'node_modules/.package-lock.json'),
      JSON.stringify({ packages: { 'node_modules/a': { version: '1.0.0' } } }),
    );
    await start();
    assert.equal(runs(), 1);
  });

  test('two starts at once install once', async () => {
    assert.deepEqual(await Promise.all([start(), start(), start()]), [0, 0, 0]);
    assert.equal(runs(), 1);
  });

  test('a lock of a process that died does not keep the next one waiting', async () => {
    writeFileSync(join(folder, '.installing'), '999999999');
    assert.equal(await start(), 0);
    assert.equal(runs(), 1);
  });

  test('a failed install ends with its code and frees the turn', async () => {
    mkdirSync(join(folder, 'busy'));
    assert.equal(await start(), 7);
    rmSync(join(folder, 'busy'), { recursive: true });
    assert.equal(await start(), 0);
  });
});
