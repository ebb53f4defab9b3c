import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nearDuplicates, sketchOf } from './near-duplicates.ts';

/** `count` words that stand in no other text with another name. */
const words = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, place) => `${name}${place}`);

/** Two texts of as many words, so many of them the same at the beginning. */
const pair = (length: number, same: number): [string[], string[]] => {
  const shared = words('shared', same);
  return [
    [...shared, ...words('left', length - same)],
    [...shared, ...words('right', length - same)],
  ];
};

const alike = ([left, right]: [string[], string[]]): boolean =>
  nearDuplicates(sketchOf(left), sketchOf(right));

describe('two texts are near-duplicates', () => {
  // A text of n words has n - 2 runs of three; the share is of the runs, and 0.6 of them is enough.
  for (const length of [52, 102, 152]) {
    const runs = length - 2;
    test(`of ${length} words when six of ten runs of words are the same`, () => {
      assert.equal(alike(pair(length, Math.ceil(0.6 * runs) + 2)), true);
    });
    test(`of ${length} words and not when fewer are`, () => {
      assert.equal(alike(pair(length, Math.ceil(0.6 * runs) + 1)), false);
      assert.equal(alike(pair(length, Math.ceil(0.5 * runs) + 2)), false);
    });
  }

  test('of a few words only when nearly all runs are the same', () => {
    assert.equal(alike(pair(10, 10)), true);
    assert.equal(alike(pair(10, 9)), false);
  });

  test('when one is a part of the other, and never without words', () => {
    const whole = words('w', 400);
    assert.equal(alike([whole, whole.slice(100, 200)]), true);
    assert.equal(alike([whole, []]), false);
  });
});
