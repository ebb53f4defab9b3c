import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../../contract/errors.ts';
import { JSON_DEPTH_MAX, JSON_VALUES_MAX } from '../../contract/limits.ts';
import { parseJson } from './json.ts';

const parse = (text: string): unknown => parseJson(Buffer.from(text));
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const refusal = (text: string): string => {
  try {
    parse(text);
    return 'parsed';
  } catch (error) {
    return error instanceof Failure ? error.message : String((error as Error).name);
  }
};

test('reads JSON as JSON.parse does', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), (text) => {
      assert.deepEqual(parse(text), JSON.parse(text));
    }),
  );
});

describe('refuses', () => {
  test('too many levels, not counting brackets in strings', () => {
    assert.deepEqual(parse(nested(JSON_DEPTH_MAX)), JSON.parse(nested(JSON_DEPTH_MAX)));
    assert.match(refusal(nested(JSON_DEPTH_MAX + 1)), /^body: must not nest deeper than 64 levels$/);
    const text = JSON.stringify(`\\"${nested(JSON_DEPTH_MAX + 1)}\\`);
    assert.equal(parse(text), JSON.parse(text));
  });

  test('too many names and values, without reading on', () => {
    const list = (commas: number): string => `[${'1,'.repeat(commas)}1]`;
    assert.equal(refusal(list(JSON_VALUES_MAX - 1)), 'parsed');
    const tooMany = /^body: must not have more than 2,000 names and values$/;
    assert.match(refusal(list(JSON_VALUES_MAX)), tooMany);
    const names = Array.from({ length: JSON_VALUES_MAX }, (_, place) => `"k${place}":1`);
    assert.match(refusal(`{${names.join(',')}}`), tooMany);
    // The invalid JSON that follows is never read.
    assert.match(refusal(`${'['.repeat(10)}${','.repeat(JSON_VALUES_MAX)}"open`), tooMany);
  });

  test('invalid JSON', () => {
    for (const text of ['', '{', '"open', '"\\', ']]]]', '{"a":}'])
      assert.equal(refusal(text), 'SyntaxError', text);
  });
});
