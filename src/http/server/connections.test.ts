import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeConnectionsMax } from './connections.ts';

test('the limit on connections leaves descriptors for everything else', () => {
  const cases: [descriptors: number | null, connections: number][] = [
    [null, 2_000],
    [1_048_576, 2_000],
    [2_400, 2_000],
    [2_399, 1_999],
    [1_024, 624],
    [600, 200],
    [256, 85],
    [64, 21],
  ];
  for (const [descriptors, connections] of cases)
    assert.equal(computeConnectionsMax(descriptors), connections, String(descriptors));
});
