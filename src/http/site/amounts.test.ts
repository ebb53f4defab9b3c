import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDollars, formatNumber } from './amounts.ts';

test('credits with separators, at most two decimals', () => {
  assert.deepEqual([formatNumber(0), formatNumber(15_000), formatNumber(1.428_57)], ['0', '15,000', '1.43']);
});

test('dollars with cents only where there are any', () => {
  assert.deepEqual([1_500, 125_000, 50, 1_250].map(formatDollars), ['$15', '$1,250', '$0.50', '$12.50']);
});
