import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseTree } from '../../parse/build-tree.ts';
import { cutBlocks } from '../regions.ts';
import { selectBlocks } from './select.ts';

function selected(words: number[], probabilities: number[]): boolean[] {
  const html = words.map((count) => `<p>${'word '.repeat(count)}</p>`).join('');
  const kept = words.map(() => false);
  selectBlocks(cutBlocks(parseTree(html)).blocks, Float32Array.from(probabilities), kept);
  return kept;
}

describe('select', () => {
  test('a page with certain blocks drops the doubtful ones', () => {
    assert.deepEqual(selected([100, 100, 100], [0.95, 0.9, 0.3]), [true, true, false]);
  });

  test('a page of doubtful blocks keeps the best of them', () => {
    assert.deepEqual(selected([100, 100, 100], [0.42, 0.4, 0.05]), [true, true, false]);
  });

  test('a page without content keeps nothing', () => {
    assert.deepEqual(selected([100, 100], [0.05, 0.08]), [false, false]);
  });

  test('a page without blocks', () => {
    assert.deepEqual(selected([], []), []);
  });
});
