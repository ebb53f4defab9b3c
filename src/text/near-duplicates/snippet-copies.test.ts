import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { areCopies, readSnippet } from './snippet-copies.ts';

const words = (text: string): string[] => text.split(' ');
const SNIPPET = words(
  'the red knot feeds on mudflats at low tide and rests on the beach until the water falls',
);

test('one passage under titles of one kind is one text, also when it is cut', () => {
  const whole = readSnippet(words('red knot'), SNIPPET);
  assert.ok(areCopies(whole, readSnippet(words('the red knot of the coast'), SNIPPET.slice(0, 15))));
  assert.ok(!areCopies(whole, readSnippet(words('grey plover'), SNIPPET)));
  assert.ok(!areCopies(whole, readSnippet(words('red knot'), SNIPPET.toReversed())));
});

test('a short passage says too little', () => {
  const short = readSnippet(words('red knot'), SNIPPET.slice(0, 10));
  assert.ok(!areCopies(short, short));
});

test('four fifths of the smaller passage and three fifths of the smaller title, from either side', () => {
  const set = fc.uniqueArray(fc.integer({ min: 0, max: 40 }).map(String), { minLength: 8, maxLength: 40 });
  const likeness = fc.record({ title: set, shingles: set }).map(({ title, shingles }) => ({
    title: new Set(title),
    shingles: new Set(shingles),
  }));
  const share = (one: Set<string>, other: Set<string>, least: number): boolean =>
    [...one].filter((value) => other.has(value)).length >= least * Math.min(one.size, other.size);
  // Sets that share much, which chance alone would not bring.
  const pair = fc.tuple(likeness, likeness, fc.boolean()).map(([one, other, isClose]) => {
    const near = (near: Set<string>, far: Set<string>): Set<string> =>
      new Set([...near].slice(far.size % 9).concat([...far].slice(0, 3)));
    return isClose
      ? ([
          one,
          { title: near(one.title, other.title), shingles: near(one.shingles, other.shingles) },
        ] as const)
      : ([one, other] as const);
  });
  let alike = 0;
  fc.assert(
    fc.property(pair, ([one, other]) => {
      const expected =
        Math.min(one.shingles.size, other.shingles.size) >= 12 &&
        share(one.shingles, other.shingles, 0.8) &&
        share(one.title, other.title, 0.6);
      if (expected) alike += 1;
      assert.equal(areCopies(one, other), expected);
      assert.equal(areCopies(other, one), expected);
    }),
    { numRuns: 3_000 },
  );
  assert.ok(alike > 100, `${alike} pairs were alike`);
});
