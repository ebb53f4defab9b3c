import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, beforeEach, describe, test } from 'node:test';

const PROJECT = resolve(import.meta.dirname, '..');
const SCRIPT = join(PROJECT, 'scripts/install-missing.mjs');
const FOLDERS: string[] = [];
const OWN_NODE = `node-${process.platform}-${process.arch}`;

/**
 * Installs what the lock file says, from nothing as npm does, writes down its runs, and fails where another one runs at the
 * same time.
 */
const FAKE_NPM = `#!/bin/sh
mkdir busy || exit 7
echo "run $*" >>runs
sleep 0.3
rm -rf node_modules
mkdir -p node_modules/a node_modules/${OWN_NODE}/bin node_modules/${OWN_NODE}/include
touch node_modules/${OWN_NODE}/bin/node
cp package-lock.json node_modules/.package-lock.json
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
  const start = async (
    args: string[] = [],
    { node = process.execPath, script = SCRIPT } = {},
  ): Promise<number> => {
    const PATH = `${join(folder, 'programs')}:${process.env.PATH}`;
    const child = spawn(node, [script, ...args], { cwd: folder, env: { ...process.env, PATH } });
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

  test('leaves development dependencies to the commands that need them', async () => {
    lock({
      'node_modules/a': { version: '1.0.0' },
      'node_modules/b': { version: '1.0.0', dev: true },
    });
    assert.equal(await start(['--runtime']), 0);
    assert.equal(await start(['--runtime']), 0);
    assert.equal(runs(), 1);
    assert.match(readFileSync(join(folder, 'runs'), 'utf8'), / --omit=dev /);
    await start();
    assert.equal(runs(), 2);
    assert.doesNotMatch(readFileSync(join(folder, 'runs'), 'utf8').split('\n')[1] ?? '', /--omit=dev/);
  });

  describe('and a Node for the scripts', () => {
    const link = (): string => join(folder, 'node_modules/.bin/node');
    /** A project whose scripts ran on the Node that its own node_modules hold, and need another once that is gone. */
    const startOnReplacedNode = async (): Promise<number> => {
      for (const path of ['bin/install.js', 'scripts/install-missing.mjs', 'package.json'])
        copy(join(PROJECT, path), join(folder, path));
      const node = join(folder, 'old/node');
      if (!existsSync(node)) hardLink(process.execPath, node);
      mkdirSync(join(folder, 'runtime'), { recursive: true });
      writeFileSync(
        join(folder, 'runtime/package.json'),
        JSON.stringify({ optionalDependencies: { [OWN_NODE]: '24.0.0' } }),
      );
      writeFileSync(
        join(folder, 'runtime/package-lock.json'),
        JSON.stringify({ packages: { [`node_modules/${OWN_NODE}`]: { version: '24.0.0', optional: true } } }),
      );
      return await start([], { node, script: join(folder, 'scripts/install-missing.mjs') });
    };

    test('none where the machine has one that is new enough', async () => {
      await start();
      assert.ok(!existsSync(link()));
    });

    test('is installed once, where npm looks first', async () => {
      assert.equal(await startOnReplacedNode(), 0);
      assert.equal(readlinkSync(link()), `../../runtime/node_modules/${OWN_NODE}/bin/node`);
      assert.ok(existsSync(link()));
      assert.ok(!existsSync(join(folder, `runtime/node_modules/${OWN_NODE}/include`)));
      assert.equal(await startOnReplacedNode(), 0);
      const runsOf = (path: string): number =>
        readFileSync(join(folder, path), 'utf8').trim().split('\n').length;
      assert.deepEqual([runsOf('runs'), runsOf('runtime/runs')], [1, 1]);
    });

    test('stays where npm installs the dependencies again', async () => {
      await startOnReplacedNode();
      lock({ 'node_modules/a': { version: '1.0.1' } });
      assert.equal(await startOnReplacedNode(), 0);
      assert.equal(runs(), 2);
      assert.ok(existsSync(link()));
    });
  });

  describe('a part that a command can do without', () => {
    const install = async (PATH = `${join(folder, 'programs')}:${process.env.PATH}`): Promise<string> => {
      const script = join(PROJECT, 'bin/install.js');
      const program = `import('${script}').then((it) => it.installOptional('${folder}', 'something is left out'))`;
      const child = spawn(process.execPath, ['--eval', program], { env: { ...process.env, PATH } });
      let said = '';
      child.stderr.on('data', (piece) => {
        said += piece;
      });
      const [code] = await once(child, 'close');
      assert.equal(code, 0);
      return said;
    };

    test('is installed once', async () => {
      assert.match(await install(), /^Installing what is missing in [^\n]+\n$/);
      assert.equal(await install(), '');
      assert.equal(runs(), 1);
    });

    test('is named where it cannot be installed, and the command goes on', async () => {
      mkdirSync(join(folder, 'busy'));
      assert.match(await install(), /could not be installed: something is left out\n$/);
      rmSync(join(folder, 'programs/npm'));
      assert.match(
        await install(join(folder, 'programs')),
        /could not be installed \(.*ENOENT.*\): something is left out\n$/,
      );
    });
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

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

/** The same file under another name, or a copy where the folder is on another disk. */
function hardLink(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}
