import assert from 'node:assert/strict';
import { test } from 'node:test';
import { englishVectors, openVectors, packVectors } from './word-vectors.ts';

test('the table gives back the directions it was packed from', () => {
  const packed = packVectors(
    ['knot', 'größe'],
    [
      [3, 4],
      [-1, 0],
    ],
  );
  const { dimensions, rowOf, values } = openVectors(packed);
  assert.equal(dimensions, 2);
  assert.deepEqual(
    [...rowOf],
    [
      ['knot', 0],
      ['größe', 1],
    ],
  );
  for (const [at, value] of [0.6, 0.8, -1, 0].entries())
    assert.ok(Math.abs((values[at] ?? 9) - value) < 0.01);
});

test('the shipped table holds words of like meaning near each other', () => {
  const { rowOf, values, dimensions, telling } = englishVectors();
  const vector = (word: string): Float32Array => {
    const row = rowOf.get(word) ?? -1;
    assert.notEqual(row, -1, word);
    return values.subarray(row * dimensions, (row + 1) * dimensions);
  };
  const cosine = (one: string, other: string): number =>
    vector(one).reduce((sum, value, at) => sum + value * (vector(other)[at] ?? 0), 0);
  assert.ok(cosine('doctor', 'physician') > 0.5);
  assert.ok(cosine('doctor', 'violin') < 0.3);
  assert.ok((telling[rowOf.get('physician') ?? -1] ?? 0) > (telling[rowOf.get('year') ?? -1] ?? 1));
});
