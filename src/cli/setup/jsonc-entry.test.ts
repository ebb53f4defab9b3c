import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { removeJsonEntry, setJsonEntry } from './jsonc-entry.ts';
import { UnreadableSettings } from './settings-entry.ts';

const PATH = { list: 'servers', name: 'ours' };
const set = (text: string): string => setJsonEntry(text, PATH, { url: 'http://a/mcp' });

describe('an entry of a JSON file', () => {
  test('an empty file becomes an object', () => {
    const whole = '{\n  "servers": {\n    "ours": {\n      "url": "http://a/mcp"\n    }\n  }\n}\n';
    assert.equal(set(''), whole);
    assert.equal(set('\uFEFF\n'), `\uFEFF${whole}`);
  });

  const cases: [what: string, before: string, after: string][] = [
    [
      'an empty object',
      '{}\n',
      '{\n  "servers": {\n    "ours": {\n      "url": "http://a/mcp"\n    }\n  }\n}\n',
    ],
    [
      'comments, tabs and trailing commas stay',
      '// mine\n{\n\t"a": 1, // one\n\t"servers": { // all\n\t\t/* b */ "b": {},\n\t},\n}',
      '// mine\n{\n\t"a": 1, // one\n\t"servers": { // all\n\t\t"ours": {\n\t\t\t"url": "http://a/mcp"\n\t\t},\n\t\t/* b */ "b": {},\n\t},\n}',
    ],
    [
      'an object in one line stays in one line',
      '{ "servers": { "b": {} } }',
      '{ "servers": { "ours": {"url":"http://a/mcp"}, "b": {} } }',
    ],
    [
      'line ends of Windows',
      '{\r\n    "servers": {\r\n    }\r\n}\r\n',
      '{\r\n    "servers": {\r\n        "ours": {\r\n            "url": "http://a/mcp"\r\n        }\r\n    }\r\n}\r\n',
    ],
    [
      'the present entry is replaced where it is',
      '{\n  "servers": {\n    "a": {},\n    "ours": { "command": "x" } // why\n  }\n}\n',
      '{\n  "servers": {\n    "a": {},\n    "ours": {\n      "url": "http://a/mcp"\n    } // why\n  }\n}\n',
    ],
    [
      'a name within a string or a deeper object is not taken for the list',
      '{\n  "x": { "servers": { "ours": 1 } },\n  "y": "\\"servers\\": {"\n}\n',
      '{\n  "servers": {\n    "ours": {\n      "url": "http://a/mcp"\n    }\n  },\n  "x": { "servers": { "ours": 1 } },\n  "y": "\\"servers\\": {"\n}\n',
    ],
  ];
  for (const [what, before, after] of cases)
    test(what, () => {
      assert.equal(set(before), after);
      assert.equal(set(after), after);
    });

  test('removing leaves everything else', () => {
    assert.equal(
      removeJsonEntry('{ "servers": { "a": 1, /* x */ "ours": {} /* y */ } }', PATH),
      '{ "servers": { "a": 1 /* x */ /* y */ } }',
    );
    assert.equal(
      removeJsonEntry('{\n  "servers": {\n    "ours": {}, // o\n    "b": 2\n  }\n}', PATH),
      '{\n  "servers": { // o\n    "b": 2\n  }\n}',
    );
    for (const text of ['', '{}', '{"servers": {"b": 1}}']) assert.equal(removeJsonEntry(text, PATH), text);
  });

  const broken: [text: string, why: string][] = [
    ['{\n  "a": 1\n  "b": 2\n}', 'line 3: unexpected "\\""'],
    ['{ "a": 01 }', 'line 1: unexpected "0"'],
    ['{ "a": "x\n" }', 'line 1: a string does not end'],
    ['{ /* a }', 'line 1: a comment does not end'],
    ['{ "a": [1 2] }', 'line 1: unexpected "2"'],
    ['{ "a": 1 } {', 'line 1: unexpected "{"'],
    ['{ "a": 1,, }', 'line 1: unexpected ","'],
    ['{ "a": 1', 'line 1: unexpected end'],
    ['[]', 'it does not hold an object'],
    ['{ "servers": [] }', 'line 1: "servers" is not an object'],
    [`${'{"a":'.repeat(300)}`, 'line 1: it is nested too deeply'],
  ];
  for (const [text, why] of broken)
    test(`refused: ${why}`, () => {
      assert.throws(() => set(text), new UnreadableSettings(why));
    });

  test('any JSON keeps its other values, and removing undoes adding', () => {
    const records = fc.record({
      value: fc.dictionary(fc.string(), fc.jsonValue()),
      indent: fc.constantFrom(undefined, 1, 2, 4, '\t'),
    });
    fc.assert(
      fc.property(records, ({ value, indent }) => {
        const { servers: _, ...rest } = value;
        const before = { ...rest, servers: { other: { command: 'x' } } };
        const text = JSON.stringify(before, null, indent);
        const added = set(text);
        const parsed = JSON.parse(added);
        assert.deepEqual(parsed.servers, { ours: { url: 'http://a/mcp' }, other: { command: 'x' } });
        assert.deepEqual(
          { ...parsed, servers: null },
          JSON.parse(JSON.stringify({ ...before, servers: null })),
        );
        assert.deepEqual(JSON.parse(removeJsonEntry(added, PATH)), JSON.parse(text));
      }),
    );
  });
});
