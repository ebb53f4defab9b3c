import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { removeJsonEntry, setJsonEntry } from './jsonc-entry.ts';
import {
  createWholeFile,
  type ManagedFile,
  planAddition,
  planRemoval,
  removeEmptyFolders,
  SetupRefusal,
  writeChange,
} from './managed-file.ts';
import type { Receipt } from './receipts.ts';

let folder: string;

const PATH = { list: 'servers', name: 'ours' };
const settingsFile = (path: string, url = 'http://a'): ManagedFile => ({
  path,
  isSecret: true,
  add: (text) => setJsonEntry(text ?? '', PATH, { url }),
  remove: (text) => removeJsonEntry(text, PATH),
});
const modeOf = (path: string): number => statSync(path).mode & 0o777;

/** Adds the part, and returns the receipt. */
function add(file: ManagedFile, earlier?: Receipt): Receipt {
  const change = planAddition(file, earlier);
  const folders = writeChange(change);
  assert.ok(change.receipt !== null);
  return { ...change.receipt, folders: [...(earlier?.folders ?? []), ...folders] };
}

function remove(file: ManagedFile, receipt?: Receipt): void {
  writeChange(planRemoval(file, receipt));
  removeEmptyFolders(receipt?.folders ?? []);
}

describe('files in the settings of others', () => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sanderling-managed-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  describe('a file that setup writes into', () => {
    const BEFORE = '{ }';

    test('is restored byte for byte, also after another address', () => {
      const path = join(folder, 'a.json');
      writeFileSync(path, BEFORE, { mode: 0o640 });
      const first = add(settingsFile(path));
      const second = add(settingsFile(path, 'http://b'), first);
      assert.equal(JSON.parse(readFileSync(path, 'utf8')).servers.ours.url, 'http://b');
      assert.equal(modeOf(path), 0o640);
      remove(settingsFile(path, 'http://b'), second);
      assert.equal(readFileSync(path, 'utf8'), BEFORE);
    });

    test('a new file is private if it holds a key, and goes with its folders', () => {
      const path = join(folder, 'deep/er/a.json');
      const receipt = add(settingsFile(path));
      assert.equal(modeOf(path), 0o600);
      assert.deepEqual(receipt.folders, [join(folder, 'deep'), join(folder, 'deep/er')]);
      remove(settingsFile(path), receipt);
      assert.ok(!existsSync(join(folder, 'deep')));
    });

    test('a folder that holds something else by now stays', () => {
      const path = join(folder, 'deep/a.json');
      const receipt = add(settingsFile(path));
      writeFileSync(join(folder, 'deep/b'), '');
      remove(settingsFile(path), receipt);
      assert.deepEqual([existsSync(path), existsSync(join(folder, 'deep/b'))], [false, true]);
    });

    test('what was changed meanwhile stays', () => {
      const path = join(folder, 'a.json');
      writeFileSync(path, BEFORE);
      const receipt = add(settingsFile(path));
      // The client writes its settings back in its own way, with one more.
      writeFileSync(path, JSON.stringify({ theme: 'x', ...JSON.parse(readFileSync(path, 'utf8')) }));
      remove(settingsFile(path), receipt);
      assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), { theme: 'x', servers: {} });
    });

    test('a member that was added behind the part does not break the file', () => {
      const path = join(folder, 'a.json');
      writeFileSync(path, '{ "servers": {} }');
      const receipt = add(settingsFile(path));
      const text = readFileSync(path, 'utf8');
      const end = text.indexOf('}') + 1;
      writeFileSync(path, `${text.slice(0, end)}, "b": {}${text.slice(end)}`);
      remove(settingsFile(path), receipt);
      assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), { servers: { b: {} } });
    });

    test('an entry that the user wrote comes back', () => {
      const path = join(folder, 'a.json');
      const own = '{ "servers": { "ours": { "command": "mine" } } }';
      writeFileSync(path, own);
      const receipt = add(settingsFile(path));
      remove(settingsFile(path), receipt);
      assert.equal(readFileSync(path, 'utf8'), own);
    });

    test('without a receipt the entry alone is taken out', () => {
      const path = join(folder, 'a.json');
      add(settingsFile(path));
      remove(settingsFile(path));
      assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), { servers: {} });
    });

    test('a link stays a link', () => {
      const [path, target] = [join(folder, 'a.json'), join(folder, 'dotfiles.json')];
      writeFileSync(target, BEFORE);
      symlinkSync(target, path);
      add(settingsFile(path));
      assert.ok(lstatSync(path).isSymbolicLink());
      assert.match(readFileSync(target, 'utf8'), /"ours"/);
    });

    test('a change at the same time is not overwritten', () => {
      const path = join(folder, 'a.json');
      writeFileSync(path, BEFORE);
      const change = planAddition(settingsFile(path), undefined);
      writeFileSync(path, '{ "b": 1 }');
      assert.throws(() => writeChange(change), SetupRefusal);
      assert.equal(readFileSync(path, 'utf8'), '{ "b": 1 }');
    });

    test('a text in another encoding is refused', () => {
      const path = join(folder, 'a.json');
      writeFileSync(path, Buffer.from('{ "a": "\xe9" }', 'latin1'));
      assert.throws(() => planAddition(settingsFile(path), undefined), /not a text in UTF-8/);
    });

    test('a folder that may not be written is named by the file, and nothing is left behind', {
      skip:
        process.getuid?.() === 0
          ? 'root may write everywhere; the flow is tested on a read-only mount'
          : false,
    }, () => {
      const inside = join(folder, 'locked');
      mkdirSync(inside);
      chmodSync(inside, 0o500);
      const path = join(inside, 'a.json');
      assert.throws(() => add(settingsFile(path)), { code: 'EACCES', path });
      chmodSync(inside, 0o700);
    });
  });

  describe('a file that is wholly of setup', () => {
    test('another content is neither overwritten nor deleted', () => {
      const path = join(folder, 'SKILL.md');
      writeFileSync(path, 'mine');
      const file = createWholeFile(path, 'ours');
      assert.throws(() => planAddition(file, undefined), SetupRefusal);
      assert.throws(() => planRemoval(file, undefined), SetupRefusal);
    });

    test('an older version of ours is replaced, and the new one removed', () => {
      const path = join(folder, 'SKILL.md');
      const receipt = add(createWholeFile(path, 'old'));
      const next = add(createWholeFile(path, 'new'), receipt);
      assert.equal(readFileSync(path, 'utf8'), 'new');
      remove(createWholeFile(path, 'newer'), next);
      assert.ok(!existsSync(path));
    });
  });
});
