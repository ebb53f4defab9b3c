import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNumberBuffer } from './table.ts';

test('the memory of one page is that of the next, as long as it is large enough', () => {
  const numbers = createNumberBuffer();
  const first = numbers(100);
  assert.equal(first.length, 100);
  assert.equal(numbers(50).buffer, first.buffer);
  assert.equal(numbers(10_000).length, 10_000);
});

test('a page with very many numbers gets memory of its own', () => {
  const numbers = createNumberBuffer();
  assert.notEqual(numbers(2_000_000).buffer, numbers(2_000_000).buffer);
});
