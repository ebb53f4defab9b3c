import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import type { FileChange } from './managed-file.ts';
import { formatChanges } from './show-change.ts';

const FILE = { path: '/a.json', isSecret: true, add: () => '', remove: () => null };
const change = (before: string | null, after: string | null): FileChange => ({
  file: FILE,
  before,
  after,
  receipt: null,
});
const format = (...changes: FileChange[]): string => stripVTControlCharacters(formatChanges(changes));

describe('a change as it is shown', () => {
  test('shows the changed lines and two around', () => {
    assert.equal(
      format(change('1\n2\n3\n4\n5\n6\n', '1\n2\n3\nx\n5\n6\n')),
      '--- /a.json\n+++ /a.json\n@@ line 4 @@\n  2\n  3\n- 4\n+ x\n  5\n  6\n\n',
    );
  });

  test('says what is created and removed, and shows the same content once', () => {
    assert.equal(format(change('1\n', null)), '--- /a.json\n+++ (removed)\n@@ line 1 @@\n- 1\n\n');
    assert.equal(
      format(change(null, '1\n'), change(null, '1\n')),
      '--- (new file)\n+++ /a.json\n@@ line 1 @@\n+ 1\n\n+++ /a.json (new file, the same as above)\n\n',
    );
  });

  const lines: [line: string, shown: string][] = [
    ['"Authorization": "Bearer sdl_0123456789abcdef"', '"Authorization": "Bearer sdl_…"'],
    ['"X_API_KEY" = "short"', '"X_API_KEY" = "shor…"'],
    ['args = ["--api", "sk0123456789abcdefghij"]', 'args = ["--api", "sk01…"]'],
    ['"url": "https://a/?k=0123456789abcdefghijk"', '"url": "https://a/?k=0123…"'],
    ['"command": "/opt/0123456789abcdefghijklm/node"', '"command": "/opt/0123456789abcdefghijklm/node"'],
    ['a\u001b[31mb', 'a�[31mb'],
    ['x '.repeat(200), `${'x '.repeat(100)}…`],
  ];
  for (const [line, shown] of lines)
    test(`${line.slice(0, 50)} is shown as ${shown.slice(0, 50)}`, () => {
      assert.equal(format(change('', `${line}\n`)), `--- /a.json\n+++ /a.json\n@@ line 1 @@\n+ ${shown}\n\n`);
    });
});
