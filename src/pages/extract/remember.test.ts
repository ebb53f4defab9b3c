import assert from 'node:assert/strict';
import { test } from 'node:test';
import { remember } from './remember.ts';

test('what was read in a text is read once, in texts of some length each time', () => {
  const seen: string[] = [];
  const length = remember((text) => {
    seen.push(text);
    return text.length;
  });
  const long = 'x'.repeat(1_000);
  assert.deepEqual(['a', 'bc', 'a', '', '', long, long].map(length), [1, 2, 1, 0, 0, 1_000, 1_000]);
  assert.deepEqual(seen, ['a', 'bc', '', long, long]);
});

test('names of an object’s own properties are texts like others', () => {
  const isLong = remember((text) => text.length > 10);
  assert.deepEqual(['__proto__', 'constructor', '__proto__'].map(isLong), [false, true, false]);
});
