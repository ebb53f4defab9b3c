import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { UnreadableSettings } from './settings-entry.ts';
import { removeTomlEntry, setTomlEntry, type TomlEntry } from './toml-entry.ts';

const PATH = { list: 'mcp_servers', name: 'ours' };
const ENTRY: TomlEntry = { url: 'http://a/mcp', http_headers: { Authorization: 'Bearer k' } };
const TABLE = '[mcp_servers.ours]\nurl = "http://a/mcp"\nhttp_headers = { "Authorization" = "Bearer k" }\n';
const set = (text: string): string => setTomlEntry(text, PATH, ENTRY);

const SETTINGS = `# mine
model = "x" # which
notes = """
[mcp_servers.ours]
says "quotes" """
when = 2026-01-02 03:04:05Z
list = [
  1, # one
  { a = 'it''s', "b.c" = [true, -1.5e3] },
]
[mcp_servers.other]
command = 'C:\\x'

[[profiles]]
name = "a"
`.replace("'it''s'", "'its'");

describe('a table of a TOML file', () => {
  test('is added at the end, and removing it restores the file', () => {
    for (const text of ['', SETTINGS, SETTINGS.replaceAll('\n', '\r\n')]) {
      const added = set(text);
      const eol = text.includes('\r\n') ? '\r\n' : '\n';
      assert.equal(added, `${text}${text === '' ? '' : eol}${TABLE.replaceAll('\n', eol)}`);
      assert.equal(set(added), added);
      assert.equal(removeTomlEntry(added, PATH), text);
    }
  });

  test('the present one is replaced with the tables below it, and nothing between is lost', () => {
    const text = `a = 1\n\n[mcp_servers."ours"]\ncommand = "x"\n# of the next\n[mcp_servers.b]\nurl = "y"\n[ mcp_servers . ours . env ]\nK = "v" # why\n`;
    assert.equal(set(text), `a = 1\n# of the next\n[mcp_servers.b]\nurl = "y"\n\n${TABLE}`);
  });

  test('texts are escaped', () => {
    assert.equal(
      setTomlEntry('', PATH, { command: 'C:\\a "b"', args: ['x', 'y'] }),
      '[mcp_servers.ours]\ncommand = "C:\\\\a \\"b\\""\nargs = ["x", "y"]\n',
    );
  });

  const broken: [text: string, why: string][] = [
    ['a = \n', 'line 1: unexpected "\\n"'],
    ['a = 1\nb\n', 'line 2: a "=" is missing'],
    ['a = "x\n', 'line 1: a string does not end'],
    ['[a\nb = 1\n', 'line 1: a "]" is missing'],
    ['a = [1 2]\n', 'line 1: unexpected "2"'],
    ['a = [1', 'line 1: unexpected end'],
    ['a = 1 b = 2\n', 'line 1: unexpected "b"'],
    [
      'mcp_servers = { ours = {} }\n',
      'line 1: mcp_servers.ours is not written as a table [mcp_servers.ours]',
    ],
    [
      '[mcp_servers]\nours.url = "x"\n',
      'line 2: mcp_servers.ours is not written as a table [mcp_servers.ours]',
    ],
  ];
  for (const [text, why] of broken)
    test(`refused: ${why}`, () => {
      assert.throws(() => set(text), new UnreadableSettings(why));
    });
});
