import assert from 'node:assert/strict';
import { test } from 'node:test';
import { count, dollars } from './amounts.ts';

test('credits with separators, at most two decimals', () => {
  assert.deepEqual([count(0), count(15_000), count(1.428_57)], ['0', '15,000', '1.43']);
});

test('dollars with cents only where there are any', () => {
  assert.deepEqual([1_500, 125_000, 50, 1_250].map(dollars), ['$15', '$1,250', '$0.50', '$12.50']);
});
