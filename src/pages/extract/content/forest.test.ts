import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { FEATURE_NAMES } from './features/table.ts';
import { predictProbabilities, readForest } from './forest.ts';
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
    assert.deepEqual([...predictProbabilities(forest, rows, 2)].map(logit), [-1.5, 1.5, 3.5]);
  });
});

type Node = [feature: number, number: number];

/** The score of one row, one tree at a time. */
function scoreOf(nodes: Node[], row: number[]): number {
  let at = 0;
  const skip = (): void => {
    const [feature] = nodes[at++] as Node;
    if (feature !== -1) for (let child = 0; child < 2; child += 1) skip();
  };
  const value = (): number => {
    const [feature, number] = nodes[at++] as Node;
    if (feature === -1) return number;
    if ((row[feature] ?? 0) > number) {
      skip();
      return value();
    }
    const found = value();
    skip();
    return found;
  };
  let score = 0;
  while (at < nodes.length) score += value();
  return score;
}

test('rows that go down together get what each would get alone', () => {
  const number = fc.integer({ min: -2, max: 2 });
  const { tree } = fc.letrec<{ tree: Node[] }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      number.map((value): Node[] => [[-1, value]]),
      fc
        .tuple(fc.integer({ min: 0, max: 2 }), number, tie('tree'), tie('tree'))
        .map(([feature, limit, left, right]): Node[] => [[feature, limit], ...left, ...right]),
    ),
  }));
  // The last column is the same in all rows.
  const rows = fc
    .tuple(fc.array(fc.tuple(number, number), { maxLength: 12 }), number)
    .map(([pairs, same]) => pairs.map(([one, other]) => [one, other, same]));
  fc.assert(
    fc.property(fc.array(tree, { minLength: 1, maxLength: 4 }), rows, (trees, table) => {
      const nodes = trees.flat();
      const found = predictProbabilities(readForest(written(nodes)), Float32Array.from(table.flat()), 3);
      const alone = Float32Array.from(table, (row) => 1 / (1 + Math.exp(-scoreOf(nodes, row))));
      assert.deepEqual(found, alone);
    }),
    { numRuns: 500 },
  );
});

test('the trained model fits the features', () => {
  const { feature, roots, right } = readForest(MODEL);
  assert.ok(roots.length >= 50);
  assert.ok(feature.every((column) => column < FEATURE_NAMES.length));
  assert.ok(feature.every((column, node) => column === -1 || (right[node] ?? 0) > node));
});
