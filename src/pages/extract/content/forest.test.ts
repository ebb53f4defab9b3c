import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FEATURE_NAMES } from './features/table.ts';
import { predict, readForest } from './forest.ts';
import { MODEL } from './model-table.ts';

/** Nodes as [feature or -1, threshold or value], in preorder. */
function written(nodes: [feature: number, number: number][]): string {
  const bytes = Buffer.alloc(nodes.length * 6);
  for (const [index, [feature, number]] of nodes.entries()) {
    bytes.writeUInt16LE(feature === -1 ? 0xffff : feature, index * 6);
    bytes.writeFloatLE(number, index * 6 + 2);
  }
  return bytes.toString('base64');
}

describe('a forest', () => {
  const forest = readForest(
    written([
      [0, 5],
      [-1, -2],
      [1, 0.5],
      [-1, 1],
      [-1, 3],
      [-1, 0.5],
    ]),
  );

  test('has a root for each tree, a lone leaf included', () => assert.deepEqual(forest.roots, [0, 5]));

  test('goes left up to the threshold, right above, and sums its trees', () => {
    const logit = (p: number): number => Math.round(Math.log(p / (1 - p)) * 1000) / 1000;
    const rows = Float32Array.from([5, 0, 6, 0.5, 6, 1]);
    assert.deepEqual([...predict(forest, rows, 2)].map(logit), [-1.5, 1.5, 3.5]);
  });
});

test('the trained model fits the features', () => {
  const { feature, roots, right } = readForest(MODEL);
  assert.ok(roots.length >= 50);
  assert.ok(feature.every((column) => column < FEATURE_NAMES.length));
  assert.ok(feature.every((column, node) => column === -1 || (right[node] ?? 0) > node));
});
